import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `A rule of a mounted provider` {
  private let source: SourceFolder
  private static let size = 300_000

  init() throws {
    source = try SourceFolder([
      "a.pdf": content(Self.size), "in/b.pdf": content(Self.size), "c.txt": Data("c".utf8),
    ])
  }

  private func provider<Value>(
    _ kernel: String? = nil, clock: RunningProvider.ClockMode = .real,
    _ body: (RunningProvider) async throws -> Value
  ) async throws -> Value {
    try await withProvider(
      profile: "instant", source: source.source, clock: clock, kernel: kernel, body)
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `fails the opens that it is about, and nothing else`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      try await provider.addRule(
        #"{ "name": "lost", "on": "open", "path": "**/*.pdf", "fail": { "times": 1 }, "effect": { "error": "ETIMEDOUT" } }"#
      )
      let said = try await lines(
        """
        access(".")
        for path in ("a.pdf", "a.pdf", "in/b.pdf", "in/b.pdf", "c.txt"):
            say(error(lambda: read(path)), os.stat(at(path)).st_size)
        """, in: provider)
      #expect(said == ["ETIMEDOUT 300000", "none 300000", "ETIMEDOUT 300000", "none 300000", "none 1"])
      #expect(try await provider.ruleHits() == ["lost": 2])
      let struck = try await provider.journal().filter { $0.rule == "lost" && $0.name == "operation" }
      #expect(struck.map(\.errno) == ["ETIMEDOUT", "ETIMEDOUT"])
      #expect(struck.map(\.path) == ["a.pdf", "in/b.pdf"])
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `fails reads whole from a byte on, by every way of reading`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      try await provider.addRule(
        #"{ "name": "cut", "on": "read", "bytes": { "from": "40%" }, "basis": { "standing": "synthetic" }, "effect": { "error": "ECONNRESET" } }"#
      )
      let said = try await lines(
        """
        access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        whole = original("a.pdf")
        say(os.pread(fd, 100_000, 0) == whole[:100_000], error(lambda: os.pread(fd, 100_000, 100_000)))
        say(os.pread(fd, 1000, 0) == whole[:1000], error(lambda: os.pread(fd, 1, 299_999)))
        os.close(fd)
        say(error(lambda: read("a.pdf")))
        say(error(lambda: shutil.copyfile(at("a.pdf"), "/dev/null")))
        """, in: provider, source: source)
      #expect(said == ["True ECONNRESET", "True ECONNRESET", "ECONNRESET", "ECONNRESET"])
    }
  }

  @Test func `alters, zeroes or cuts the bytes of one open, and the next has them all`() async throws {
    try await provider { provider in
      for (effect, check) in [
        (#""zeroed": "40%""#, "got[120_000:] == bytes(180_000)"),
        (
          #""altered": "40%""#,
          "len(got) == 300_000 and all(a != b for a, b in zip(got[120_000:], whole[120_000:]))"
        ),
        (#""short": "40%""#, "len(got) == 120_000"),
      ] {
        try await provider.addRule(
          #"{ "name": "r", "on": "open", "fail": { "times": 2 }, "basis": { "standing": "synthetic" }, "effect": { \#(effect) } }"#
        )
        let said = try await lines(
          """
          access("a.pdf")
          whole = original("a.pdf")
          def copied():
              shutil.copyfile(at("a.pdf"), "/tmp/copy-" + str(os.getpid()))
              with open("/tmp/copy-" + str(os.getpid()), "rb") as file: return file.read()
          for how in (lambda: read("a.pdf"), copied):
              got = how()
              say(got[:120_000] == whole[:120_000], \(check))
          say(read("a.pdf") == whole, copied() == whole)
          os.remove("/tmp/copy-" + str(os.getpid()))
          """, in: provider, source: source)
        #expect(said == ["True True", "True True", "True True"], "\(effect)")
        try await provider.removeRule("r")
      }
    }
  }

  @Test func `lies about sizes as a program sees them`() async throws {
    try await provider { provider in
      try await provider.addRule(
        #"{ "name": "big", "on": "getattr", "path": "a.pdf", "effect": { "size": { "larger": "4096" } } }"#)
      try await provider.addRule(
        #"{ "name": "late", "on": "getattr", "path": "in/b.pdf", "effect": { "size": "late" } }"#)
      let said = try await lines(
        """
        access(".")
        say(os.stat(at("a.pdf")).st_size, len(read("a.pdf")))
        before = os.stat(at("in/b.pdf"))
        say(before.st_size, len(read("in/b.pdf")))
        after = os.stat(at("in/b.pdf"))
        say(after.st_size, after.st_mtime_ns == before.st_mtime_ns)
        """, in: provider)
      #expect(said == ["304096 300000", "0 300000", "300000 True"])
    }
  }

  @Test func `delays by the provider's clock, and stalls until it is removed`() async throws {
    try await provider(clock: .manual) { provider in
      try await provider.addRule(
        #"{ "name": "slow", "on": "open", "path": "c.txt", "effect": { "delay": "10m" } }"#)
      try await provider.addRule(
        #"{ "name": "stuck", "on": "open", "path": "a.pdf", "effect": { "stall": true } }"#)
      let slow = try python("access('c.txt')\nsay('ready')\nsay(read('c.txt'))", in: provider)
      let stuck = try python("access('a.pdf')\nsay('ready')\nsay(len(read('a.pdf')))", in: provider)
      #expect(try await slow.line() == "ready")
      #expect(try await stuck.line() == "ready")
      try await provider.wait(for: .parked(hold: "stuck"))
      try await provider.removeRule("stuck")
      #expect(try await stuck.finished().lines == ["300000"])
      try await eventuallyDue(provider)
      try await provider.clock.advance(by: .seconds(600))
      #expect(try await slow.finished().lines == ["b'c'"])
    }
  }

  private func eventuallyDue(_ provider: RunningProvider) async throws {
    while try await provider.clock.next == nil { await Task.yield() }
  }

  @Test func `that cannot be understood is refused with line and column`() async throws {
    try await provider { provider in
      await #expect(throws: ProviderFailure.self) {
        try await provider.addRule(#"{ "name": "r", "on": "opne", "effect": { "error": "EIO" } }"#)
      }
      let command = try await run(
        [
          "\(Bench.build)/fakeprovider", "rule", "add",
          #"{ "name": "r", "on": "opne", "effect": { "error": "EOI" } }"#,
        ], in: provider)
      #expect(command.code == 2)
      #expect(command.errors.contains("rule:1:22: on") && command.errors.contains("nearest value \"open\""))
      #expect(command.errors.contains("EIO"))
    }
  }
}
