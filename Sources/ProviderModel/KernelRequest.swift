// What the kernel asks: one value per request, decoded by ProviderFS.

/// Who asks. The shell finds out; the model only compares.
package struct Caller: Hashable, Sendable {
  /// The calling thread; 0 when it is not visible from the provider.
  package var thread: Int32
  /// Its process; nil when it is not visible.
  package var process: ProcessID?
  /// Ancestors that hold something, nearest first.
  package var ancestors: [ProcessID]
  package var app: AppID?
  package var user: UInt32
  package var group: UInt32

  package init(
    thread: Int32, process: ProcessID?, ancestors: [ProcessID] = [], app: AppID? = nil, user: UInt32 = 0,
    group: UInt32 = 0
  ) {
    self.thread = thread
    self.process = process
    self.ancestors = ancestors
    self.app = app
    self.user = user
    self.group = group
  }
}

package enum Operation: Hashable, Sendable {
  case lookup(parent: NodeID, name: Name)
  case getAttributes(NodeID)
  case readLink(NodeID)
  /// `writes`: the open asks for more than reading.
  case open(NodeID, writes: Bool)
  case read(HandleID, offset: Int64, length: Int64)
  case openDirectory(NodeID)
  case readDirectory(HandleID, cookie: Int64, capacity: Int, plus: Bool)
  case statistics
  /// `capacity` 0 asks for the length alone.
  case getAttribute(NodeID, name: [UInt8], capacity: Int)
  case listAttributes(NodeID, capacity: Int)
  case setAttribute(NodeID, name: [UInt8], value: [UInt8])
  case synchronize(HandleID)
  /// Anything else that changes something.
  case change(NodeID, KernelChange)

  /// The operation's name in events and rules.
  package var name: String {
    switch self {
    case .lookup: "lookup"
    case .getAttributes: "getattr"
    case .readLink: "readlink"
    case .open: "open"
    case .read: "read"
    case .openDirectory: "opendir"
    case .readDirectory: "readdir"
    case .statistics: "statfs"
    case .getAttribute: "getxattr"
    case .listAttributes: "listxattr"
    case .setAttribute: "setxattr"
    case .synchronize: "fsync"
    case .change(_, let change): change.name
    }
  }
}

/// What a request would change: of the node, or under this name in it.
package enum KernelChange: Hashable, Sendable {
  case makeNode(Name), makeDirectory(Name), unlink(Name), removeDirectory(Name)
  case rename(Name, to: NodeID, Name)
  case setAttributes
  case allocate(HandleID)
  /// The kernel's word for it.
  case other(String)

  /// The entry that it is about; nil: the node itself.
  var entry: Name? {
    switch self {
    case .makeNode(let name), .makeDirectory(let name), .unlink(let name), .removeDirectory(let name),
      .rename(let name, _, _):
      name
    case .setAttributes, .allocate, .other: nil
    }
  }

  package var name: String {
    switch self {
    case .makeNode: "mknod"
    case .makeDirectory: "mkdir"
    case .unlink: "unlink"
    case .removeDirectory: "rmdir"
    case .rename: "rename"
    case .setAttributes: "setattr"
    case .allocate: "fallocate"
    case .other(let word): word
    }
  }
}

package struct KernelRequest: Hashable, Sendable {
  package var id: RequestID
  package var operation: Operation
  package var caller: Caller
  /// A read for the kernel's page cache (sendfile, a map), which the kernel repeats by itself when it fails.
  package var fillsCache: Bool
  /// It comes from the mount's own child, which shows remote changes to whoever watches.
  package var isOurs: Bool
  package init(
    id: RequestID, operation: Operation, caller: Caller, fillsCache: Bool = false, isOurs: Bool = false
  ) {
    self.id = id
    self.operation = operation
    self.caller = caller
    self.fillsCache = fillsCache
    self.isOurs = isOurs
  }
}

package struct Forgotten: Hashable, Sendable {
  package var node: NodeID
  package var lookups: UInt64
  package init(node: NodeID, lookups: UInt64) {
    self.node = node
    self.lookups = lookups
  }
}

/// What comes without wanting an answer.
package enum KernelNotice: Hashable, Sendable {
  case forget([Forgotten])
  case release(HandleID)
  /// The kernel no longer waits for this request: its reader got a signal.
  case interrupted(RequestID)
}
