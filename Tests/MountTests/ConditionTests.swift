import Foundation
import ProviderTesting
import Testing

// Rows of docs/conditions.md as a program without any module of ours meets them; the whole table is tried on the
// model. Time is moved by hand.

@Suite(.serialized) struct `A condition of the provider` {
  private let source: SourceFolder

  init() throws {
    source = try SourceFolder([
      "a.pdf": content(100_000), "Recent/b.pdf": content(100_000, seed: 2), "far/c.pdf": content(10, seed: 3),
    ])
  }

  private func provider(
    _ members: String..., body: (RunningProvider) async throws -> Void
  ) async throws {
    let folder = try SourceFolder()
    let all = [#""schemaVersion": 1, "name": "test""#] + members
    try folder.write("test.json", Data("{ \(all.joined(separator: ",\n")) }".utf8))
    try await withProvider(
      profile: "\(folder.path)/test.json", source: source.source, clock: .manual, body)
  }

  @Test func `offline leaves what is local, and keeps who reads the rest until it is over`() async throws {
    try await provider(#""items": { "local": ["Recent/**"] }"#) { provider in
      try await provider.setCondition(.offline)
      let said = try await lines(
        """
        client = access("a.pdf", "Recent")
        say(os.stat(at("a.pdf")).st_size, sorted(os.listdir(at("."))), read("Recent/b.pdf") == original("Recent/b.pdf"))
        reply = client.call("coordinate", intents=[{"path": "a.pdf", "kind": "read"}], purpose="")
        say(reply["error"]["code"])
        """, in: provider, source: source)
      #expect(said == ["100000 ['Recent', 'a.pdf', 'far'] True", "serverUnreachable"])
      let reader = try python(
        "client = access('a.pdf'); say(read('a.pdf') == original('a.pdf'))", in: provider, source: source)
      try await provider.wait(for: .state("a.pdf", .downloading))
      try await provider.clock.advance(by: .seconds(30))
      #expect(try await provider.status(of: "a.pdf").phase == "retrying")
      try await provider.setCondition(.online)
      #expect(try await reader.finished().lines == ["True"])
      // For ever it is ETIMEDOUT.
      try await provider.evict("a.pdf")
      try await provider.setCondition(.signedOut)
      let late = try python("client = access('a.pdf'); say(error(lambda: read('a.pdf')))", in: provider)
      try await provider.wait(for: .state("a.pdf", .downloading))
      try await provider.clock.advance(by: .seconds(60))
      #expect(try await late.finished().lines == ["ETIMEDOUT"])
    }
  }

  @Test(arguments: [
    (ProviderCondition.offline, "ENOTCONN ENOTCONN ENOTCONN ENOTCONN"),
    (.disabled, "ENOENT ENOENT ENOENT ENXIO"),
    (.signedOut, "EACCES EACCES EACCES EACCES"), (.rootGone, "ENOENT ENOENT ENOENT ESTALE"),
  ])
  func `of a volume reaches everything, also what is open`(
    condition: ProviderCondition, errors: String
  ) async throws {
    try await provider(#""kind": "volume", "items": { "initial": "local" }"#) { provider in
      let program = try python(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        map = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
        say("open", len(os.pread(fd, 10, 0)), map[0] == original("a.pdf")[0])
        told()
        say(error(lambda: os.stat(at("a.pdf"))), error(lambda: os.listdir(mount)),
          error(lambda: os.open(at("a.pdf"), os.O_RDONLY)), error(lambda: os.pread(fd, 10, 0)))
        told()
        say(os.pread(fd, 10, 0) == original("a.pdf")[:10], len(read("a.pdf")))
        """, in: provider, source: source)
      #expect(try await program.line() == "open 10 True")
      try await provider.setCondition(condition, for: .seconds(5))
      program.send(line: "")
      #expect(try await program.line() == errors)
      try await provider.clock.advance(by: .seconds(5))
      program.send(line: "")
      #expect(try await program.finished().lines == ["True 100000"])
    }
  }

  @Test func `root gone hides every name, and unmounting works all the same`() async throws {
    try await provider(#""items": { "initial": "local" }"#) { provider in
      let program = try python(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        say("open")
        told()
        say(error(lambda: os.stat(mount)), error(lambda: os.stat(at("a.pdf"))), os.path.exists(at("a.pdf")),
          len(os.pread(fd, 10, 0)))
        """, in: provider)
      #expect(try await program.line() == "open")
      try await provider.setCondition(.rootGone)
      program.send(line: "")
      #expect(try await program.finished().lines == ["ENOENT ENOENT False 10"])
    }
  }

  @Test func `crashed of a volume keeps every call waiting, and a signal ends it`() async throws {
    try await provider(#""kind": "volume", "items": { "initial": "local" }"#) { provider in
      try await provider.setCondition(.crashed)
      let stat = try python("say(error(lambda: os.stat(mount + '/a.pdf')))", in: provider)
      let killed = try python("os.stat(mount + '/a.pdf')", in: provider)
      // What becomes of it when nothing changes.
      #expect(try await provider.explain("a.pdf", .getattr) == "EIO")
      #expect(try await killed.killed() == .signaled(9))
      let back = Task { try await stat.finished().lines }
      try await provider.setCondition(.online)
      #expect(try await back.value == ["none"])
    }
  }

  @Test func `a dataless folder is listed only while the server answers`() async throws {
    try await provider(#""items": { "datalessFolders": ["far"] }"#) { provider in
      try await provider.setCondition(.offline, for: .seconds(20))
      let program = try python("say(os.listdir(at('far')))", in: provider)
      let other = try python("say(os.listdir(at('Recent')))", in: provider)
      #expect(try await other.finished().lines == ["['b.pdf']"])
      try await provider.clock.advance(by: .seconds(20))
      #expect(try await program.finished().lines == ["['c.pdf']"])
    }
  }

  @Test func `a locked device opens and reads no file`() async throws {
    try await provider(#""items": { "initial": "local" }"#) { provider in
      let program = try python(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        say("open")
        told()
        say(error(lambda: os.pread(fd, 10, 0)), error(lambda: os.open(at("a.pdf"), os.O_RDONLY)),
          os.stat(at("a.pdf")).st_size)
        told()
        say(len(os.pread(fd, 10, 0)))
        """, in: provider)
      #expect(try await program.line() == "open")
      try await provider.lockDevice()
      program.send(line: "")
      #expect(try await program.line() == "EPERM EPERM 100000")
      try await provider.unlockDevice()
      program.send(line: "")
      #expect(try await program.finished().lines == ["10"])
    }
  }

  @Test func `a process that may not materialize gets EDEADLK, and coordinates`() async throws {
    try await provider(#""process": { "forbid": ["com.example.careful"] }"#) { provider in
      let said = try await lines(
        """
        client = access("a.pdf", app="com.example.careful")
        say(error(lambda: read("a.pdf")))
        claim = client.call("coordinate", intents=[{"path": "a.pdf", "kind": "read"}], purpose="")["claim"]
        say(read("a.pdf") == original("a.pdf"), client.call("finish", claim=claim)["ok"])
        """, in: provider, source: source)
      // Linux has two names for it, and Python knows the other.
      #expect(said == ["EDEADLOCK", "True True"])
      let other = try await lines(
        "client = access('Recent/b.pdf'); say(len(read('Recent/b.pdf')))", in: provider)
      #expect(other == ["100000"])
    }
  }

  @Test func `an app that is suspended stands still and keeps its claims`() async throws {
    try await provider(#""items": { "initial": "local" }"#) { provider in
      let program = try python(
        """
        client = access("a.pdf", app="com.example.writer")
        reply = client.call("coordinate", intents=[{"path": "a.pdf", "kind": "write"}], purpose="")
        say("granted")
        while True:
            told()
            say("alive")
        """, in: provider)
      #expect(try await program.line() == "granted")
      #expect(try await provider.suspend(app: "com.example.writer") == [program.pid])
      try await eventually {
        let stat = try? String(contentsOfFile: "/proc/\(program.pid)/stat", encoding: .utf8)
        return stat?.split(separator: ")").last?.hasPrefix(" T") == true
      }
      program.send(line: "")
      let reader = try python(
        """
        client = access("a.pdf")
        say("asking")
        reply = client.call("coordinate", intents=[{"path": "a.pdf", "kind": "read"}], purpose="")
        say(reply["ok"])
        """, in: provider)
      #expect(try await reader.line() == "asking")
      try await provider.resume(app: "com.example.writer")
      #expect(try await program.line() == "alive")
      try await provider.kill(app: "com.example.writer")
      #expect(try await reader.finished().lines == ["True"])
      #expect(try await program.killed() == .signaled(9))
    }
  }
}
