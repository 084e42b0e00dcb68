import Foundation
import ProviderControl
import ProviderTesting
import Testing

@Suite struct `Expecting on the command line` {
  private static let open =
    #"fakeprovider access "$FAKEPROVIDER_MOUNT/b.txt" -- cat "$FAKEPROVIDER_MOUNT/b.txt""#

  private func run(_ bench: Bench, _ options: [String], _ script: String) async throws -> Said {
    try await bench.run(
      ["fakeprovider", "run", "--profile", "instant", "--source", bench.source] + options
        + ["--", "bash", "-c", script])
  }

  @Test func `run exits with 3 when its command went well and an assertion does not hold`() async throws {
    try await withBench { bench in
      let good = [
        "--expect", "opened-once b.txt", "--expect", "scopes-balanced", "--expect", "not-opened a.pdf",
      ]
      let held = try await run(bench, good, Self.open)
      #expect(held.code == 0 && held.output == "bee\n" && held.errors == "", "\(held)")
      let broken = try await run(bench, good, Self.open + "; " + Self.open)
      #expect(broken.code == 3 && broken.output == "bee\nbee\n", "\(broken)")
      #expect(broken.errorLines.count == 1, "\(broken)")
      #expect(broken.errors.contains("opened-once b.txt: it was opened a second time: "), "\(broken)")
      #expect(broken.errors.contains("open b.txt"), "\(broken)")
      let failed = try await run(bench, good, "exit 7")
      #expect(failed.code == 7 && failed.errors.contains("nothing that matches was opened"), "\(failed)")
      let wrong = try await run(bench, ["--expect", "opened"], "true")
      #expect(wrong.code == 2 && wrong.errors.contains("needs GLOB"), "\(wrong)")
    }
  }

  @Test func `run does not pass when the provider is gone before the end`() async throws {
    try await withBench { bench in
      let said = try await run(
        bench, ["--expect", "no-errors"], #"fakeprovider unmount "$FAKEPROVIDER_MOUNT""#)
      #expect(
        said.code == 3
          && said.errors.contains("cannot be checked: the provider was unmounted before COMMAND ended"),
        "\(said)")
    }
  }

