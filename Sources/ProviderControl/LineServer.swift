import CLinux
import Glibc
import ProviderModel
import Synchronization

/// One accepted connection.
package struct ConnectionID: Hashable, Sendable {
  package let rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// What a server tells its owner, always on the server's own thread.
package protocol LineServerDelegate: AnyObject, Sendable {
  func connectionOpened(_ id: ConnectionID, process: Int32)
  func connection(_ id: ConnectionID, received line: [UInt8])
  func connectionClosed(_ id: ConnectionID)
  /// Everything that was sent has left; there is room for more.
  func connectionDrained(_ id: ConnectionID)
}

/// The listening end of a control socket: one thread, any number of clients, none of which can stop another.
///
/// Only the same user or root is served. A line longer than the protocol allows, or a client that does not read
/// its replies, ends that connection alone. Lock order: the server's lock is a leaf.
package final class LineServer: Sendable {
  /// Connections at once; a further one is told so and closed.
  package static let connectionLimit = 256
  /// Bytes that may wait for a client that does not read.
  package static let outboundLimit_bytes = 16 << 20
  /// Pushed messages wait while more than this has not left.
  package static let pushLimit_bytes = 1 << 20

  fileprivate struct Connection {
    var descriptor: Int32
    var inbound: [UInt8] = []
    var outbound: [UInt8] = []
    var waitsForRoom = false
    /// Nothing more is read; it closes when what is outbound has left.
    var isEnding = false
  }

  private struct State {
    var connections: [UInt64: Connection] = [:]
    var accepted: UInt64 = 1
    /// Connections with something new to send.
    var ready: [UInt64] = []
    var delegate: (any LineServerDelegate)?
  }

  private static let listenerTag: UInt64 = 0
  private static let wakeUpTag = UInt64.max

  private let state = Mutex(State())
  private let listener: Int32
  private let poll: Int32
  private let wakeUp: Int32
  private let checksPeers: Bool
  private let reserve = Mutex(clinux_openat(AT_FDCWD, "/dev/null", O_RDONLY))
  package let path: String

  /// Listens at `path`, which must not exist.
  /// - Parameter checksPeers: makes sure that a client's number is still its own (kernel 6.5).
  package init(path: String, checksPeers: Bool = false) throws(ConnectionProblem) {
    self.path = path
    self.checksPeers = checksPeers
    listener = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard listener >= 0, poll >= 0, wakeUp >= 0 else {
      throw .system(ErrnoName(number: errno), call: "socket")
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      guard bytes.count < buffer.count else { return false }
      buffer.copyBytes(from: bytes)
      return true
    }
    guard fits else { throw .pathTooLong(socket: path) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, listen(listener, 128) == 0 else {
      throw .system(ErrnoName(number: errno), call: "bind")
    }
    watch(listener, tag: LineServer.listenerTag)
    watch(wakeUp, tag: LineServer.wakeUpTag)
  }

  /// Serves on the calling thread, for ever.
  package func run(_ delegate: any LineServerDelegate) {
    state.withLock { $0.delegate = delegate }
    while true {
      var event = epoll_event()
      guard epoll_wait(poll, &event, 1, -1) == 1 else { continue }
      switch event.data.u64 {
      case LineServer.listenerTag: accept(delegate)
      case LineServer.wakeUpTag: sendReady(delegate)
      case let tag:
        let id = ConnectionID(tag)
        if event.events & EPOLLOUT.rawValue != 0 { flush(id, delegate) }
        if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
          receive(id, delegate)
        }
      }
    }
  }

  /// Sends bytes that are whole lines. Any thread; never blocks.
  package func send(_ bytes: [UInt8], to id: ConnectionID) {
    let isQueued = state.withLock { state in
      guard state.connections[id.rawValue] != nil else { return false }
      state.connections[id.rawValue]?.outbound += bytes
      state.ready.append(id.rawValue)
      return true
    }
    if isQueued { wake() }
  }

  /// Whether a pushed message may be added now; if not, `connectionDrained` says when.
  package func hasRoom(_ id: ConnectionID) -> Bool {
    state.withLock { state in
      guard let connection = state.connections[id.rawValue] else { return true }
      let isFree = connection.outbound.count < LineServer.pushLimit_bytes
      if !isFree { state.connections[id.rawValue]?.waitsForRoom = true }
      return isFree
    }
  }

  /// Removes the socket and sends what is outbound, as far as clients take it at once.
  package func shutDown() {
    unlink(path)
    // Under the lock, or the server's thread would send the same bytes again.
    state.withLock { state in
      for id in state.connections.keys {
        guard let connection = state.connections[id], !connection.outbound.isEmpty else { continue }
        _ = connection.outbound.withUnsafeBytes {
          Glibc.send(
            connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        state.connections[id]?.outbound = []
      }
    }
  }

  // MARK: - The server's thread

  private func watch(_ descriptor: Int32, tag: UInt64, writing: Bool = false, change: Bool = false) {
    var event = epoll_event(
      events: EPOLLIN.rawValue | (writing ? EPOLLOUT.rawValue : 0), data: epoll_data_t(u64: tag))
    epoll_ctl(poll, change ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event)
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  private func accept(_ delegate: any LineServerDelegate) {
    let descriptor = clinux_accept(listener)
    guard descriptor >= 0 else {
      if errno == EMFILE || errno == ENFILE { turnAwayWithoutDescriptors() }
      return
    }
    var process: Int32 = 0
    var user: UInt32 = 0
    let isKnown = clinux_peer_credentials(descriptor, &process, &user) == 0
    guard isKnown, user == 0 || user == geteuid() else {
      return turnAway(descriptor, "only user \(geteuid()) and root are served here")
    }
    let id: UInt64? = state.withLock { state in
      guard state.connections.count < LineServer.connectionLimit else { return nil }
      state.accepted += 1
      state.connections[state.accepted] = Connection(descriptor: descriptor)
      return state.accepted
    }
    guard let id else {
      return turnAway(descriptor, "\(LineServer.connectionLimit) clients are connected already")
    }
    let peer = checksPeers ? clinux_peer_pidfd(descriptor) : -1
    delegate.connectionOpened(ConnectionID(id), process: process)
    watch(descriptor, tag: id)
    guard peer >= 0 else { return }
    var waiting = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
    // It ended meanwhile: the number that the delegate looked up may be another's by now.
    if Glibc.poll(&waiting, 1, 0) != 0 { close(ConnectionID(id), delegate) }
    Glibc.close(peer)
  }

  /// Out of descriptors: a client that waits in the listener's queue would wake us for ever. The one that is kept
  /// for this is what it is told with.
  private func turnAwayWithoutDescriptors() {
    let kept = reserve.withLock { kept in
      defer { kept = -1 }
      return kept
    }
    guard kept >= 0 else { return }
    Glibc.close(kept)
    let descriptor = clinux_accept(listener)
    if descriptor >= 0 {
      turnAway(descriptor, "the provider has no file descriptor left; raise its limit (ulimit -n)")
    }
    reserve.withLock { $0 = clinux_openat(AT_FDCWD, "/dev/null", O_RDONLY) }
  }

  private func turnAway(_ descriptor: Int32, _ reason: String) {
    let reply = ReplyLine(id: nil, problem: RequestProblem(reason))
    if let line = try? LineCoding.line(reply) {
      line.withUnsafeBytes { _ = Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
    Glibc.close(descriptor)
  }

  private func receive(_ id: ConnectionID, _ delegate: any LineServerDelegate) {
    guard let descriptor = state.withLock({ $0.connections[id.rawValue]?.descriptor }) else { return }
    var lines: [[UInt8]] = []
    // A little at a time: epoll goes round, so that one who floods us does not keep the others waiting.
    let outcome: Int = withUnsafeTemporaryAllocation(byteCount: 1 << 12, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 {
        lines = state.withLock { $0.connections[id.rawValue]?.takeLines(after: buffer[..<count]) ?? [] }
      }
      return count
    }
    if outcome < 0, errno == EAGAIN || errno == EINTR { return }
    if outcome <= 0 {
      // It may have asked and closed its sending half: what is answered already it gets.
      flush(id, delegate)
      return close(id, delegate)
    }
    var isTooLong = false
    for line in lines where !isTooLong {
      isTooLong = line.count > LineCoding.limit_bytes
      if !isTooLong { delegate.connection(id, received: line) }
    }
    isTooLong = isTooLong || isTooLongSoFar(id)
    if isTooLong { end(id, "a line is longer than \(LineCoding.limit_bytes) bytes", delegate) }
  }

  private func isTooLongSoFar(_ id: ConnectionID) -> Bool {
    state.withLock { ($0.connections[id.rawValue]?.inbound.count ?? 0) > LineCoding.limit_bytes }
  }

  /// Says why, and closes when that has left.
  private func end(_ id: ConnectionID, _ reason: String, _ delegate: any LineServerDelegate) {
    guard let line = try? LineCoding.line(ReplyLine(id: nil, problem: RequestProblem(reason))) else {
      return close(id, delegate)
    }
    state.withLock { state in
      state.connections[id.rawValue]?.outbound += line
      state.connections[id.rawValue]?.isEnding = true
      state.connections[id.rawValue]?.inbound = []
    }
    flush(id, delegate)
  }

  private func sendReady(_ delegate: any LineServerDelegate) {
    var count: UInt64 = 0
    _ = read(wakeUp, &count, 8)
    let ready = state.withLock { state in
      defer { state.ready = [] }
      return state.ready
    }
    for id in ready { flush(ConnectionID(id), delegate) }
  }

  private func flush(_ id: ConnectionID, _ delegate: any LineServerDelegate) {
    enum Result { case gone, close, drained, keepsWaiting(Bool) }
    let result: Result = state.withLock { state in
      guard var connection = state.connections[id.rawValue] else { return .gone }
      defer { state.connections[id.rawValue] = connection }
      guard connection.outbound.count <= LineServer.outboundLimit_bytes else { return .close }
      let sent = connection.outbound.withUnsafeBytes {
        $0.isEmpty
          ? 0
          : Glibc.send(
            connection.descriptor, $0.baseAddress, $0.count,
            Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if sent < 0, errno != EAGAIN, errno != EINTR { return .close }
      if sent > 0 { connection.outbound.removeFirst(sent) }
      if !connection.outbound.isEmpty {
        watch(connection.descriptor, tag: id.rawValue, writing: true, change: true)
        return .keepsWaiting(true)
      }
      watch(connection.descriptor, tag: id.rawValue, change: true)
      if connection.isEnding { return .close }
      defer { connection.waitsForRoom = false }
      return connection.waitsForRoom ? .drained : .keepsWaiting(false)
    }
    switch result {
    case .gone, .keepsWaiting: break
    case .close: close(id, delegate)
    case .drained: delegate.connectionDrained(id)
    }
  }

  private func close(_ id: ConnectionID, _ delegate: any LineServerDelegate) {
    guard let connection = state.withLock({ $0.connections.removeValue(forKey: id.rawValue) }) else { return }
    epoll_ctl(poll, EPOLL_CTL_DEL, connection.descriptor, nil)
    Glibc.close(connection.descriptor)
    delegate.connectionClosed(id)
  }
}

extension LineServer.Connection {
  fileprivate mutating func takeLines(after bytes: Slice<UnsafeMutableRawBufferPointer>) -> [[UInt8]] {
    if isEnding { return [] }
    inbound += bytes
    var lines: [[UInt8]] = []
    var start = 0
    // What was there before holds no newline.
    var search = inbound.count - bytes.count
    while let newline = inbound[search...].firstIndex(of: 0x0A) {
      lines.append(Array(inbound[start..<newline]))
      start = newline + 1
      search = start
    }
    if start > 0 { inbound.removeFirst(start) }
    return lines
  }
}
