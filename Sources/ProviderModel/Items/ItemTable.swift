// All items: flat records in chunks that never move, so that no step under the lock is as long as the
// provider has items.

struct ItemTable {
  struct Link {
    var parent: Slot
    var name: NameArena.Reference
  }

  private static let chunkSize = 1024
  private var chunks: [[ItemRecord]] = []
  private var count: UInt32 = 0
  private var freeSlots: [Slot] = []
  private var directories: [Directory] = []
  private var freeDirectories: [UInt32] = []
  private(set) var names: NameArena
  /// Further hard links of an item, for the few that have any.
  private var furtherLinks: [Slot: [Link]] = [:]
  /// Where in the source an item is that is no longer where it was listed; nil: it is not of the source.
  private var origins: [Slot: ItemPath?] = [:]
  /// Where items were that have lost their name, until their place is free.
  private var removed: [Slot: ItemPath] = [:]
  /// How many of them each folder had; they lead to it.
  private var orphans: [Slot: Int] = [:]
  /// What is here of the items whose server has a newer content.
  var staleCopies: [Slot: Content] = [:]
  var copies = LocalCopies()
  var blobs = BlobUses()
  /// Of the items that are not of the source.
  private var made: UInt64 = 0

  /// How stubs are named; nil: there are none.
  let stubs: StubNames?

  init(root: SourceItem, naming: Naming = Naming(), stubs: StubNames? = nil) {
    names = NameArena(naming)
    self.stubs = stubs
    // Slot 0 is never used: a node of 0 means "none" to the kernel.
    append(ItemRecord(of: root, id: ItemID(0), parent: .root, name: NameArena.Reference()))
    _ = insert(ItemRecord(of: root, id: .root, parent: .root, name: NameArena.Reference()))
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
    let key = naming.key(of: name.bytes[...])
    return directories[Int(index) - 1].find(key, hash: Directory.hash(key), in: names)
  }

  var naming: Naming { names.naming }

  func name(of slot: Slot) -> Name? { Name(Array(names[self[slot].name])) }

  func path(of slot: Slot) -> ItemPath {
    var path: [Name] = []
    var current = slot
    while current != .root, let name = name(of: current) {
      if let last = removed[current] { return ItemPath(last.names + path.reversed()) }
      path.append(name)
      current = self[current].parent
    }
    return ItemPath(path.reversed())
  }

