import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `The control socket` {
  private let source: SourceFolder

  init() throws { source = try SourceFolder(["a.pdf": content(100_000), "in/b.txt": Data("b".utf8)]) }

  private func provider<Value>(
    clock: RunningProvider.ClockMode = .real, _ body: (RunningProvider) async throws -> Value
  ) async throws -> Value {
    try await withProvider(profile: "instant", source: source.source, clock: clock, body)
  }

  @Test func `refuses in words and codes`() async throws {
    try await provider { provider in
      let missing = await #expect(throws: ProviderFailure.self) { try await provider.pick("none") }
      guard case .refused("noSuchItem", "ENOENT", _, _) = missing else {
        Issue.record("\(String(describing: missing))")
        return
      }
      #expect(missing?.description.contains("there is no such item") == true)
      await #expect(throws: ProviderFailure.self) { try await provider.download("in") }
      await #expect(throws: ProviderFailure.self) { try await provider.evict("..") }
      await #expect(throws: ProviderFailure.self) {
        try await provider.wait(for: .state("a.pdf", .local), timeout: .milliseconds(50))
      }
    }
  }

  @Test func `has a hold for each name, and releases it with an error`() async throws {
    try await provider { provider in
      let hold = try await provider.hold(.read, "a.pdf", name: "mine")
      #expect(hold.name == "mine")
      await #expect(throws: ProviderFailure.self) {
        _ = try await provider.hold(.open, "a.pdf", name: "mine")
      }
      let reader = try python("client = access('a.pdf'); say(error(lambda: read('a.pdf')))", in: provider)
      try await hold.waitUntilParked()
      #expect(try await hold.parked == 1)
      #expect(try await hold.release(error: "EIO") == 1)
      #expect(try await reader.finished().lines == ["EIO"])
      await #expect(throws: ProviderFailure.self) { try await hold.release() }
    }
  }

  @Test func `downloads, evicts and tells the state`() async throws {
    try await provider { provider in
      try await provider.download("a.pdf", "in/b.txt")
      let states = try await provider.status("a.pdf", "in/b.txt")
      #expect(states.map(\.copy) == [.local, .local])
      #expect(states.map(\.size) == [100_000, 1])
      try await provider.evict("a.pdf", "in/b.txt")
      #expect(try await provider.status("a.pdf", "in/b.txt").map(\.copy) == [.dataless, .dataless])
      let names = try await provider.journal().map(\.name)
      #expect(names.count { $0 == "evicted" } == 2)
      let last = try await provider.lastEvent
      // Whoever looks around on this machine may have left something since.
      #expect(try await provider.journal(since: last).allSatisfy { $0.sequence > last })
    }
  }

  @Test func `moves a manual clock`() async throws {
    try await provider(clock: .manual) { provider in
      let start = try await provider.clock.now
      try await provider.clock.advance(by: .milliseconds(1500))
      #expect(try await provider.clock.now - start == .milliseconds(1500))
      #expect(try await provider.clock.next == nil)
      await #expect(throws: ProviderFailure.self) { try await provider.clock.advanceToNext() }
    }
    try await provider { provider in
      _ = await #expect(throws: ProviderFailure.self) { try await provider.clock.advance(by: .seconds(1)) }
    }
  }

  @Test func `takes nonsense from one client without harm to another`() async throws {
    try await provider { provider in
      let said = try await lines(
        #"""
        def send(data):
            client = socket.socket(socket.AF_UNIX)
            client.connect(os.environ["FAKEPROVIDER_CONTROL"])
            try: client.sendall(data)
            except OSError: pass
            return client
        good = access("a.pdf")
        nonsense = [b"what?\n", b"[]\n", b"{}\n", b"\xff\xfe\n", b"null\n", b'{"id":1}\n', b'{"id":1,"verb":"danse"}\n',
                    b'{"id":1,"verb":"hold","operation":"x","path":"a"}\n', b'{"id":"x","verb":"status"}\n',
                    b'{"id":1,"verb":"pick","path":"../../etc"}\n', b'{"id":1,"verb":"pick","path":7}\n',
                    b'{"id":99999999999999999999,"verb":"status"}\n', b"[" * 100_000 + b"\n",
                    b'{"id":1,"verb":"pick","paths":[]}\n', b'{"id":1,"verb":"pick","path":"a\\u0000b"}\n']
        for line in nonsense:
            client = send(line)
            reply = client.makefile("rb").readline()
            assert b'"ok":false' in reply.replace(b" ", b""), (line[:40], reply[:200])
        say(len(nonsense), len(read("a.pdf")))
        clients = [send(b"{" * 1000) for _ in range(50)] + [send(b"x" * (1 << 21))]
        say(good.call("status", path="a.pdf")["ok"], error(lambda: read("a.pdf")))
        """#, in: provider)
      #expect(said == ["15 100000", "True none"])
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func `serves no other user`() async throws {
    try await provider { provider in
      let nobody = try await run(
        [
          "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", Python.executable, "-I", "-S", "-c",
          Python.prelude + "say(error(lambda: Provider()))",
        ], in: provider)
      #expect(nobody.lines == ["EACCES"], "\(nobody.errors)")
    }
  }

  @Test func `keeps a client's holds when it goes, until somebody releases them`() async throws {
    try await provider { provider in
      _ = try await lines(
        "Provider().call('hold', operation='read', path='a.pdf', name='stuck')", in: provider)
      let reader = try python("client = access('a.pdf'); say(len(read('a.pdf')))", in: provider)
      try await provider.wait(for: .parked(hold: "stuck"))
      _ = try await lines("Provider().call('release', name='stuck')", in: provider)
      #expect(try await reader.finished().lines == ["100000"])
    }
  }
}

/// Swift's cooperative pool has as many threads as there are cores.
@Suite struct `Tasks that block in a read` {
  private static let isInner = "FAKEPROVIDER_TEST_ON_ONE_CORE"

  private static func eight(
    _ read: @escaping @Sendable (String) async throws -> Int
  ) async throws {
    let source = try SourceFolder(["a.pdf": content(100_000)])
    try await withProvider(profile: "simulator", source: source.source) { provider in
      let hold = try await provider.hold(.read, "a.pdf")
      let path = provider.path + "/a.pdf"
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { try await read(path) } }
        var last: UInt64 = 0
        for _ in 0..<8 { last = try await provider.event(after: last) { $0.name == "held" }.sequence }
        #expect(try await hold.release() == 8)
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(counts == Array(repeating: 100_000, count: 8))
    }
  }

  private static func bytes(of path: String) throws -> Int {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ProviderFailure.system(call: "open", errno: errno) }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 200_000)
    return read(descriptor, &buffer, buffer.count)
  }

  @Test func `eight at once go on when they are released, by blocking`() async throws {
    try await Self.eight { path in try await blocking { try Self.bytes(of: path) } }
  }

  @Test func `eight at once go on when they are released, by a thread per job`() async throws {
    try await Self.eight { path in
      try await Task(executorPreference: ThreadPerJobExecutor()) { try Self.bytes(of: path) }.value
    }
  }

  @Test(.disabled(if: ProcessInfo.processInfo.environment[isInner] != nil))
  func `eight at once go on when they are released, also on one core`() async throws {
    let executable = try #require(Bundle.main.executablePath)
    let inner = try await ChildProcess(
      ["taskset", "-c", "0", executable, "--testing-library", "swift-testing", "--filter", "eight at once"],
      environment: [Self.isInner: "1"]
    ).finished()
    #expect(inner.code == 0, "\(inner.output)\(inner.errors)")
    // The two above; this one is skipped there.
    #expect(inner.errors.contains("3 tests"), "\(inner.errors)")
  }
}
