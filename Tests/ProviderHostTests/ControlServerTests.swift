import FakeServer
import Foundation
import Glibc
import ProviderControl
import ProviderHost
import ProviderModel
import Testing

@Suite struct `The control server` {
  private func text(_ line: [UInt8]?) -> String { String(decoding: line ?? [], as: UTF8.self) }

  private static let nested = String(repeating: "[", count: 200_000)

  @Test(
    arguments: [
      ("hello", nil), ("{}", nil), ("[]", nil), ("{\"id\":1", nil), ("null", nil), ("\u{0}\u{1}", nil),
      (nested, nil), ("{\"id\":\"x\",\"verb\":\"holds\"}", nil), ("{\"id\":1e400,\"verb\":\"holds\"}", nil),
      ("{\"id\":7}", 7), ("{\"id\":7,\"verb\":5}", 7), ("{\"id\":7,\"verb\":\"status\",\"paths\":\"a\"}", 7),
      ("{\"id\":7,\"verb\":\"start\"}", 7), ("{\"id\":7,\"verb\":\"status\",\"path\":\"../x\"}", 7),
      ("{\"id\":7,\"verb\":\"finish\",\"claim\":-1}", 7), ("{\"id\":7,\"verb\":\"statos\"}", 7),
    ] as [(String, Int?)])
  func `answers what is no request with an error, and goes on`(line: String, id: Int?) async throws {
    let provider = try TestProvider()
    let socket = try provider.socket()
    let (bad, good) = try await blocking {
      try socket.send(line: Array(line.utf8) + [0x0A])
      let bad = try socket.receive(ReplyLine.self)
      try socket.send(request("holds"))
      return (bad, try socket.receive(ReplyLine.self))
    }
    #expect(bad?.ok == false && bad?.id == id)
    #expect(bad?.error?.code == "badRequest")
    if line.contains("statos") { #expect(bad?.error?.message.contains("\"status\"") == true) }
    #expect(good?.ok == true)
  }

  @Test func `takes bytes that are no text for no request`() async throws {
    let provider = try TestProvider()
    let socket = try provider.socket()
    let reply = try await blocking {
      // Blank lines are nothing at all.
      try socket.send(line: [0x0A, 0x20, 0x0D, 0x0A, 0xFF, 0xFE, 0x0A])
      return try socket.receive(ReplyLine.self)
    }
    #expect(reply?.error?.code == "badRequest")
  }

  @Test func `waits for the rest of a message, and serves others meanwhile`() async throws {
    let provider = try TestProvider()
    let (socket, other) = (try provider.socket(), try provider.client())
    let reply = try await blocking {
      for piece in ["{\"id\":", "5,\"ve", "rb\":\"holds\"", "}"] {
        try socket.send(line: Array(piece.utf8))
        try other.call(request("holds"))
      }
      try socket.send(line: [0x0A])
      return try socket.receive(ReplyLine.self)
    }
    #expect(reply?.id == 5 && reply?.ok == true)
  }

  @Test(arguments: [0, 1, 70_000], [true, false])
  func `ends a connection whose line is too long, and no other`(more: Int, ends: Bool) async throws {
    let provider = try TestProvider()
    let (socket, other) = (try provider.socket(), try provider.client())
    let length = LineCoding.limit_bytes + 1 + more
    let (reply, end) = try await blocking {
      _ = try? socket.send(line: [UInt8](repeating: 0x78, count: length) + (ends ? [0x0A] : []))
      return (try socket.receive(ReplyLine.self), try socket.receiveLine())
    }
    #expect(reply?.error?.message.contains("longer") == true)
    #expect(end == nil)
    _ = try await blocking { try other.call(request("holds")) }
  }

  @Test func `takes a line of just the longest`() async throws {
    let provider = try TestProvider()
    let socket = try provider.socket()
    let reply = try await blocking {
      let start = Array("{\"id\":3,\"verb\":\"holds\",\"ignored\":\"".utf8)
      let end = Array("\"}".utf8)
      let padding = [UInt8](repeating: 0x78, count: LineCoding.limit_bytes - start.count - end.count)
      try socket.send(line: start + padding + end + [0x0A])
      return try socket.receive(ReplyLine.self)
    }
    #expect(reply?.id == 3 && reply?.ok == true)
  }

  @Test func `turns away the 257th client, and takes another when one has left`() async throws {
    let provider = try TestProvider()
    let path = Array(provider.path.utf8)
    try await blocking {
      var clients: [Client] = []
      for _ in 0..<LineServer.connectionLimit {
        let client = try Client(connectingTo: path)
        try client.call(request("holds"))
        clients.append(client)
      }
      let extra = try LineSocket.connect(path: path)
      let refusal = try extra.receive(ReplyLine.self)
      #expect(refusal?.error?.message.contains("256") == true)
      #expect(try extra.receiveLine() == nil)
      clients[17].close()
      // Each try is a round trip to the server, which sees the end of the other within a few of them.
      var isTaken = false
      for _ in 0..<10_000 where !isTaken {
        isTaken = (try? Client(connectingTo: path).call(request("holds"))) != nil
      }
      #expect(isTaken)
      try clients[200].call(request("holds"))
    }
  }

  @Test func `ends a client that never reads, and serves the others`() async throws {
    var files: [String: Int64] = [:]
    for number in 0..<2_000 { files["file number \(number)"] = 1 }
    let provider = try TestProvider(files)
    let (socket, other) = (try provider.socket(), try provider.client())
    let all = Array(files.keys)
    try await blocking {
      let ask = request("status") { $0.paths = all.map { WirePath(bytes: Array($0.utf8)) } }
      let line = try LineCoding.line(ask)
      var end: ConnectionProblem?
      var sent = 0
      // Each answer is some 300 kB; the server keeps 16 MiB of them.
      while end == nil, sent < 1_000 {
        do throws(ConnectionProblem) {
          try socket.send(line: line, timeout: .seconds(30))
          sent += 1
          if sent % 10 == 0 { _ = try other.send(request("holds")) }
        } catch {
          end = error
        }
      }
      #expect(end == .closed)
      #expect(sent > 30)
      try other.call(request("holds"))
    }
  }

  @Test func `gives several clients at once each its own answers`() async throws {
    let provider = try TestProvider()
    let path = Array(provider.path.utf8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask {
          try await blocking {
            let client = try Client(connectingTo: path)
            for step in 0..<50 {
              let hold = request("hold", "a") {
                $0.operation = "open"
                $0.name = "\(index).\(step)"
              }
              #expect(try client.call(hold).name == "\(index).\(step)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let holds = try await blocking { try provider.client().call(request("holds")).holds }
    #expect(holds?.count == 400)
  }

  @Test func `answers one that has closed its sending half`() async throws {
    let provider = try TestProvider()
    let descriptor = try provider.rawSocket()
    defer { close(descriptor) }
    let received = try await blocking {
      let line = Array("{\"id\":4,\"verb\":\"holds\"}\n".utf8)
      #expect(write(descriptor, line, line.count) == line.count)
      shutdown(descriptor, Int32(SHUT_WR))
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
      return bytes
    }
    #expect(text(received).contains("\"id\":4") && text(received).contains("\"ok\":true"))
  }
}
