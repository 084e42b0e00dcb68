import FakeServer
import Foundation
@testable import ProviderControl
import Synchronization
import Testing

@testable import ScopedAccess

/// What a coordinator and a provider say to each other; the mount table is left out.
@Suite(.timeLimit(.minutes(10))) struct `A coordinated read in a provider` {
  private static let url = URL(fileURLWithPath: "/m/d/a.pdf")

  private static func location(_ server: FakeServer) -> ProviderLocation {
    let mount = ProviderMount(mountpoint: Array("/m".utf8), socket: server.socket, root: [])
    return ProviderLocation(mount: mount, relative: Array("d/a.pdf".utf8))
  }

  private static func server(
    _ seen: Mailbox<RequestLine> = Mailbox(limit: 16),
    then answer: @escaping @Sendable (LineSocket, RequestLine) throws -> Void
  ) throws -> FakeServer {
    try FakeServer { socket in
      seen.put(try socket.answerHello())
      while true {
        let request = try socket.nextRequest()
        seen.put(request)
        try answer(socket, request)
      }
    }
  }

  private func taken(_ mailbox: Mailbox<RequestLine>) -> RequestLine? {
    if case .value(let value) = mailbox.take(until: .never) { value } else { nil }
  }

  /// - Returns: the code of the error, nil for success.
  private func code(_ server: FakeServer, _ coordinator: NSFileCoordinator = NSFileCoordinator()) async
    -> Int?
  {
    let location = Self.location(server)
    let result = await outcome {
      try coordinator.claim(reading: Self.url, .withoutChanges, at: location).finish()
    }
    guard case .failure(let error) = result, let failure = error as? CoordinationFailure else { return nil }
    return ErrorMapping.error(failure, url: Self.url).code
  }

  @Test func `says hello, asks, and finishes`() async throws {
    let seen = Mailbox<RequestLine>(limit: 16)
    let server = try Self.server(seen) { socket, request in
      try socket.reply(request) { reply in
        if request.verb == "coordinate" {
          reply.claim = 9
          reply.paths = [WirePath(bytes: Array("d/a.pdf".utf8))]
        }
      }
    }
    let coordinator = NSFileCoordinator()
    coordinator.purposeIdentifier = "p"
    #expect(await code(server, coordinator) == nil)
    let requests = try await blocking { (0..<3).compactMap { _ in taken(seen) } }
    #expect(requests.map(\.verb) == ["hello", "coordinate", "finish"])
    #expect(requests[0].app == Connections.appName())
    let intent = IntentLine(
      path: WirePath(bytes: Array("d/a.pdf".utf8)), kind: "read", options: ["withoutChanges"])
    #expect(requests[1].intents == [intent])
    #expect(requests[1].purpose == "p")
    #expect(requests[2].claim == 9)
  }

  @Test func `keeps the caller's URL unless the item has moved`() throws {
    let server = try Self.server { _, _ in }
    let location = Self.location(server)
    func current(_ paths: [String]?) -> String? {
      let paths = paths.map { $0.map { WirePath(bytes: Array($0.utf8)) } }
      let tagged = URL(string: "file:///m/d/%61.pdf") ?? Self.url
      return Claim.currentURL(paths, asked: tagged, location)?.absoluteString
    }
    #expect(current(nil) == "file:///m/d/%61.pdf")
    #expect(current(["d/a.pdf"]) == "file:///m/d/%61.pdf")
    #expect(current(["./d//a.pdf"]) == "file:///m/d/%61.pdf")
    #expect(current(["e/b c.pdf"]) == "file:///m/e/b%20c.pdf")
    #expect(current([]) == nil)
    #expect(current(["a", "b"]) == nil)
    #expect(current(["../a"]) == nil)
  }

  @Test func `that is refused has the refusal's code`() async throws {
    let server = try Self.server { socket, request in
      try socket.reply(request, ok: false) {
        $0.error = ErrorLine(code: "accessRevoked", errno: "EPERM", message: "access was revoked")
      }
    }
    #expect(await code(server) == 257)
  }

  @Test func `is 4099 without a provider, 4097 when it goes away, 4101 when it talks nonsense`() async throws
  {
    let gone = try FakeServer { _ in }
    gone.stop()
    #expect(await code(gone) == 4099)

    let leaving = try Self.server { socket, _ in throw ConnectionProblem.closed }
    #expect(await code(leaving) == 4097)

    let babbling = try Self.server { socket, _ in try socket.send(line: Array("what?\n".utf8)) }
    #expect(await code(babbling) == 4101)

    let empty = try Self.server { socket, request in try socket.reply(request) }
    #expect(await code(empty) == 4101)

    let older = try FakeServer { socket in
      try socket.reply(try socket.nextRequest())
      _ = try socket.nextRequest()
    }
    #expect(await code(older) == 4101)
  }

  @Test func `hands back a claim whose paths make no sense`() async throws {
    let seen = Mailbox<RequestLine>(limit: 16)
    let server = try Self.server(seen) { socket, request in
      try socket.reply(request) { reply in
        reply.claim = 9
        reply.paths = []
      }
    }
    #expect(await code(server) == 4101)
    let requests = try await blocking { (0..<3).compactMap { _ in taken(seen) } }
    #expect(requests.last?.verb == "finish" && requests.last?.claim == 9)
  }

  @Test func `is canceled in mid-wait from another thread`() async throws {
    let seen = Mailbox<RequestLine>(limit: 16)
    let server = try Self.server(seen) { _, _ in }
    let coordinator = NSFileCoordinator()
    async let result = code(server, coordinator)
    let asked = try await blocking { (0..<2).compactMap { _ in taken(seen) } }
    #expect(asked.last?.verb == "coordinate")
    coordinator.cancel()
    #expect(await result == 3072)
    let cancel = try await blocking { taken(seen) }
    #expect(cancel?.verb == "cancel" && cancel?.request == asked.last?.id)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `A process's connection` {
  @Test func `is made once and again when it was lost`() async throws {
    let connections = Connections()
    let hellos = Mailbox<Int>(limit: 16)
    let server = try FakeServer { socket in
      try socket.answerHello()
      hellos.put(1)
      for _ in 0..<2 { try socket.reply(try socket.nextRequest()) }
      _ = try socket.nextRequest()
    }
    let socket = server.socket
    let made = try await blocking {
      for _ in 0..<3 {
        for _ in 0..<2 {
          _ = try connections.begin(RequestLine(verb: "holds"), socket: socket).reply.wait()
        }
        // The third request is what the server hangs up on.
        let call = try connections.begin(RequestLine(verb: "holds"), socket: socket)
        guard (try? call.reply.wait()) == nil else { throw ConnectionProblem.malformed("answered") }
      }
      hellos.finish(.closed)
      var count = 0
      while case .value = hellos.take(until: .never) { count += 1 }
      return count
    }
    #expect(made == 3)
  }

  @Test func `speaks for the executable unless told otherwise`() {
    #expect(
      ProcessInfo.processInfo.environment["FAKEPROVIDER_APP"] != nil || Connections.appName().hasPrefix("/"))
  }
}
