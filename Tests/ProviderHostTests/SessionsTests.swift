import FakeServer
import Glibc
import ProviderControl
import ProviderHost
import ProviderModel
import Testing

@Suite struct `A client's session` {
  @Test func `begins with the facts, and speaks for the app that it names`() async throws {
    let provider = try TestProvider()
    let client = try provider.client()
    let (before, after) = try await blocking {
      (
        try client.call(request("provider")).provider,
        try client.call(request("hello") { $0.app = "com.example.notes" }).provider
      )
    }
    #expect(before?.app == ProcessFiles.executable(of: getpid()))
    #expect(after?.app == "com.example.notes")
    #expect(after?.mountpoint == "/m" && after?.profile == "test" && after?.mode == "device")
    #expect(after?.pid == getpid() && after?.socket == provider.path && after?.protocolVersion == 1)
    let (granted, refused) = try await blocking {
      try client.call(request("pick", "a") { $0.app = "com.example.notes" })
      let other = try provider.client()
      try other.call(request("hello") { $0.app = "com.example.other" })
      return (try client.call(request("start", "a")).started, try other.call(request("start", "a")).started)
    }
    #expect(granted == true)
    #expect(refused == false)
  }

  @Test func `releases its claims with its end`() async throws {
    let provider = try TestProvider()
    let (first, second) = (try provider.client(), try provider.client())
    let claim = try await blocking {
      for client in [first, second] {
        try client.call(request("hello") { $0.app = "app" })
        try client.call(request("pick", "."))
        try client.call(request("start", "."))
      }
      #expect(try first.call(coordinate("write", "a")).claim == 1)
      let waiting = try second.begin(coordinate("write", "a"))
      first.close()
      return try waiting.wait().claim
    }
    #expect(claim == 2)
  }

  @Test func `gets the failure of what it asked as the protocol has it`() async throws {
    let provider = try TestProvider()
    let client = try provider.client()
    let reply = try await blocking { try client.send(request("download", "none")) }
    #expect(reply.ok == false)
    #expect(reply.error?.code == "noSuchItem" && reply.error?.errno == "ENOENT")
    #expect(reply.error?.path?.bytes == Array("none".utf8))
  }

  @Test func `moves a manual clock, and what is due has happened with the answer`() async throws {
    let provider = try TestProvider()
    let client = try provider.client()
    try await blocking {
      let download = try client.begin(request("download", "a"))
      let clock = try client.call(request("clock")).clock
      #expect(clock?.mode == "manual" && clock?.nowNanoseconds == 0)
      #expect(clock?.nextNanoseconds == 1_000_000_000)
      try client.call(request("clock") { $0.action = "advanceToNext" })
      #expect(try client.call(request("status", "a")).items?.first?.copy == "local")
      #expect(try download.wait().items?.first?.copy == "local")
      let idle = try client.send(request("clock") { $0.action = "advanceToNext" })
      #expect(idle.error?.code == "invalid")
      let scale = try client.send(
        request("clock") {
          $0.action = "scale"
          $0.value = "10"
        })
      #expect(scale.error?.message.contains("manual") == true)
    }
  }

  @Test func `gets past events, and those after a number`() async throws {
    let provider = try TestProvider()
    let client = try provider.client()
    let (all, some) = try await blocking {
      for _ in 0..<5 { try client.call(request("pick", "a")) }
      return (try client.pastEvents(), try client.pastEvents(since: 3))
    }
    #expect(all.map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(all.allSatisfy { $0.name == "granted" })
    #expect(some.map(\.sequence) == [4, 5])
  }

  @Test func `that follows gets what happens after its reply, all of it`() async throws {
    let provider = try TestProvider()
    let (client, other) = (try provider.client(), try provider.client())
    let numbers = try await blocking {
      try other.call(request("pick", "a"))
      let stream = try client.subscribe()
      for _ in 0..<3 { try other.call(request("pick", "b")) }
      return try (0..<3).map { _ in try stream.next()?.sequence }
    }
    #expect(numbers == [2, 3, 4])
  }

