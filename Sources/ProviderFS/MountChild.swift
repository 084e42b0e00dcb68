import CLinux
import Glibc
import ProviderControl
import ProviderHost
import ProviderModel
import Synchronization

/// The process of ours that makes remote changes through the mount, so that whoever watches sees them. It starts
/// with the first one and ends with the provider, however that ends.
final class MountChild: Sendable {
  /// Starts the child with one end of a socket.
  typealias Start = @Sendable (_ socket: Int32) throws -> Int32

  private struct State {
    var socket: LineSocket?
    /// What it was told and has not answered yet.
    var told: Set<UInt64> = []
  }

  private let start: Start
  private let done: @Sendable (RemoteID, ErrnoName?) -> Void
  private let state = Mutex(State())
  /// 0 while there is none. It is not reaped before this is 0, so that the number is nobody else's.
  private let process = Atomic<Int32>(0)

  init(start: @escaping Start, done: @escaping @Sendable (RemoteID, ErrnoName?) -> Void) {
    self.start = start
    self.done = done
  }

  func isCaller(_ caller: Caller) -> Bool {
    let number = process.load(ordering: .relaxed)
    return number > 0 && caller.process?.number == number
  }

  /// Has the change made; `done` is called when it is, or when it cannot be.
  func make(_ id: RemoteID, _ action: MountAction) {
    let problem = state.withLock { state -> ErrnoName? in
      do {
        let socket = try state.socket ?? begin(&state)
        state.told.insert(id.rawValue)
        try socket.send(ChildRequest(id, action))
        return nil
      } catch {
        state.told.remove(id.rawValue)
        return (error as? ConnectionProblem) == .lineTooLong ? .ENAMETOOLONG : .EIO
      }
    }
    if let problem { done(id, problem) }
  }

  /// Ends it, and waits until it is gone, but no longer than a second.
  func end() {
    let number = process.load(ordering: .relaxed)
    guard number > 0 else { return }
    let descriptor = clinux_pidfd_open(number)
    kill(number, SIGKILL)
    if descriptor >= 0 {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, 1000)
      close(descriptor)
    }
  }

  // MARK: -

  private func begin(_ state: inout State) throws -> LineSocket {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      throw SystemError("cannot make a socket")
    }
    let ours = LineSocket(adopting: ends[0])
    defer { close(ends[1]) }
    let number = try start(ends[1])
    process.store(number, ordering: .relaxed)
    state.socket = ours
    Threads.start("child") { [self] in listen(to: ours, of: number) }
    return ours
  }

  /// Until the child ends, for whatever reason; the next change starts another.
  private func listen(to socket: LineSocket, of number: Int32) {
    while let reply = try? socket.receive(ChildReply.self) {
      guard state.withLock({ $0.told.remove(reply.id) }) != nil else { continue }
      done(RemoteID(reply.id), reply.errno.map { ErrnoName(rawValue: $0) ?? .EIO })
    }
    let lost = state.withLock { state in
      state.socket = nil
      defer { state.told = [] }
      return state.told
    }
    process.store(0, ordering: .relaxed)
    kill(number, SIGKILL)
    while waitpid(number, nil, 0) < 0, errno == EINTR {}
    for id in lost.sorted() { done(RemoteID(id), .EIO) }
  }
}

/// What the child is told; paths are relative to the mountpoint.
struct ChildRequest: Codable {
  enum Kind: String, Codable { case write, create, makeDirectory, move, delete }
  var id: UInt64
  var kind: Kind
  var path: WirePath
  var to: WirePath?

  init(_ id: RemoteID, _ action: MountAction) {
    self.id = id.rawValue
    let path: ItemPath
    switch action {
    case .write(let written): (kind, path) = (.write, written)
    case .create(let created): (kind, path) = (.create, created)
    case .makeDirectory(let made): (kind, path) = (.makeDirectory, made)
    case .delete(let deleted): (kind, path) = (.delete, deleted)
    case .move(let moved, let target):
      (kind, path) = (.move, moved)
      to = WirePath(target)
    }
    self.path = WirePath(path)
  }
}

/// The errno's name; nil when it is done.
struct ChildReply: Codable {
  var id: UInt64
  var errno: String?
}
