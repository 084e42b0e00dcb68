// All items: flat records in chunks that never move, so that no step under the lock is as long as the
// provider has items.

struct ItemRecord {
  enum Listing: UInt8 { case unlisted, underWay, listed }

  var id: ItemID
  var generation: UInt32 = 0
  var kind: ItemKind
  var copy = CopyState.local
  var upload = UploadState.clean
  var listing = Listing.unlisted
  var permissions: UInt16
  var user: UInt32
  var group: UInt32
  var accessed: FileTime
  /// Size, times and identity of the content that the server has.
  var stamp: SourceStamp
  /// The content's version; starts at 1.
  var version: UInt64 = 1
  /// The one link that nearly every item has; further ones stand in the overflow table.
  var parent: Slot
  var name: NameArena.Reference
  /// Into the directory slab, plus one; 0 for other kinds.
  var directory: UInt32 = 0
  var pages = PageState.none
  /// They are out of date, and go when no read for them waits.
  var dropsPagesLater = false
  /// Reads for the page cache that wait; each has pages locked in the kernel.
  var waitingFills: UInt32 = 0
  /// Open handles.
  var handles: UInt32 = 0
  /// Lookups that the kernel has not forgotten yet.
  var lookups: UInt64 = 0
}

struct ItemTable {
  struct Link {
    var parent: Slot
    var name: NameArena.Reference
  }

  private static let chunkSize = 1024
  private var chunks: [[ItemRecord]] = []
  private var count: UInt32 = 0
  private var directories: [Directory] = []
  private(set) var names = NameArena()
  /// Further hard links of an item, for the few that have any.
  private var furtherLinks: [Slot: [Link]] = [:]

  init(root: SourceItem) {
    // Slot 0 is never used: a node of 0 means "none" to the kernel.
    append(
      ItemRecord(
        id: ItemID(0), kind: .directory, permissions: 0, user: 0, group: 0, accessed: FileTime(),
        stamp: root.stamp, parent: .root, name: NameArena.Reference()))
    _ = insert(ItemTable.record(of: root, id: .root, parent: .root, name: NameArena.Reference()))
  }

  subscript(_ slot: Slot) -> ItemRecord {
    get { chunks[Int(slot.index) / ItemTable.chunkSize][Int(slot.index) % ItemTable.chunkSize] }
    _modify {
      yield &chunks[Int(slot.index) / ItemTable.chunkSize][Int(slot.index) % ItemTable.chunkSize]
    }
  }

  /// The node's slot, if it is still that node.
  func slot(of node: NodeID) -> Slot? {
    let slot = node.slot
    guard slot.index > 0, slot.index < count, self[slot].generation == node.generation else { return nil }
    return slot
  }

  func node(of slot: Slot) -> NodeID { NodeID(slot, generation: self[slot].generation) }

  func directory(of slot: Slot) -> Directory? {
    let index = self[slot].directory
    return index == 0 ? nil : directories[Int(index) - 1]
  }

  func child(_ name: Name, of slot: Slot) -> Slot? {
    let index = self[slot].directory
    guard index > 0 else { return nil }
    return directories[Int(index) - 1].find(
      name.bytes[...], hash: Directory.hash(name.bytes), in: names)
  }

  func name(of slot: Slot) -> Name? { Name(Array(names[self[slot].name])) }

  func path(of slot: Slot) -> ItemPath {
    var path: [Name] = []
    var current = slot
    while current != .root, let name = name(of: current) {
      path.append(name)
      current = self[current].parent
    }
    return ItemPath(path.reversed())
  }

  /// Whether `slot` is `folder` or lies in it, by any of its links.
  func isCovered(_ slot: Slot, by folder: Slot) -> Bool {
    var current = slot
    while true {
      if current == folder { return true }
      if current == .root { return false }
      for link in furtherLinks[current] ?? [] where isCovered(link.parent, by: folder) { return true }
      current = self[current].parent
    }
  }

  /// Takes a directory's listing; an item keeps its place when it is listed already.
  mutating func fill(_ slot: Slot, with listed: [ListedItem], copy: (Name, SourceItem) -> CopyState) {
    if self[slot].directory == 0 { return }
    directories[Int(self[slot].directory) - 1].reserve(listed.count)
    for entry in listed where child(entry.name, of: slot) == nil {
      let reference = names.add(entry.name)
      var record = ItemTable.record(
        of: entry.item, id: ItemTable.identifier(of: entry.name, in: self[slot].id), parent: slot,
        name: reference)
      record.copy = copy(entry.name, entry.item)
      let child = insert(record)
      directories[Int(self[slot].directory) - 1].add(
        reference, hash: Directory.hash(entry.name.bytes), slot: child)
    }
    self[slot].listing = .listed
  }

  func attributes(of slot: Slot) -> Attributes {
    let record = self[slot]
    let isDirectory = record.kind == .directory
    let isHere = record.copy == .local || record.copy == .stale
    return Attributes(
      id: record.id, kind: record.kind, permissions: record.permissions, links: isDirectory ? 2 : 1,
      user: record.user, group: record.group, size: record.stamp.size,
      blocks: isHere ? UInt64((record.stamp.size + 4095) / 4096 * 8) : 0, accessed: record.accessed,
      modified: record.stamp.modified, changed: record.stamp.changed)
  }

  // MARK: -

  private mutating func insert(_ record: ItemRecord) -> Slot {
    var record = record
    if record.kind == .directory {
      directories.append(Directory())
      record.directory = UInt32(directories.count)
    }
    append(record)
    return Slot(count - 1)
  }

  private mutating func append(_ record: ItemRecord) {
    if Int(count) % ItemTable.chunkSize == 0 {
      var chunk: [ItemRecord] = []
      chunk.reserveCapacity(ItemTable.chunkSize)
      chunks.append(chunk)
    }
    chunks[chunks.count - 1].append(record)
    count += 1
  }

  private static func record(
    of item: SourceItem, id: ItemID, parent: Slot, name: NameArena.Reference
  ) -> ItemRecord {
    ItemRecord(
      id: id, kind: item.kind, permissions: item.permissions, user: item.user, group: item.group,
      accessed: item.accessed, stamp: item.stamp, parent: parent, name: name)
  }

  /// Stable over remounts: a hash of the path below the root. Identifiers that are not of the source get
  /// bit 62, these never have it.
  static func identifier(of name: Name, in parent: ItemID) -> ItemID {
    var hash = Dice.mix(parent.rawValue)
    for byte in name.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return ItemID(max(Dice.mix(hash) & ((1 << 62) - 1), 1024))
  }
}
