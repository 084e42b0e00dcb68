import Foundation
import ProviderControl
import ProviderTesting
import Testing

@Suite struct `A mount that cannot be` {
  private func refused(
    _ words: [String], _ bench: Bench, code: Int32 = 1, _ message: String
  ) async throws {
    let before = try bench.mounts
    for how in [[], ["--background"]] {
      let said = try await bench.run(["fakeprovider", "mount"] + how + words)
      #expect(said.code == code && said.output == "" && said.errors.contains(message), "\(words): \(said)")
      if code == 1 { #expect(said.errorLines.count == 1, "\(said)") }
      if code == 2 { #expect(said.errors.contains("\nusage: fakeprovider mount"), "\(said)") }
      #expect(try bench.mounts == before, "\(words)")
    }
    let sockets = try? FileManager.default.contentsOfDirectory(atPath: bench.path + "/run/fakeprovider")
    #expect((sockets ?? []).count == before.count, "\(words)")
  }

  @Test func `says why in one line, and mounts nothing`() async throws {
    try await withBench { bench in
      let instant = ["--profile", "instant"]
      let both = instant + ["--source", bench.source]
      let full = bench.path + "/full"
      try FileManager.default.createDirectory(atPath: full + "/in", withIntermediateDirectories: true)
      let empty = bench.source + "/empty"
      try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: bench.path + "/loop", withDestinationPath: "loop")

      let none = bench.path + "/none"
      try await refused(both + [none], bench, "No such file or directory; make it: mkdir -p \(none)")
      try await refused(both + [full], bench, "the mountpoint \(full) is not empty")
      try await refused(both + [bench.source + "/b.txt"], bench, "is not a folder")
      try await refused(both + [bench.path + "/loop"], bench, "Too many levels of symbolic links")
      try await refused(both + ["/proc"], bench, "something is mounted at /proc already")
      try await refused(both + [empty], bench, "lie in each other")
      let inside = instant + ["--source", empty]
      try await refused(inside + [empty], bench, "lie in each other")
      try await refused(inside + [bench.source], bench, "is not empty")
      try await refused(instant + ["--source", none, bench.cloud], bench, "No such file or directory")
      let file = bench.source + "/b.txt"
      try await refused(instant + ["--source", file, bench.cloud], bench, "is not a folder")
      try await refused(both + ["--journal", none + "/j", bench.cloud], bench, none + "/j")
      #expect(access(none, F_OK) != 0)
    }
  }

  @Test func `is told from a slip of the keyboard, which shows the usage`() async throws {
    try await withBench { bench in
      let both = ["--source", bench.source, bench.cloud]
      try await refused(["--profile", "instnt"] + both, bench, code: 2, "nearest name \"instant\"")
      try await refused(["--profle", "instant"] + both, bench, code: 2, "did you mean --profile?")
      try await refused(["--profile", "instant", "--seed", "x"] + both, bench, code: 2, "--seed takes")
      try await refused(["--profile", "instant", "--clock", "fast"] + both, bench, code: 2, "--clock takes")
      for place in [bench.source, bench.cloud] {
        try await refused(
          ["--profile", "instant", "--journal", place + "/j"] + both, bench, code: 2, "would lie in \(place)")
      }
      #expect(access(bench.source + "/j", F_OK) != 0)
      try await refused(["--profile", "instant"], bench, code: 2, "needs MOUNTPOINT")
      try await refused(both, bench, code: 2, "needs --profile P")
      try await refused(
        ["--profile", "instant", "--sample"] + both, bench, code: 2, "--source and --sample cannot be given")
    }
  }

  @Test func `has a profile with mistakes, and each is shown with its place`() async throws {
    try await withBench { bench in
      let profile = bench.path + "/bad.json"
      let text = """
        {
          "schemaVersion": 1,
          "name": "bad",
          "downlod": {},
          "items": { "initial": "nowhere" },
          "download": { "latency": "5 bananas" }
        }
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: profile))
      let said = try await bench.run(
        ["fakeprovider", "mount", "--profile", profile, "--source", bench.source, bench.cloud])
      #expect(said.code == 1 && said.errorLines.count == 3, "\(said)")
      for place in ["bad.json:4:3: downlod", "bad.json:5:25: items.initial", "bad.json:6:"] {
        #expect(said.errors.contains(place), "\(said.errors)")
      }
    }
  }

  @Test func `is where a provider is already, or inside it`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let both = ["--profile", "instant", "--source", bench.source]
      try await refused(
        both + [bench.cloud], bench, "is a provider's mount already; end it: fakeprovider unmount")
      try await refused(
        both + [bench.file("in")], bench, "lies inside the provider mounted at \(bench.cloud)")
      let provider = try bench.provider()
      kill(provider.process, SIGSTOP)
      // Nobody would answer, so nobody must be asked.
      try await refused(both + [bench.cloud], bench, "is a provider's mount already")
      kill(provider.process, SIGCONT)
    }
  }
}
