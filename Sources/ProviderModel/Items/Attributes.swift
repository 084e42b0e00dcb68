/// A file's time, as the source has it (wall clock).
package struct FileTime: Hashable, Sendable {
  package var seconds: Int64
  package var nanoseconds: UInt32
  package init(seconds: Int64 = 0, nanoseconds: UInt32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

/// What tells one content of a source file from another.
///
/// A change that leaves all five alike cannot be seen.
package struct SourceStamp: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  package var size: Int64
  package var modified: FileTime
  package var changed: FileTime
  package init(device: UInt64, inode: UInt64, size: Int64, modified: FileTime, changed: FileTime) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }
}

/// What the source says of one item.
package struct SourceItem: Hashable, Sendable {
  package var kind: ItemKind
  /// The permission bits, without the type.
  package var permissions: UInt16
  package var user: UInt32
  package var group: UInt32
  package var accessed: FileTime
  package var stamp: SourceStamp
  package init(
    kind: ItemKind, permissions: UInt16, user: UInt32 = 0, group: UInt32 = 0, accessed: FileTime = .init(),
    stamp: SourceStamp
  ) {
    self.kind = kind
    self.permissions = permissions
    self.user = user
    self.group = group
    self.accessed = accessed
    self.stamp = stamp
  }
}

/// What `stat` shows.
package struct Attributes: Hashable, Sendable {
  package var id: ItemID
  package var kind: ItemKind
  package var permissions: UInt16
  package var links: UInt32
  package var user: UInt32
  package var group: UInt32
  package var size: Int64
  /// Of 512 bytes; 0 while the item is dataless.
  package var blocks: UInt64
  package var accessed: FileTime
  package var modified: FileTime
  package var changed: FileTime
}
