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
    /// The server's.
    public var version: UInt64
    /// Of what an open gets, where that is older; nil where it is not.
    public var localVersion: UInt64?
    /// Versions of other devices that nobody has chosen from.
    public var conflicts: Int
    /// Never evicted, and downloaded by itself.
    public var isPinned: Bool
    /// A folder that is one document to whoever uses it.
    public var isPackage: Bool
    /// How many open files there are of it.
    public var open: Int
    /// Processes with a started scope on it, or on a folder around it.
    public var scopes: [Int32]
  }

  /// A copy that the document picker made for an app.
  public struct PickedCopy: Hashable, Sendable {
    /// What it is a copy of.
    public var path: ItemPath
    /// Its own path, absolute.
    public var file: String
    /// Of the copy.
    public var url: String
  }

  /// What another device puts into a file.
  public enum RemoteContent: Hashable, Sendable {
    case text(String)
    /// The bytes of a file of this machine, by its absolute path.
    case file(String)
    /// So many bytes, like "10MB", made from a seed: docs/control-protocol.md says how.
    case synthetic(size: String, seed: UInt64 = 1)
  }

  /// What has become of a remote change.
  public struct RemoteResult: Hashable, Sendable {
    /// Where the item is now, by a name that may be of the provider's making.
    public var path: ItemPath
    /// nil once it is deleted.
    public var id: UInt64?
    public var version: UInt64?
    /// What it waits for: it applies after that. nil: it is in force.
    public var after: String?
    /// The errno's name with which it could not be shown to whoever watches the mount; nil: it was shown.
    public var unseen: String?
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
    /// Where a moved item was.
    public var from: ItemPath?
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
        phase: line.phase, bytesPerSecond: line.bytesPerSecond, version: line.version,
        localVersion: line.localVersion, conflicts: line.conflicts ?? 0, isPinned: line.pinned ?? false,
        isPackage: line.package ?? false, open: line.open, scopes: line.scopes)
    }
  }

  extension Event {
    init(_ line: EventLine) {
      self.init(
        sequence: line.sequence, at: .nanoseconds(line.atNanoseconds), name: line.name,
        path: line.path.map { ItemPath(bytes: $0.bytes) }, from: line.from.map { ItemPath(bytes: $0.bytes) },
        app: line.app, process: line.process,
        thread: line.thread, operation: line.operation, copy: line.copy.flatMap(CopyState.init),
        scoped: line.scoped, error: line.error, errno: line.errno,
        waited: line.waitedNanoseconds.map { .nanoseconds($0) }, offset: line.offset, bytes: line.bytes,
        hold: line.hold, rule: line.rule, dropped: line.dropped)
    }
  }

#endif