  /// Where in the source it is, whatever has become of its own name and of its folders'.
  /// - Returns: nil for one that is not of the source.
  func origin(of slot: Slot) -> ItemPath? {
    var path: [Name] = []
    var current = slot
    while current != .root, let name = realName(of: current) {
      if let origin = origins[current] { return origin.map { ItemPath($0.names + path.reversed()) } }
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

  /// Takes the listing of a directory that has none yet. Of two names that are one here, the second gets another.
  /// - Parameter start: by the name that it is shown by.
  /// - Returns: Those that got another, with the names that they were to have.
  mutating func fill(
    _ slot: Slot, with listed: [ListedItem], start: (Name, SourceItem) -> ItemStart
  ) -> [(slot: Slot, wanted: Name)] {
    if self[slot].directory == 0 { return [] }
    directories[Int(self[slot].directory) - 1].reserve(listed.count)
    let origin = naming.isExact ? nil : origin(of: slot)
    // A source has no order of its own: which of two is the second must not be left to it.
    let listed = naming.isExact ? listed : listed.sorted { $0.name < $1.name }
    let taken = stubs == nil ? [] : Set(listed.map(\.name))
    var bounced: [(slot: Slot, wanted: Name)] = []
    var last: Name?
    for entry in listed {
      // A folder that changes while it is read may tell a name twice.
      if naming.isExact ? child(entry.name, of: slot) != nil : entry.name == last { continue }
      last = entry.name
      let wanted = naming.shown(entry.name)
      let name = naming.isExact ? entry.name : freeName(like: wanted, in: slot)
      let start = start(name, entry.item)
      var record = ItemRecord(
        of: entry.item, id: ItemTable.identifier(of: entry.name, in: self[slot].id),
        copy: start == .local ? .local : .dataless, parent: slot, name: NameArena.Reference())
      var shown = name
      if start == .dataless, let stub = stubs?.stub(of: name) {
        // It is there already, or another file has the name that its stub would have.
        if let there = child(stub, of: slot), self[there].form == .stub { continue }
        if !taken.contains(stub) { (shown, record.form) = (stub, .stub) }
      }
      record.name = names.add(shown)
      let added = insert(record)
      if let origin, name != entry.name { origins[added] = ItemPath(origin.names + [entry.name]) }
      if name != wanted { bounced.append((added, wanted)) }
      enter(added)
      if start == .pointer { becomePointer(added) }
    }
    self[slot].listing = .listed
    return bounced
  }

  func attributes(of slot: Slot) -> Attributes {
    let record = self[slot]
    let stamp = shownStamp(of: slot)
    let links: UInt32 = record.isRemoved ? 0 : record.kind == .directory ? 2 : 1
    // A stub's bytes are here, and a few.
    let size = shownSize(of: slot)
    let isHere = record.isHere || record.form == .stub
    return Attributes(
      id: record.id, kind: record.kind, permissions: record.permissions, links: links, user: record.user,
      group: record.group, size: size, blocks: isHere ? UInt64((size + 4095) / 4096 * 8) : 0,
      accessed: record.accessed, modified: stamp.modified, changed: stamp.changed)
  }

  // MARK: Coming, going and moving

  /// Adds an item that the source does not list, under a name that is free.
  /// - Parameters:
  ///   - form: what it is in its folder; a stub's name is made from `name`.
  ///   - origin: where in the source its content is; nil: nowhere.
  mutating func add(
    _ item: SourceItem, id: ItemID? = nil, named name: Name, as form: ItemForm = .plain, to parent: Slot,
    origin: ItemPath? = nil
  ) -> Slot {
    var record = ItemRecord(
      of: item, id: id ?? newIdentifier(), parent: parent, name: names.add(shownName(name, as: form)))
    record.form = form
    let slot = insert(record)
    origins[slot] = .some(origin)
    // Nothing in the source is in a folder that is not there.
    if item.kind == .directory, origin == nil { self[slot].listing = .listed }
    enter(slot)
    return slot
  }

  /// Gives the item another name or folder, where the name must be free. Its content stays where it is.
  mutating func move(_ slot: Slot, to parent: Slot, as realName: Name, in form: ItemForm? = nil) {
    origins[slot] = .some(origin(of: slot))
    leave(slot)
    let form = form ?? self[slot].form
    let name = shownName(realName, as: form)
    self[slot].form = form
    if name.bytes[...] != names[self[slot].name] { self[slot].name = names.add(name) }
    self[slot].parent = parent
    enter(slot)
  }

  /// Takes the item's name away; what is in a directory must have gone before. It stays, for whoever still has
  /// it, until `free`.
  mutating func remove(_ slot: Slot) {
    let path = path(of: slot)
    origins[slot] = .some(origin(of: slot))
    leave(slot)
    markRemoved(slot, path)
  }

  /// Another record takes the item's name and place in its folder, where a listing goes on as if it were the same.
  /// - Parameter id: nil: it is the same item, whose open files keep the older record.
  mutating func succeed(_ slot: Slot, id: ItemID?, content: Content, copy: CopyState) -> Slot {
    let (path, origin) = (path(of: slot), origin(of: slot))
    let old = self[slot]
    let item = SourceItem(
      kind: old.kind, permissions: old.permissions, user: old.user, group: old.group,
      accessed: old.accessed, stamp: content.stamp)
    var record = ItemRecord(of: item, id: id ?? old.id, parent: old.parent, name: old.name)
    record.form = old.form
    let successor = insert(record)
    setContent(of: successor, to: content, copy: copy)
    origins[successor] = .some(origin)
    origins[slot] = .some(origin)
    let key = naming.key(of: names[old.name])
    directories[Int(self[old.parent].directory) - 1].redirect(
      key, hash: Directory.hash(key), to: successor, in: names)
    markRemoved(slot, path)
    return successor
  }

  /// For an item that is not of the source.
  mutating func newIdentifier() -> ItemID {
    made += 1
    return ItemID(1 << 62 | made)
  }

  /// Whether it has lost its name, and its place is not free yet.
  func isOrphan(_ slot: Slot) -> Bool { removed[slot] != nil }

  /// Items that have lost their name and keep their place.
  var orphanCount: Int { removed.count }

  /// Whether another removed item leads to it.
  func hasOrphans(_ slot: Slot) -> Bool { orphans[slot] != nil }

  /// Gives the place of a removed item away. Nothing may lead to it any more.
  /// - Returns: the folder that it was in.
  mutating func free(_ slot: Slot) -> Slot {
    removed[slot] = nil
    origins[slot] = nil
    furtherLinks[slot] = nil
    dropContents(of: slot)
    let record = self[slot]
    if record.directory > 0 {
      directories[Int(record.directory) - 1] = Directory()
      freeDirectories.append(record.directory)
      self[slot].directory = 0
    }
    self[slot].generation &+= 1
    freeSlots.append(slot)
    let left = (orphans[record.parent] ?? 1) - 1
    orphans[record.parent] = left > 0 ? left : nil
    return record.parent
  }

  /// What lies in a folder, as far as it is listed; a folder comes after what is in it.
  func contents(of slot: Slot) -> [Slot] {
    var found: [Slot] = []
    var folders = [slot]
    while let folder = folders.popLast() {
      for entry in directory(of: folder)?.entries().map(\.slot) ?? [] {
        found.append(entry)
        if self[entry].kind == .directory { folders.append(entry) }
      }
    }
    // A folder was found before what is in it.
    return found.reversed()
  }

  // MARK: -

  private mutating func enter(_ slot: Slot) {
    let record = self[slot]
    directories[Int(self[record.parent].directory) - 1].add(
      record.name, hash: Directory.hash(naming.key(of: names[record.name])), slot: slot)
  }

  private mutating func leave(_ slot: Slot) {
    let record = self[slot]
    let key = naming.key(of: names[record.name])
    directories[Int(self[record.parent].directory) - 1].remove(key, hash: Directory.hash(key), in: names)
  }

  private mutating func markRemoved(_ slot: Slot, _ path: ItemPath) {
    removed[slot] = path
    self[slot].isRemoved = true
    // Its folder may lose its own name before this item's place is free.
    orphans[self[slot].parent, default: 0] += 1
    recount(slot)
  }

  private mutating func insert(_ record: ItemRecord) -> Slot {
    var record = record
    if record.kind == .directory {
      if let reused = freeDirectories.popLast() {
        record.directory = reused
      } else {
        directories.append(Directory())
        record.directory = UInt32(directories.count)
      }
    }
    let slot: Slot
    if let reused = freeSlots.popLast() {
      slot = reused
      record.generation = self[slot].generation
      self[slot] = record
    } else {
      append(record)
      slot = Slot(count - 1)
    }
    recount(slot)
    return slot
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

  /// Of an item that takes another one's place: the same whatever else has been made meanwhile, so that chance
  /// befalls it alike. It has bit 61, which the ones that are counted never have.
  static func identifier(ofSuccessorTo old: ItemID) -> ItemID {
    ItemID(3 << 61 | Dice.mix(old.rawValue) & ((1 << 61) - 1))
  }

  /// Of a file beside the item that has another version of it; the same in every run, as above.
  static func identifier(ofRivalOf old: ItemID, number: Int) -> ItemID {
    ItemID(3 << 61 | Dice.mix(Dice.mix(old.rawValue) ^ UInt64(number)) & ((1 << 61) - 1))
  }

  /// Stable over remounts: a hash of the path below the root. Identifiers that are not of the source get
  /// bit 62, these never have it.
  static func identifier(of name: Name, in parent: ItemID) -> ItemID {
    var hash = Dice.mix(parent.rawValue)
    for byte in name.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return ItemID(max(Dice.mix(hash) & ((1 << 62) - 1), 1024))
  }
}
