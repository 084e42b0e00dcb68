#if os(Linux)

  internal import Glibc
  internal import ProviderControl

  /// A path of an item from the provider's root, like `"Documents/a.pdf"`; `"."` is the root. Absolute paths
  /// below the mountpoint are taken, too. Made of bytes: names need not be UTF-8.
  public struct ItemPath: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    public var bytes: [UInt8]
    public init(bytes: [UInt8]) { self.bytes = bytes }
    public init(_ text: String) { bytes = Array(text.utf8) }
    public init(stringLiteral text: String) { self.init(text) }
    /// For people: bytes that are not UTF-8 are replaced.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Where an item's content is.
  public enum CopyState: String, Sendable { case dataless, downloading, local, stale }

  /// What `status` tells of an item.
  public struct ItemStatus: Hashable, Sendable {
    public var path: ItemPath
    /// Its inode's number, too.
    public var id: UInt64
    /// "file", "directory", "symbolicLink" and so on.
    public var kind: String
    public var copy: CopyState
    /// In bytes.
    public var size: Int64
    /// In bytes; nil when no download is under way.
    public var arrived: Int64?
    /// How the download is going: "queued", "waiting" (for its first byte), "streaming", "stalled", "held" or
    /// "retrying"; nil when none is under way.
    public var phase: String?
    /// What arrives now.
    public var bytesPerSecond: Int64?
    public var version: UInt64
    /// How many open files there are of it.
    public var open: Int
    /// Processes with a started scope on it, or on a folder around it.
    public var scopes: [Int32]
  }

  /// What `pick` has granted.
  public struct Grant: Hashable, Sendable {
    public var path: ItemPath
    /// The file URL that a document picker would hand over.
    public var url: String
    /// nil: every app.
    public var app: String?
  }

  /// What `revoke` has reached.
  public struct Revocation: Hashable, Sendable {
    public var grants: Int
    public var scopes: Int
    public var descriptors: Int
    public var processesKilled: Int
  }

  /// What can be held, by the kernel's words.
  public enum HoldableOperation: String, Sendable {
    case lookup, getattr, readlink, open, read, opendir, readdir, statfs, getxattr, listxattr, setxattr, fsync
    /// Every request that would change something.
    case change
    case download
    /// A coordinated access.
    case coordinate
    /// Starting and stopping access.
    case start, stop
  }

  /// What the provider as a whole can be.
  public enum ProviderCondition: String, Sendable, CaseIterable {
    case online, offline
    case signedOut = "signed-out"
    case disabled, crashed, throttled
    case outOfQuota = "out-of-quota"
    case rootGone = "root-gone"
  }

  /// What a test can wait for.
  public enum Condition: Hashable, Sendable {
    /// Something is parked at the hold of this name.
    case parked(hold: String)
    case state(ItemPath, CopyState)
    /// The next event of this name, from now on. For one that may have happened, use
    /// ``RunningProvider/event(after:timeout:where:)``.
    case event(String)
  }

  /// Something that happened; docs/control-protocol.md lists the names.
  public struct Event: Hashable, Sendable {
    /// One more than the event before it.
    public var sequence: UInt64
    /// Provider time since the provider's start.
    public var at: Duration
    public var name: String
    public var path: ItemPath?
    public var app: String?
    public var process: Int32?
    public var thread: Int32?
    /// "open", "read" and so on.
    public var operation: String?
    /// The item's state when the operation came in.
    public var copy: CopyState?
    /// Whether a started scope covered it; nil where none is needed.
    public var scoped: Bool?
    /// The error's code, and the errno's name that the process got; nil when it went well.
    public var error: String?
    public var errno: String?
    /// Provider time from the request to its outcome.
    public var waited: Duration?
    /// In bytes.
    public var offset: Int64?
    public var bytes: Int64?
    public var hold: String?
    /// The rule that struck it.
    public var rule: String?
    /// How many events are missing here.
    public var dropped: UInt64?
  }

  extension ItemStatus {
    init(_ line: ItemLine) {
      self.init(
        path: ItemPath(bytes: line.path.bytes), id: line.id, kind: line.kind,
        copy: CopyState(rawValue: line.copy) ?? .local, size: line.size, arrived: line.arrived,
        phase: line.phase, bytesPerSecond: line.bytesPerSecond, version: line.version, open: line.open,
        scopes: line.scopes)
    }
  }

  extension Event {
    init(_ line: EventLine) {
      self.init(
        sequence: line.sequence, at: .nanoseconds(line.atNanoseconds), name: line.name,
        path: line.path.map { ItemPath(bytes: $0.bytes) }, app: line.app, process: line.process,
        thread: line.thread, operation: line.operation, copy: line.copy.flatMap(CopyState.init),
        scoped: line.scoped, error: line.error, errno: line.errno,
        waited: line.waitedNanoseconds.map { .nanoseconds($0) }, offset: line.offset, bytes: line.bytes,
        hold: line.hold, rule: line.rule, dropped: line.dropped)
    }
  }

#endif
