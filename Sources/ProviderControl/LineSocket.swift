import CLinux
import Glibc
import ProviderModel
import Synchronization

/// A connected unix stream socket that carries lines.
///
/// Any thread may send; lines never mix. One thread receives at a time. `shutDown()` from any thread makes a
/// blocked receive return; the descriptor is closed when the last reference is gone, so its number can never be
/// somebody else's while a thread is still in a system call with it.
package final class LineSocket: Sendable {
  /// Closed on exec.
  let descriptor: Int32
  private let sending = Mutex(())
  private let received = Mutex(Received())

  private struct Received {
    var bytes: [UInt8] = []
    /// Where the next line begins.
    var start = 0
    /// How far it is known to hold no newline.
    var searched = 0
  }

  /// Takes over a connected socket.
  package init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Connects to the socket at `path`.
  /// - Parameter timeout: real time that a listener with a full queue is given.
  package static func connect(
    path: [UInt8], timeout: Duration = .seconds(10)
  ) throws(ConnectionProblem) -> LineSocket {
    let name = String(decoding: path, as: UTF8.self)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(ErrnoName(number: errno), call: "socket") }
    let connection = LineSocket(adopting: descriptor)

    let (seconds, attoseconds) = timeout.components
    // connect(2) on a unix socket waits at most this long for room in the listener's queue.
    var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))

    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      guard path.count < buffer.count, !path.contains(0) else { return false }
      buffer.copyBytes(from: path)
      return true
    }
    guard fits else { throw .pathTooLong(socket: name) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      switch errno {
      case ENOENT, ECONNREFUSED, ENOTDIR: throw .notRunning(socket: name)
      case EACCES, EPERM: throw .refused(socket: name)
      case EAGAIN, EINTR: throw .timedOut
      case let number: throw .system(ErrnoName(number: number), call: "connect")
      }
    }
    return connection
  }

  /// The process and user at the other end when it connected (or listened); nil if the kernel will not say.
  package var peer: (process: Int32, user: UInt32)? {
    var process: Int32 = 0
    var user: UInt32 = 0
    return clinux_peer_credentials(descriptor, &process, &user) == 0 ? (process, user) : nil
  }

  /// Ends both directions: receivers here and there see the end.
  package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sends a message as one whole line.
  package func send(
    _ message: some Encodable, timeout: Duration? = nil
  ) throws(ConnectionProblem) {
    try send(line: LineCoding.line(message), timeout: timeout)
  }

  /// Sends bytes that end with a newline. A timeout in the middle of a line ends the connection, since what
  /// follows could not be told from the rest of it.
  package func send(line: [UInt8], timeout: Duration? = nil) throws(ConnectionProblem) {
    let deadline = RealDeadline(in: timeout)
    let problem: ConnectionProblem? = sending.withLock { _ in
      var sent = 0
      while sent < line.count {
        // MSG_NOSIGNAL: an app must not die of SIGPIPE because its provider is gone.
        let count = line[sent...].withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count >= 0 {
          sent += count
          continue
        }
        switch errno {
        case EINTR: continue
        case EAGAIN:
          guard wait(for: Int16(POLLOUT), until: deadline) else {
            if sent > 0 { shutDown() }
            return .timedOut
          }
        case EPIPE, ECONNRESET, ENOTCONN: return .closed
        case let number: return .system(ErrnoName(number: number), call: "send")
        }
      }
      return nil
    }
    if let problem { throw problem }
  }

  /// Receives one message. See ``receiveLine(timeout:)``.
  package func receive<Message: Decodable>(
    _ type: Message.Type, timeout: Duration? = nil
  ) throws(ConnectionProblem) -> Message? {
    guard let line = try receiveLine(timeout: timeout) else { return nil }
    return try LineCoding.message(type, from: line)
  }

  /// Receives one line, without its newline. Blocks the calling thread.
  /// - Returns: nil at the end; half a line before the end is dropped.
  /// - Throws: `timedOut` (what has arrived is kept for the next call), `lineTooLong`, `system`.
  package func receiveLine(timeout: Duration? = nil) throws(ConnectionProblem) -> [UInt8]? {
    let deadline = RealDeadline(in: timeout)
    let outcome: Result<[UInt8]?, ConnectionProblem> = received.withLock { received in
      while true {
        let line = Self.takeLine(&received)
        let length = line?.count ?? (received.bytes.count - received.start)
        if length > LineCoding.limit_bytes { return .failure(.lineTooLong) }
        if let line { return .success(line) }
        guard wait(for: Int16(POLLIN), until: deadline) else { return .failure(.timedOut) }
        let count = Self.receiveSome(descriptor, &received)
        if count > 0 { continue }
        if count == 0 { return .success(nil) }
        switch errno {
        case EINTR, EAGAIN: continue
        case ECONNRESET: return .success(nil)
        case let number: return .failure(.system(ErrnoName(number: number), call: "recv"))
        }
      }
    }
    return try outcome.get()
  }

  private static func takeLine(_ received: inout Received) -> [UInt8]? {
    guard let end = received.bytes[received.searched...].firstIndex(of: 0x0A) else {
      // Moved only here, once per chunk: a chunk may hold hundreds of lines.
      received.bytes.removeFirst(received.start)
      received.start = 0
      received.searched = received.bytes.count
      return nil
    }
    let line = Array(received.bytes[received.start..<end])
    received.start = end + 1
    received.searched = end + 1
    return line
  }

  private static func receiveSome(_ descriptor: Int32, _ received: inout Received) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { received.bytes.append(contentsOf: buffer[..<count]) }
      return count
    }
  }

  private func wait(for events: Int16, until deadline: RealDeadline) -> Bool {
    while true {
      var entry = pollfd(fd: descriptor, events: events, revents: 0)
      // An error or a hangup counts as ready: the call that follows tells which.
      if poll(&entry, 1, deadline.remaining_ms) > 0 { return true }
      if deadline.hasPassed { return false }
    }
  }
}
