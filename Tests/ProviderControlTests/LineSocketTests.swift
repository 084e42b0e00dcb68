import FakeServer
import Foundation
import Glibc
@testable import ProviderControl
import Testing

private func pair() throws -> (LineSocket, LineSocket) {
  var ends: [Int32] = [0, 0]
  try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
  return (LineSocket(adopting: ends[0]), LineSocket(adopting: ends[1]))
}

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite(.timeLimit(.minutes(10))) struct `A line socket` {
  @Test func `tells lines apart however they arrive`() async throws {
    let (here, there) = try pair()
    let lines = try await blocking {
      try there.send(line: bytes("one\ntwo\n\nthr"))
      try there.send(line: bytes("ee\nhalf"))
      there.shutDown()
      var lines: [String] = []
      while let line = try here.receiveLine() { lines.append(String(decoding: line, as: UTF8.self)) }
      return lines
    }
    #expect(lines == ["one", "two", "", "three"])
  }

  @Test func `keeps half a line over a timeout`() async throws {
    let (here, there) = try pair()
    try there.send(line: bytes("ha"))
    let early = await outcome { try here.receiveLine(timeout: .milliseconds(5)) }
    #expect(early.problem == .timedOut)
    try there.send(line: bytes("lf\n"))
    #expect(try await blocking { try here.receiveLine() } == bytes("half"))
  }

  @Test func `refuses a line of more than a mebibyte`() async throws {
    let (here, there) = try pair()
    async let sent = outcome {
      try there.send(line: [UInt8](repeating: 0x78, count: LineCoding.limit_bytes) + [0x0A])
      try there.send(line: [UInt8](repeating: 0x78, count: LineCoding.limit_bytes + 1) + [0x0A])
    }
    let longest = try await blocking { try here.receiveLine() }
    #expect(longest?.count == LineCoding.limit_bytes)
    let tooLong = await outcome { try here.receiveLine() }
    #expect(tooLong.problem == .lineTooLong)
    here.shutDown()
    _ = await sent
  }

  @Test func `gives up sending to one that does not read`() async throws {
    let (here, there) = try pair()
    let sent = await outcome {
      let line = [UInt8](repeating: 0x78, count: LineCoding.limit_bytes) + [0x0A]
      while true { try here.send(line: line, timeout: .milliseconds(5)) }
    }
    #expect(sent.problem == .timedOut)
    withExtendedLifetime(there) {}
  }

  @Test func `does not die of a closed other end`() async throws {
    let (here, there) = try pair()
    there.shutDown()
    #expect(throws: ConnectionProblem.closed) { try here.send(line: bytes("x\n")) }
    #expect(try await blocking { try here.receiveLine() } == nil)
  }

  @Test func `wakes its receiver when it is shut down`() async throws {
    let (here, there) = try pair()
    async let received = blocking { try here.receiveLine() }
    here.shutDown()
    #expect(try await received == nil)
    withExtendedLifetime(there) {}
  }

  @Test func `never mixes the lines of two senders`() async throws {
    let (here, there) = try pair()
    let long = 300_000
    for letter in [UInt8(0x61), 0x62] {
      Thread {
        for _ in 0..<10 {
          try? there.send(line: [UInt8](repeating: letter, count: long) + [0x0A])
        }
      }.start()
    }
    let lines = try await blocking {
      try (0..<20).map { _ in try here.receiveLine() ?? [] }
    }
    for line in lines { #expect(line.count == long && Set(line).count == 1) }
  }

  @Test func `says who is at the other end`() throws {
    let server = try FakeServer { _ in }
    let socket = try LineSocket.connect(path: server.socket)
    #expect(socket.peer?.process == getpid())
    #expect(socket.peer?.user == geteuid())
  }

  @Test func `says why there is none`() throws {
    let directory = try TemporaryDirectory()
    let missing = directory.path + "/missing"
    #expect(throws: ConnectionProblem.notRunning(socket: missing)) {
      try LineSocket.connect(path: bytes(missing))
    }
    let server = try FakeServer { _ in }
    server.stop()
    #expect(throws: ConnectionProblem.notRunning(socket: server.path)) {
      try LineSocket.connect(path: server.socket)
    }
    let long = "/" + String(repeating: "x", count: 107)
    #expect(throws: ConnectionProblem.pathTooLong(socket: long)) { try LineSocket.connect(path: bytes(long)) }
  }

  @Test func `is closed on exec`() throws {
    let server = try FakeServer { _ in }
    let socket = try LineSocket.connect(path: server.socket)
    #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }
}

@Suite struct `The runtime directory` {
  private let parent: TemporaryDirectory
  init() throws { parent = try TemporaryDirectory() }

  private func prepared(runtime: String?, user: UInt32 = geteuid()) throws -> String {
    try RuntimeDirectory.prepared(runtimeDirectory: runtime, fallbackParent: parent.path, user: user)
  }
  private var fallback: String { "\(parent.path)/fakeprovider-\(geteuid())" }
  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `is in XDG_RUNTIME_DIR if that is ours`() throws {
    let path = try prepared(runtime: parent.path)
    #expect(path == parent.path + "/fakeprovider")
    #expect(try mode(path) == 0o700)
    #expect(try prepared(runtime: parent.path) == path)
  }

  @Test(arguments: [nil, "", "relative", "/nowhere/at/all", "/dev/null"] as [String?])
  func `is a private one of ours otherwise`(runtime: String?) throws {
    #expect(try prepared(runtime: runtime) == fallback)
    #expect(try mode(fallback) == 0o700)
  }

  @Test func `is never a link, a file, or open to others`() throws {
    let manager = FileManager.default
    let elsewhere = parent.path + "/elsewhere"
    try manager.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
    try manager.createSymbolicLink(atPath: fallback, withDestinationPath: elsewhere)
    #expect(throws: RuntimeDirectoryProblem.self) { try prepared(runtime: nil) }
    try manager.removeItem(atPath: fallback)
    #expect(manager.createFile(atPath: fallback, contents: nil))
    #expect(throws: RuntimeDirectoryProblem.self) { try prepared(runtime: nil) }
    try manager.removeItem(atPath: fallback)
    try manager.createDirectory(
      atPath: fallback, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    #expect(chmod(fallback, 0o755) == 0)
    let error = #expect(throws: RuntimeDirectoryProblem.self) { try prepared(runtime: nil) }
    #expect(error?.description.contains("chmod 700") == true)
  }

  @Test func `is never another user's`() throws {
    let other = geteuid() + 1
    try FileManager.default.createDirectory(
      atPath: "\(parent.path)/fakeprovider-\(other)", withIntermediateDirectories: false)
    // As root the directory is ours, and so not the other user's.
    #expect(throws: RuntimeDirectoryProblem.self) { try prepared(runtime: parent.path, user: other) }
  }
}
