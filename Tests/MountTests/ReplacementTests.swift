import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `A rule that replaces an item` {
  private let source: SourceFolder

  init() throws { source = try SourceFolder(["a.pdf": content(1_000), "b.pdf": content(10)]) }

  @Test func `gives who has looked another file than the one that is opened`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      try await provider.download("a.pdf")
      try await provider.remotePrepare("a.pdf", .synthetic(size: "2000"))
      try await provider.addRule(
        #"{ "name": "swap", "on": "open", "path": "a.pdf", "fail": { "times": 1 }, "effect": { "replace": { "by": "rename" } } }"#
      )
      let said = try await lines(
        """
        access(".")
        before = os.stat(at("a.pdf"))
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        after = os.fstat(fd)
        say(before.st_size, after.st_size, before.st_ino == after.st_ino, len(os.read(fd, 9999)))
        say(len(read("a.pdf")), os.stat(at("a.pdf")).st_ino == after.st_ino)
        """, in: provider)
      #expect(said == ["1000 2000 False 2000", "2000 True"])
      #expect(try await provider.status(of: "a.pdf").version == 2)
      #expect(try await provider.journal().filter { $0.name == "replaced" }.map(\.path) == ["a.pdf"])
    }
  }

  @Test func `can leave a gap in which there is none`() async throws {
    try await withProvider(profile: "instant", source: source.source, clock: .manual) { provider in
      try await provider.addRule(
        #"{ "name": "swap", "on": "open", "path": "a.pdf", "fail": { "times": 1 }, "effect": { "replace": { "by": "recreate", "gap": "5ms" } } }"#
      )
      let reader = try python(
        """
        access(".")
        say(error(lambda: os.open(at("a.pdf"), os.O_RDONLY)), error(lambda: os.stat(at("a.pdf"))), os.listdir(mount))
        told()
        say(read("a.pdf") == original("a.pdf"))
        """, in: provider, source: source)
      #expect(try await reader.line() == "ENOENT ENOENT ['b.pdf']")
      try await provider.clock.advance(by: .milliseconds(5))
      reader.send(line: "")
      #expect(try await reader.finished().lines == ["True"])
    }
  }

  @Test func `leaves a copy under way what it opened`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      try await provider.download("a.pdf")
      try await provider.remotePrepare("a.pdf", .text("new"))
      try await provider.addRule(
        #"{ "name": "swap", "on": "read", "path": "a.pdf", "bytes": { "from": "500" }, "fail": { "times": 1 }, "basis": { "standing": "synthetic" }, "effect": { "replace": { "by": "rename" } } }"#
      )
      let said = try await lines(
        """
        access(".")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        whole = b"".join(os.pread(fd, 100, offset) for offset in range(0, 1000, 100))
        say(whole == original("a.pdf"), read("a.pdf"), os.fstat(fd).st_nlink)
        """, in: provider, source: source)
      #expect(said == ["True b'new' 0"])
    }
  }
}
