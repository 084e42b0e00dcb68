import FakeServer
import Foundation
@testable import ProviderControl
import Testing

private func request(_ verb: String, name: String? = nil) -> RequestLine {
  var request = RequestLine(verb: verb)
  request.name = name
  return request
}

@Suite(.timeLimit(.minutes(10))) struct `A client` {
  @Test func `gives each caller its own reply, whatever their order`() async throws {
    let server = try FakeServer { socket in
      let first = try socket.nextRequest()
      let second = try socket.nextRequest()
      for request in [second, first] { try socket.reply(request) { $0.name = request.name } }
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    async let a = blocking { try client.call(request("hold", name: "a")).name }
    async let b = blocking { try client.call(request("hold", name: "b")).name }
    #expect(try await a == "a")
    #expect(try await b == "b")
  }

  @Test func `serves many threads at once`() async throws {
    let server = try FakeServer { socket in
      while true {
        let request = try socket.nextRequest()
        try socket.reply(request) { $0.name = request.name }
      }
    }
    let client = try Client(connectingTo: server.socket)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for thread in 0..<8 {
        group.addTask {
          try await blocking {
            try (0..<50).allSatisfy {
              try client.call(request("hold", name: "\(thread).\($0)")).name == "\(thread).\($0)"
            }
          }
        }
      }
      for try await right in group { #expect(right) }
    }
  }

  @Test func `puts a line together from its pieces`() async throws {
    let server = try FakeServer { socket in
      let request = try socket.nextRequest()
      for piece in [#"{"id":"#, "\(request.id)", #","ok":true,"name":"x"}"#, "\n"] {
        try socket.send(line: Array(piece.utf8))
      }
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    #expect(try await blocking { try client.call(request("hold")).name } == "x")
  }

  @Test(arguments: [
    ("", ConnectionProblem.closed), (#"{"id":1,"ok":tr"#, .closed),
    (String(repeating: "x", count: LineCoding.limit_bytes + 1), .lineTooLong),
  ])
  func `tells every waiter how the connection was lost`(sent: String, problem: ConnectionProblem) async throws
  {
    let server = try FakeServer { socket in
      for _ in 0..<2 { _ = try socket.nextRequest() }
      try socket.send(line: Array(sent.utf8))
    }
    let client = try Client(connectingTo: server.socket)
    async let a = outcome { try client.send(request("holds")) }
    async let b = outcome { try client.send(request("holds")) }
    #expect(await a.problem == problem)
    #expect(await b.problem == problem)
    #expect(!client.isConnected)
    #expect(await outcome { try client.send(request("holds")) }.problem == problem)
  }

  @Test func `calls a line that is no message malformed`() async throws {
    let server = try FakeServer { socket in
      _ = try socket.nextRequest()
      try socket.send(line: Array("HTTP/1.1 400 Bad Request\r\n".utf8))
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    guard case .malformed = await outcome(of: { try client.send(request("holds")) }).problem else {
      Issue.record("not malformed")
      return
    }
  }

  @Test func `throws what the provider refused`() async throws {
    let refusal = ErrorLine(code: "busy", errno: "EBUSY", message: "it is open; close it first")
    let server = try FakeServer { socket in
      try socket.reply(try socket.nextRequest(), ok: false) { $0.error = refusal }
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    let result = await outcome { try client.call(request("evict")) }
    #expect(throws: refusal) { try result.get() }
  }

  @Test func `cancels what it no longer waits for, and hands back a claim that came too late`() async throws {
    let seen = Mailbox<RequestLine>(limit: 8)
    let server = try FakeServer { socket in
      let waited = try socket.nextRequest()
      seen.put(try socket.nextRequest())
      try socket.reply(waited) { $0.claim = 77 }
      seen.put(try socket.nextRequest())
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    let result = await outcome { try client.send(request("coordinate"), timeout: .milliseconds(10)) }
    #expect(result.problem == .timedOut)
    let requests = try await blocking { try [taken(seen), taken(seen)] }
    #expect(requests.map(\.verb) == ["cancel", "finish"])
    #expect(requests[0].request == 1)
    #expect(requests[1].claim == 77)
  }

  @Test func `ends a wait from another thread`() async throws {
    let server = try FakeServer { socket in while true { _ = try socket.nextRequest() } }
    let client = try Client(connectingTo: server.socket)
    let pending = try client.begin(request("coordinate"))
    async let result = outcome { try pending.wait() }
    pending.cancel()
    #expect(await result.problem == .canceled)
  }

  @Test func `keeps a reply that was there before the cancel`() async throws {
    let server = try FakeServer { socket in
      try socket.reply(try socket.nextRequest()) { $0.claim = 5 }
      try socket.reply(try socket.nextRequest())
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    let pending = try client.begin(request("coordinate"))
    // The answer to a second request says that the first one's is in.
    try await blocking { _ = try client.call(request("holds")) }
    pending.cancel()
    #expect(try await blocking { try pending.wait().claim } == 5)
  }

  @Test func `that is gone closes its connection`() async throws {
    let ended = Mailbox<Bool>(limit: 1)
    let server = try FakeServer { socket in
      try socket.reply(try socket.nextRequest())
      ended.put(try socket.receiveLine() == nil)
    }
    try await blocking { _ = try Client(connectingTo: server.socket).call(request("holds")) }
    #expect(try await blocking { try taken(ended) })
  }
}

private func taken<Value>(_ mailbox: Mailbox<Value>) throws -> Value {
  switch mailbox.take(until: .never) {
  case .value(let value): return value
  case .ended(let problem): throw problem
  case .timedOut: throw ConnectionProblem.timedOut
  }
}

@Suite(.timeLimit(.minutes(10))) struct `A subscription` {
  private static func event(_ number: UInt64) -> EventLine {
    EventLine(sequence: number, atNanoseconds: 0, name: "evicted")
  }

  @Test func `delivers events in order until it is stopped`() async throws {
    let cancel = Mailbox<RequestLine>(limit: 1)
    let server = try FakeServer { socket in
      let subscribe = try socket.nextRequest()
      try socket.reply(subscribe)
      for number in 1...3 { try socket.reply(subscribe) { $0.event = Self.event(UInt64(number)) } }
      cancel.put(try socket.nextRequest())
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    let (numbers, end) = try await blocking {
      let stream = try client.subscribe(since: 0)
      let numbers = try (0..<3).map { _ in try stream.next()?.sequence }
      stream.stop()
      return (numbers, try stream.next())
    }
    #expect(numbers == [1, 2, 3])
    #expect(end == nil)
    let sent = try await blocking { try taken(cancel) }
    #expect(sent.verb == "cancel" && sent.request == 1)
  }

  @Test func `ends with the reason when the connection is lost`() async throws {
    let server = try FakeServer { socket in
      let subscribe = try socket.nextRequest()
      try socket.reply(subscribe)
      try socket.reply(subscribe) { $0.event = Self.event(1) }
    }
    let client = try Client(connectingTo: server.socket)
    let stream = try await blocking { try client.subscribe() }
    #expect(try await blocking { try stream.next() }?.sequence == 1)
    #expect(await outcome { try stream.next() }.problem == .closed)
  }

  @Test func `that is refused throws`() async throws {
    let server = try FakeServer { socket in
      let error = ErrorLine(code: "badRequest", errno: "EINVAL", message: "no")
      try socket.reply(try socket.nextRequest(), ok: false) { $0.error = error }
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    let result = await outcome { _ = try client.subscribe() }
    #expect(throws: ErrorLine.self) { try result.get() }
  }

  @Test func `says how many events it could not keep`() async throws {
    let extra = 10
    let server = try FakeServer { socket in
      let subscribe = try socket.nextRequest()
      try socket.reply(subscribe)
      var reply = ReplyLine(id: subscribe.id, ok: true)
      reply.event = Self.event(1)
      let line = try LineCoding.line(reply)
      for _ in 0..<(EventStream.limit + extra) { try socket.send(line: line) }
      try socket.reply(try socket.nextRequest())
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    let first = try await blocking {
      let stream = try client.subscribe()
      // Its answer comes after all the events.
      try client.call(request("holds"))
      return try stream.next()
    }
    #expect(first?.name == "dropped")
    #expect(first?.dropped == UInt64(extra))
  }

  @Test func `to the past ends with the reply`() async throws {
    let server = try FakeServer { socket in
      let ask = try socket.nextRequest()
      for number in 5...6 { try socket.reply(ask) { $0.event = Self.event(UInt64(number)) } }
      try socket.reply(ask)
      _ = try socket.nextRequest()
    }
    let client = try Client(connectingTo: server.socket)
    #expect(try await blocking { try client.pastEvents(since: 4).map(\.sequence) } == [5, 6])
  }
}
