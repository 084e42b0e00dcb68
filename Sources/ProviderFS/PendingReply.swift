import CFuse
import Glibc
import ProviderControl
import ProviderModel
import Synchronization

/// The right to answer one kernel request, exactly once. Dropping it answers EIO: a bug shows as an error,
/// never as a reader that hangs.
///
/// Sound as Sendable: libfuse lets any thread answer, and there is only ever one of these for a request.
struct PendingReply: ~Copyable, @unchecked Sendable {
  private let request: OpaquePointer

  init(_ request: OpaquePointer) { self.request = request }

  deinit { _ = cfuse_reply_error(request, EIO) }

  consuming func fail(_ error: ErrnoName) {
    _ = cfuse_reply_error(request, error.number)
    discard self
  }

  consuming func done() {
    _ = cfuse_reply_error(request, 0)
    discard self
  }

  consuming func bytes(_ bytes: UnsafeRawBufferPointer) {
    _ = cfuse_reply_bytes(request, bytes.baseAddress, bytes.count)
    discard self
  }

  consuming func bytes(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { cfuse_reply_bytes(request, $0.baseAddress, $0.count) }
    discard self
  }

  consuming func length(_ count: Int) {
    _ = cfuse_reply_xattr_size(request, count)
    discard self
  }

  consuming func target(_ target: [CChar]) {
    _ = cfuse_reply_target(request, target)
    discard self
  }

  consuming func attributes(_ attributes: cfuse_attributes) {
    withUnsafePointer(to: attributes) { _ = cfuse_reply_attributes(request, $0) }
    discard self
  }

  /// - Returns: false when the kernel did not take it, and so counts no lookup.
  consuming func entry(_ node: NodeID, _ attributes: cfuse_attributes) -> Bool {
    let result = withUnsafePointer(to: attributes) {
      cfuse_reply_entry(request, node.rawValue, UInt64(node.generation), $0)
    }
    discard self
    return result == 0
  }

  consuming func opened(_ handle: HandleID, directIO: Bool) {
    _ = cfuse_reply_open(request, handle.rawValue, directIO)
    discard self
  }

  consuming func statistics(_ statistics: cfuse_statistics) {
    withUnsafePointer(to: statistics) { _ = cfuse_reply_statistics(request, $0) }
    discard self
  }

  /// - Returns: how many of the rows the kernel took.
  consuming func directory(_ rows: [DirectoryRow], plus: Bool) -> Int {
    let capacity = rows.reduce(0) { $0 + cfuse_entry_bytes($1.name.count, plus) }
    guard let buffer = cfuse_thread_buffer(max(capacity, 1)) else {
      _ = cfuse_reply_error(request, ENOMEM)
      discard self
      return 0
    }
    var used = 0
    for row in rows {
      var attributes = cfuse_attributes(row.attributes)
      let name = row.name.map(CChar.init(bitPattern:)) + [0]
      used += cfuse_add_entry(
        request, buffer + used, capacity - used, name, row.node?.rawValue ?? 0,
        UInt64(row.node?.generation ?? 0), &attributes, row.next, plus)
    }
    let result = cfuse_reply_bytes(request, buffer, used)
    discard self
    return result == 0 ? rows.count : 0
  }
}

/// The requests that nobody has answered yet. Taking one out is the claim to answer it.
final class PendingReplies: Sendable {
  private struct Entry {
    var request: OpaquePointer?
    var serial: UInt64 = 0
    /// The model knows it; an interrupt may be told.
    var isAdmitted = false
    /// The kernel interrupted it before the model knew it.
    var wasInterrupted = false
  }

  /// Sound: the pointers stand for requests that any thread may answer, and the lock gives each to one only.
  private struct State: @unchecked Sendable {
    var entries: [Entry] = []
    var free: [Int] = []
    var serial: UInt64 = 0
  }

  /// Room for a million requests at once; the rest of the number says which one it was.
  private static let indexBits: UInt64 = 20
  private let state = Mutex(State())

  func add(_ request: OpaquePointer) -> RequestID {
    nonisolated(unsafe) let request = request  // handed over whole: see State
    return state.withLock { state in
      state.serial += 1
      let entry = Entry(request: request, serial: state.serial)
      let index: Int
      if let reused = state.free.popLast() {
        index = reused
        state.entries[index] = entry
      } else {
        index = state.entries.count
        state.entries.append(entry)
      }
      return RequestID(state.serial << PendingReplies.indexBits | UInt64(index))
    }
  }

  func take(_ id: RequestID) -> PendingReply? {
    let found: UInt? = state.withLock { state in
      guard let index = index(of: id, in: state), let request = state.entries[index].request else {
        return nil
      }
      state.entries[index].request = nil
      state.free.append(index)
      return UInt(bitPattern: request)
    }
    return found.flatMap { OpaquePointer(bitPattern: $0) }.map { PendingReply($0) }
  }

  /// The model knows the request now.
  /// - Returns: whether it was interrupted before, so that the model must be told.
  func admit(_ id: RequestID) -> Bool {
    state.withLock { state in
      guard let index = index(of: id, in: state) else { return false }
      state.entries[index].isAdmitted = true
      return state.entries[index].wasInterrupted
    }
  }

  /// - Returns: whether to tell the model now.
  func interrupt(_ id: RequestID) -> Bool {
    state.withLock { state in
      guard let index = index(of: id, in: state) else { return false }
      state.entries[index].wasInterrupted = true
      return state.entries[index].isAdmitted
    }
  }

  private func index(of id: RequestID, in state: State) -> Int? {
    let index = Int(id.rawValue & (1 << PendingReplies.indexBits - 1))
    guard index < state.entries.count, state.entries[index].request != nil,
      state.entries[index].serial == id.rawValue >> PendingReplies.indexBits
    else { return nil }
    return index
  }
}

extension cfuse_attributes {
  init(_ a: Attributes) {
    let type: UInt32 =
      switch a.kind {
      case .file: S_IFREG
      case .directory: S_IFDIR
      case .symbolicLink: S_IFLNK
      case .fifo: S_IFIFO
      case .socket: S_IFSOCK
      case .characterDevice: S_IFCHR
      case .blockDevice: S_IFBLK
      }
    self.init(
      inode: a.id.rawValue, mode: type | UInt32(a.permissions), links: a.links, user: a.user, group: a.group,
      size_bytes: a.size, blocks: a.blocks,
      // Foundation copies in pieces of this size; with 4 KiB a copy takes 32 times as many requests.
      block_size_bytes: 131_072, access_seconds: a.accessed.seconds, modify_seconds: a.modified.seconds,
      change_seconds: a.changed.seconds, access_nanoseconds: a.accessed.nanoseconds,
      modify_nanoseconds: a.modified.nanoseconds, change_nanoseconds: a.changed.nanoseconds, device: 0)
  }
}
