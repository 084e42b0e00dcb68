import Foundation
import Glibc
package import ProviderControl
import ProviderModel
import Synchronization

/// A listening socket in a temporary directory; each connection is served on a thread of its own by the test's
/// closure, and closed when that returns.
package final class FakeServer: Sendable {
  package let path: String
  package var socket: [UInt8] { Array(path.utf8) }
  private let listener: Int32
  private let directory: TemporaryDirectory
  private let stopped = Mutex(false)

  package init(_ serve: @escaping @Sendable (LineSocket) throws -> Void) throws {
    directory = try TemporaryDirectory()
    let path = directory.path + "/socket"
    let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    (self.path, self.listener) = (path, listener)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, listen(listener, 16) == 0 else {
      throw ConnectionProblem.system(ErrnoName(number: errno), call: "bind")
    }
    Thread {
      while true {
        let connection = accept(listener, nil, nil)
        // What shutdown makes of a listener; only then may its number become another's.
        if connection < 0, errno == EINVAL { break }
        guard connection >= 0 else { continue }
        let socket = LineSocket(adopting: connection)
        Thread {
          try? serve(socket)
          socket.shutDown()
        }.start()
      }
      close(listener)
    }.start()
  }

  deinit { stop() }

  /// Nobody listens any more; the socket's file stays, as after a crash.
  package func stop() {
    // Once: afterwards the number may be another test's socket.
    let isFirst = stopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
  }
}

extension LineSocket {
  /// The next request, or an error at the end.
  package func nextRequest() throws -> RequestLine {
    guard let request = try receive(RequestLine.self) else { throw ConnectionProblem.closed }
    return request
  }

  package func reply(
    _ request: RequestLine, ok: Bool = true, _ change: (inout ReplyLine) -> Void = { _ in }
  ) throws {
    var reply = ReplyLine(id: request.id, ok: ok)
    change(&reply)
    try send(reply)
  }

  /// Answers what every ScopedAccess connection begins with.
  @discardableResult package func answerHello() throws -> RequestLine {
    let hello = try nextRequest()
    let provider =
      #"{"mountpoint":"/m","socket":"","pid":1,"profile":"instant","source":"","mode":"device","seed":1,"#
      + #""version":"0","protocolVersion":1}"#
    try send(line: Array(#"{"id":\#(hello.id),"ok":true,"provider":\#(provider)}"#.utf8) + [0x0A])
    return hello
  }
}

package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    // Short, since a socket's path has 107 bytes at most.
    let template = NSTemporaryDirectory() + "/ptXXXXXX"
    var bytes = Array(template.utf8CString)
    guard mkdtemp(&bytes) != nil else {
      throw ConnectionProblem.system(ErrnoName(number: errno), call: "mkdtemp")
    }
    // The real path: a link on the way would be resolved by what is tested.
    let made = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    path = URL(fileURLWithPath: made).resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Runs blocking work on a thread of its own; tests must not block Swift's cooperative pool.
package func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}

/// The same, for work whose failure is what is asked about.
package func outcome<Value: Sendable>(
  of body: @escaping @Sendable () throws -> Value
) async -> Result<Value, any Error> {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: Result { try body() }) }.start()
  }
}

extension Result {
  package var problem: ConnectionProblem? {
    if case .failure(let error) = self { error as? ConnectionProblem } else { nil }
  }
  package var value: Success? { try? get() }
}
