// What is known of one item, and the changes of its copy. They stand in one file so that nothing else can
// change a copy without its being counted.

struct ItemRecord {
  enum Listing: UInt8 { case unlisted, underWay, listed }

  var id: ItemID
  var generation: UInt32 = 0
  var kind: ItemKind
  fileprivate(set) var copy = CopyState.local
  var form = ItemForm.plain
  var upload = UploadState.clean
  var listing = Listing.unlisted
  var permissions: UInt16
  var user: UInt32
  var group: UInt32
  var accessed: FileTime
  /// Size, times and identity of the content that the server has.
  fileprivate(set) var stamp: SourceStamp
  /// That content's version; starts at 1.
  fileprivate(set) var version: UInt64 = 1
  /// Where that content is; nil: in the source.
  fileprivate(set) var blob: BlobID?
  /// The one link that nearly every item has; further ones stand in the overflow table.
  var parent: Slot
  var name: NameArena.Reference
  /// Into the directory slab, plus one; 0 for other kinds.
  var directory: UInt32 = 0
  /// It has lost its name, and stays while somebody still has it.
  var isRemoved = false
  var pages = PageState.none
  /// They are out of date, and go when no read for them waits.
  var dropsPagesLater = false
  /// Reads for the page cache that wait; each has pages locked in the kernel.
  var waitingFills: UInt32 = 0
  /// Open handles.
  var handles: UInt32 = 0
  /// Lookups that the kernel has not forgotten yet.
  var lookups: UInt64 = 0
  /// Of its copy, as `LocalCopies` has them.
  fileprivate var counted: Int64 = 0
  /// Its neighbors among the files that have a copy here, by when they were opened last; slot 0: none.
  fileprivate var older = Slot(0)
  fileprivate var newer = Slot(0)

  init(of item: SourceItem, id: ItemID, copy: CopyState = .local, parent: Slot, name: NameArena.Reference) {
    self.id = id
    kind = item.kind
    self.copy = copy
    permissions = item.permissions
    user = item.user
    group = item.group
    accessed = item.accessed
    stamp = item.stamp
    self.parent = parent
    self.name = name
  }

  var isHere: Bool { copy == .local || copy == .stale }
}

/// The files that have a copy here, the one that was opened longest ago first.
struct LocalCopies {
  fileprivate(set) var oldest = Slot(0)
  fileprivate var newest = Slot(0)
  /// What they take together, in bytes.
  fileprivate(set) var bytes: Int64 = 0
}

// MARK: Contents

extension ItemTable {
  /// What the server has; nil for what is no file of the source and has no bytes.
  func serverContent(of slot: Slot) -> Content? {
    let record = self[slot]
    guard
      let reference = record.blob.map(ContentReference.blob) ?? origin(of: slot).map(ContentReference.source)
    else { return nil }
    return Content(reference: reference, stamp: record.stamp, version: record.version)
  }

  /// What an open gets: an older content while the copy is stale.
  func content(of slot: Slot) -> Content? { staleCopies[slot] ?? serverContent(of: slot) }

  /// Size and times of what an open gets.
  func shownStamp(of slot: Slot) -> SourceStamp {
    self[slot].copy == .stale ? staleCopies[slot]?.stamp ?? self[slot].stamp : self[slot].stamp
  }

  /// The version of what an open gets.
  func shownVersion(of slot: Slot) -> UInt64 {
    self[slot].copy == .stale ? staleCopies[slot]?.version ?? self[slot].version : self[slot].version
  }
}

// MARK: Changes of a copy

extension ItemTable {
  /// The content that the server has is on its way. What is here, if it is older, stays for as long.
  mutating func beginDownload(of slot: Slot) {
    if self[slot].copy == .dataless { self[slot].copy = .downloading }
  }

  /// The content that the server has is here.
  mutating func becomeLocal(_ slot: Slot) {
    dropStaleCopy(of: slot)
    self[slot].copy = .local
    recount(slot)
    noteUse(of: slot)
  }

  /// Nothing is on its way any more.
  mutating func endDownload(of slot: Slot) {
    if self[slot].copy == .downloading { self[slot].copy = .dataless }
  }

  /// Nothing is here; where there are no bytes, none are missing.
  mutating func becomeDataless(_ slot: Slot) {
    dropStaleCopy(of: slot)
    self[slot].copy = self[slot].kind == .file && self[slot].stamp.size > 0 ? .dataless : .local
    recount(slot)
  }