  @Test func `that follows without reading gets everything in the end`() async throws {
    let provider = try TestProvider()
    let (slow, other) = (try provider.socket(), try provider.client())
    let sequences = try await blocking {
      try slow.send(
        request("events") {
          $0.follow = true
          $0.since = 0
        })
      #expect(try slow.receive(ReplyLine.self)?.ok == true)
      // Some 3 MB of events, where a connection takes 1 MiB before it is read.
      let many = request("pick") { $0.paths = (0..<1_000).map { _ in WirePath(bytes: Array("a".utf8)) } }
      for _ in 0..<25 { try other.call(many) }
      var sequences: [UInt64] = []
      while sequences.last != 25_000 {
        guard let line = try slow.receiveLine() else { break }
        // Decoding all of them takes seconds.
        let text = String(decoding: line, as: UTF8.self)
        let digits = text.split(separator: "\"sequence\":").last?.prefix { $0.isNumber }
        sequences.append(digits.flatMap { UInt64($0) } ?? 0)
      }
      return sequences
    }
    #expect(sequences == Array(1...25_000))
  }

  @Test func `stops following when it cancels`() async throws {
    let provider = try TestProvider()
    let client = try provider.client()
    let end = try await blocking {
      let stream = try client.subscribe()
      stream.stop()
      try client.call(request("pick", "a"))
      return try stream.next()
    }
    #expect(end == nil)
  }

  @Test func `asks for the end, and is answered when it has come`() async throws {
    let provider = try TestProvider()
    let client = try provider.client()
    _ = try await blocking { try client.call(request("unmount")) }
    guard case .value(true) = provider.unmounts.take(until: .never) else {
      Issue.record("not asked")
      return
    }
  }
}

@Suite struct `The host` {
  @Test func `has a request answered by its backend, and the refused one too`() async throws {
    let provider = try TestProvider()
    let client = try provider.client()
    func reply(_ operation: ProviderModel.Operation, _ number: UInt64) throws -> Reply {
      let caller = Caller(
        thread: getpid(), process: provider.host.processes.process(getpid()), app: AppID("test"))
      provider.host.handle(
        .request(KernelRequest(id: RequestID(number), operation: operation, caller: caller)))
      guard case .value(let reply) = provider.backend.replies.take(until: .never) else {
        throw ConnectionProblem.closed
      }
      return reply
    }
    let name = try #require(Name("a"))
    guard case .entry(let node, _) = try reply(.lookup(parent: .root, name: name), 1) else {
      Issue.record("no entry")
      return
    }
    #expect(try reply(.open(node, writes: false), 2) == .error(.accessNotGranted))
    try await blocking {
      try client.call(request("pick", "a"))
      #expect(try client.call(request("start", "a")).started == true)
    }
    guard case .opened = try reply(.open(node, writes: false), 3) else {
      Issue.record("not opened")
      return
    }
  }

  @Test func `looks ancestors up only once a scope covers them`() async throws {
    let provider = try TestProvider()
    let client = try provider.client()
    try await blocking {
      try client.call(request("pick", "a"))
      try client.call(request("start", "a"))
      #expect(!provider.host.hasInheritableScopes)
      try client.call(request("start", "a") { $0.covers = "descendants" })
      #expect(provider.host.hasInheritableScopes)
    }
  }

  @Test func `fires what is due by real time`() async throws {
    let provider = try TestProvider { $0.items.initial = .local }
    let client = try provider.client()
    // The item is open, and stays so: the limit of real time answers.
    let reply = try await blocking {
      try client.call(request("pick", "."))
      try client.call(request("start", "."))
      let caller = Caller(thread: getpid(), process: provider.host.processes.process(getpid()))
      let lookup = ProviderModel.Operation.lookup(parent: .root, name: try #require(Name("a")))
      provider.host.handle(.request(KernelRequest(id: RequestID(1), operation: lookup, caller: caller)))
      guard case .value(.entry(let node, _)) = provider.backend.replies.take(until: .never) else {
        throw ConnectionProblem.closed
      }
      provider.host.handle(
        .request(KernelRequest(id: RequestID(2), operation: .open(node, writes: false), caller: caller)))
      return try client.send(request("evict", "a"))
    }
    #expect(reply.error?.code == "busy")
  }
}