  @Test func `a journal is checked while its provider runs, and later from its file`() async throws {
    try await withBench { bench in
      let journal = bench.path + "/events.jsonl"
      try await bench.mount("--journal", journal)
      let early = try await bench.fakeprovider("expect", "no-errors", "--journal", journal)
      #expect(early.code == 1 && early.output == "holds   no-errors\n", "\(early)")
      #expect(early.errors.contains("journal incomplete: it has no end"), "\(early)")
      let refused = try await bench.run(["cat", bench.file("b.txt")])
      #expect(refused.code == 1)
      let words = ["opened b.txt", "never-materialized *", "no-read-outside-scope"]
      let live = try await bench.run(["fakeprovider", "expect", "--json", "--provider", bench.cloud] + words)
      let holds = try JSONDecoder().decode(Result.self, from: Data(live.output.utf8)).expectations.map(
        \.holds)
      #expect(live.code == 1 && holds == [false, true, false], "\(live)")
      #expect(
        try await bench.fakeprovider("expect", "never-materialized", "*", "--provider", bench.cloud).code == 0
      )
      try await bench.fakeprovider("unmount", bench.cloud)
      let later = try await bench.run(["fakeprovider", "expect", "--journal", journal] + words)
      #expect(later.code == 1 && later.errors == "", "\(later)")
      let output = later.output.split(separator: "\n").map(String.init)
      #expect(output.count == 7 && output[0] == "broken  opened b.txt", "\(later)")
      #expect(output[1].contains("tried in vain") && output[2].contains("/cat (process "), "\(later)")
      #expect(output[2].hasSuffix("open b.txt, accessNotGranted (EPERM)"), "\(later)")
      #expect(output[3] == "holds   never-materialized *", "\(later)")
      let passes = try await bench.fakeprovider("expect", "event", "stopped=1", "--journal", journal)
      #expect(passes.code == 0 && passes.output == "holds   event stopped=1\n", "\(passes)")
    }
  }

  private struct Result: Decodable {
    struct One: Decodable { var holds: Bool }
    var expectations: [One]
  }

  @Test func `a journal whose provider was killed never passes`() async throws {
    try await withBench { bench in
      let journal = bench.path + "/events.jsonl"
      try await bench.mount("--journal", journal)
      let provider = try bench.provider()
      #expect(try await bench.fakeprovider("wait", "state:\(bench.file("b.txt"))=dataless").code == 0)
      // What has happened is in the file once it can be read.
      #expect(try await bench.fakeprovider("events", "--provider", bench.cloud).code == 0)
      kill(provider.process, SIGKILL)
      try await bench.fakeprovider("unmount", bench.cloud)
      let said = try await bench.fakeprovider("expect", "no-errors", "--journal", journal)
      #expect(said.code == 1 && said.output == "holds   no-errors\n", "\(said)")
      #expect(said.errors.contains("journal incomplete"), "\(said)")
    }
  }

  @Test func `what makes no sense is refused with 2, a file that is no journal with 1`() async throws {
    try await withBench { bench in
      for words in [["opnd", "x"], ["opened"], ["opened", "/x"], ["event", "evict"], []] {
        let said = try await bench.run(["fakeprovider", "expect", "--journal", "none"] + words)
        #expect(said.code == 2 && said.errors.contains("usage: "), "\(words): \(said)")
      }
      for file in ["none", "source/b.txt", "source"] {
        let said = try await bench.fakeprovider("expect", "no-errors", "--journal", "\(bench.path)/\(file)")
        #expect(said.code == 1 && said.errorLines.count == 1 && said.output == "", "\(said)")
      }
    }
  }

  @Test func `events leave out looking around, unless it is asked for`() async throws {
    try await withBench { bench in
      try await bench.mount()
      _ = try await bench.run(["ls", "-l", bench.cloud])
      _ = try await bench.run(["cat", bench.file("b.txt")])
      let one = ["fakeprovider", "events", "--provider", bench.cloud]
      let some = try await bench.run(one)
      let all = try await bench.run(one + ["--all"])
      #expect(!some.output.contains(" lookup ") && !some.output.contains(" getattr "), "\(some)")
      #expect(some.output.contains(" open ") && some.output.contains(" opendir "), "\(some)")
      #expect(all.output.contains(" lookup ") && all.output.contains(" readdir "), "\(all)")
      let opens = try await bench.run(one + ["--operation", "open", "--path", "*.txt", "--app", "cat"])
      #expect(opens.output.split(separator: "\n").count == 2, "\(opens)")
    }
  }

  @Test func `a test expects in the same words`() async throws {
    let source = try SourceFolder(["a.pdf": content(1_000)])
    try await withProvider(profile: "instant", source: source.source) { provider in
      try await provider.expect("not-opened *", "no-errors", "never-materialized **")
      let read = try python("client = access('a.pdf'); read('a.pdf')", in: provider)
      #expect(try await read.finished().code == 0)
      try await provider.expect("opened-once a.pdf", "read a.pdf", "event downloadFinished:a.pdf=1")
      let failure = await #expect(throws: ProviderFailure.self) {
        try await provider.expect("no-errors", "never-materialized *.pdf", "scopes-balanced")
      }
      guard case .unexpected(let broken) = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(broken.count == 2, "\(broken)")
      #expect(broken[0].hasPrefix("never-materialized *.pdf: it was downloaded: "), "\(broken)")
      #expect(broken[1].hasPrefix("scopes-balanced: "), "\(broken)")
      let refusal = await #expect(throws: ProviderFailure.self) { try await provider.expect("opnd x") }
      guard case .refused("badRequest", _, _, _) = refusal else {
        Issue.record("\(String(describing: refusal))")
        return
      }
    }
  }
}