  /// The server's content is another from now on. What is here stays, out of date.
  mutating func changeContent(of slot: Slot, to stamp: SourceStamp, blob: BlobID?) {
    if self[slot].copy == .local, self[slot].stamp.size > 0 || self[slot].handles > 0 {
      staleCopies[slot] = serverContent(of: slot)
      blobs.use(self[slot].blob)
      self[slot].copy = .stale
    }
    self[slot].stamp = stamp
    setBlob(blob, of: slot)
    self[slot].version += 1
    switch self[slot].copy {
    case .local where stamp.size > 0: self[slot].copy = .dataless
    case .dataless where stamp.size == 0: self[slot].copy = .local
    case .local, .dataless, .downloading, .stale: break
    }
    recount(slot)
  }

  /// The file in the source is another than the one that was listed; a copy of it counts as the new one.
  mutating func followSource(_ slot: Slot, _ found: SourceItem) {
    self[slot].stamp = found.stamp
    self[slot].permissions = found.permissions
    self[slot].user = found.user
    self[slot].group = found.group
    self[slot].version += 1
    if self[slot].copy == .dataless, found.stamp.size == 0 { self[slot].copy = .local }
    recount(slot)
  }

  /// What is here becomes all that there is of it.
  mutating func keepOnlyLocalContent(of slot: Slot) {
    guard let stale = staleCopies.removeValue(forKey: slot) else { return }
    self[slot].stamp = stale.stamp
    setBlob(stale.reference.blob, of: slot)
    blobs.release(stale.reference.blob)
    self[slot].version = stale.version
    self[slot].copy = .local
    recount(slot)
  }

  /// For an item that takes another one's place.
  mutating func setContent(of slot: Slot, to content: Content, copy: CopyState) {
    self[slot].stamp = content.stamp
    setBlob(content.reference.blob, of: slot)
    self[slot].version = content.version
    self[slot].copy = content.stamp.size > 0 || self[slot].kind != .file ? copy : .local
    if self[slot].form == .pointer { becomePointer(slot) }
    recount(slot)
  }

  /// For an item whose place becomes free.
  mutating func dropContents(of slot: Slot) {
    dropStaleCopy(of: slot)
    setBlob(nil, of: slot)
  }

  private mutating func dropStaleCopy(of slot: Slot) {
    if let stale = staleCopies.removeValue(forKey: slot) { blobs.release(stale.reference.blob) }
  }

  private mutating func setBlob(_ blob: BlobID?, of slot: Slot) {
    blobs.use(blob)
    blobs.release(self[slot].blob)
    self[slot].blob = blob
  }

  /// It points to a document that stays on the server: all that there is of it is here.
  mutating func becomePointer(_ slot: Slot) {
    self[slot].form = .pointer
    self[slot].copy = .local
    if let bytes = madeBytes(of: slot) { self[slot].stamp.size = Int64(bytes.count) }
    recount(slot)
  }

  /// The document that it points to is another; its own bytes stay.
  mutating func changePointer(_ slot: Slot, modified: FileTime) {
    (self[slot].stamp.modified, self[slot].stamp.changed) = (modified, modified)
    self[slot].version += 1
  }

  /// A directory's own times, when its entries change.
  mutating func touchDirectory(_ slot: Slot, at moment: FileTime) {
    self[slot].stamp.modified = moment
    self[slot].stamp.changed = moment
  }

  // MARK: The order of use

  /// It counts as the one opened last.
  mutating func noteUse(of slot: Slot) {
    guard self[slot].counted > 0, copies.newest != slot else { return }
    unlink(slot)
    link(slot)
  }

  /// The copy that was opened next after this one; slot 0 after the last.
  func copy(after slot: Slot) -> Slot { self[slot].newer }

  /// After anything that decides how many bytes are here.
  mutating func recount(_ slot: Slot) {
    let record = self[slot]
    let isCounted = record.kind == .file && record.isHere && !record.isRemoved
    let bytes = isCounted ? shownStamp(of: slot).size : 0
    self[slot].counted = bytes
    copies.bytes += bytes - record.counted
    if record.counted == 0, bytes > 0 { link(slot) }
    if record.counted > 0, bytes == 0 { unlink(slot) }
  }

  private mutating func link(_ slot: Slot) {
    self[slot].older = copies.newest
    self[slot].newer = Slot(0)
    if copies.newest.index == 0 { copies.oldest = slot } else { self[copies.newest].newer = slot }
    copies.newest = slot
  }

  private mutating func unlink(_ slot: Slot) {
    let (older, newer) = (self[slot].older, self[slot].newer)
    if older.index == 0 { copies.oldest = newer } else { self[older].newer = newer }
    if newer.index == 0 { copies.newest = older } else { self[newer].older = older }
    self[slot].older = Slot(0)
    self[slot].newer = Slot(0)
  }
}
