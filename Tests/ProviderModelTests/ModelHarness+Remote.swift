import Testing

@testable import ProviderModel

// The mount's child, and what the tests look at where no effect tells it.

extension ModelHarness {
  /// A request of the child's.
  private func ours(_ operation: ProviderModel.Operation) -> Reply? {
    let id = request(operation, by: Caller(thread: 9, process: ProcessID(number: 9, serial: 9)), isOurs: true)
    return replies[id]
  }

  /// Does what the child is told, with the requests that the kernel makes of it.
  func runChild() {
    while !mirrors.isEmpty {
      let (id, action) = mirrors.removeFirst()
      // A provider that ends answers the child as everyone.
      if childError == nil, !provider.isStopping { carryOut(action) }
      tell(.completed(.mirrored(id, childError)))
    }
  }

  private func carryOut(_ action: MountAction) {
    switch action {
    case .write(let path): if let node = ourNode(path) { touch(node) }
    case .create(let path):
      guard let (folder, name) = ourParent(of: path) else { return }
      expectFree(name, in: folder)
      guard case .entry(let node, _) = ours(.change(folder, .makeNode(name))) else {
        return fail("\(path) was not made")
      }
      touch(node)
    case .makeDirectory(let path):
      guard let (folder, name) = ourParent(of: path) else { return }
      expectFree(name, in: folder)
      guard case .entry = ours(.change(folder, .makeDirectory(name))) else {
        return fail("\(path) was not made")
      }
    case .move(let path, let to):
      guard let (folder, name) = ourParent(of: path), let (newFolder, newName) = ourParent(of: to) else {
        return
      }
      _ = ours(.lookup(parent: folder, name: name))
      expectFree(newName, in: newFolder)
      let reply = ours(.change(folder, .rename(name, to: newFolder, newName)))
      if reply != .done { fail("\(path) was not moved: \(String(describing: reply))") }
    case .delete(let path):
      guard let (folder, name) = ourParent(of: path) else { return }
      delete(name, in: folder)
    }
  }

  /// Opens the file for writing, says that something was written, sets its times, closes it.
  private func touch(_ node: NodeID) {
    guard case .opened(let handle, _) = ours(.open(node, writes: true)) else {
      return fail("no open of \(node)")
    }
    if ours(.change(node, .allocate(handle))) != .done { fail("no fallocate of \(node)") }
    guard case .attributes = ours(.change(node, .setAttributes)) else { return fail("no setattr of \(node)") }
    release(handle)
  }

  /// As rm -r does it.
  private func delete(_ name: Name, in folder: NodeID) {
    guard case .entry(let node, let attributes) = ours(.lookup(parent: folder, name: name)) else {
      return fail("\(name) is not there to be deleted")
    }
    if attributes.kind != .directory {
      if ours(.change(folder, .unlink(name))) != .done { fail("\(name) was not deleted") }
      return
    }
    if ours(.change(folder, .removeDirectory(name))) == .done { return }
    guard case .opened(let handle, _) = ours(.openDirectory(node)),
      case .directory(let rows, _) = ours(.readDirectory(handle, cookie: 0, capacity: 1 << 20, plus: false))
    else { return fail("\(name) cannot be listed") }
    release(handle)
    for row in rows.dropFirst(2) { if let inner = Name(row.name) { delete(inner, in: node) } }
    if ours(.change(folder, .removeDirectory(name))) != .done { fail("\(name) was not deleted") }
  }

  private func ourNode(_ path: ItemPath) -> NodeID? {
    var node = NodeID.root
    for name in path.names {
      guard case .entry(let next, _) = ours(.lookup(parent: node, name: name)) else {
        fail("the child does not find \(path)")
        return nil
      }
      node = next
    }
    return node
  }

  private func ourParent(of path: ItemPath) -> (NodeID, Name)? {
    guard let name = path.names.last, let folder = ourNode(ItemPath(path.names.dropLast())) else {
      return nil
    }
    return (folder, name)
  }

  private func expectFree(_ name: Name, in folder: NodeID) {
    if ours(.lookup(parent: folder, name: name)) != .error(.noSuchItem) { fail("\(name) is taken") }
  }

  // MARK: Remote changes

  @discardableResult
  func remote(_ change: RemoteChange, at seconds: Int64 = 1_000) -> Answer? {
    ask(.remote(change, at: FileTime(seconds: seconds)))
  }

  func write(remotely text: String, to path: ItemPath, appends: Bool = false) -> Answer? {
    remote(.write(path, NewContent(.text(Array(text.utf8)), appends: appends), keepsModified: false))
  }

  /// The names of a folder, as a listing shows them.
  func names(_ path: ItemPath) throws -> [String] {
    guard case .opened(let handle, _) = reply(.openDirectory(try node(path))) else {
      throw Missing(path: path, reply: nil)
    }
    defer { release(handle) }
    guard
      case .directory(let rows, _) = reply(.readDirectory(handle, cookie: 0, capacity: 1 << 20, plus: false))
    else { throw Missing(path: path, reply: nil) }
    return rows.dropFirst(2).map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// Which content an open of the item gets.
  func contentOfOpen(_ path: ItemPath) throws -> ContentReference? {
    let handle = try handle(path)
    return contents[handle]
  }

  /// Replaces an item as a rule does.
  @discardableResult
  func replace(_ path: ItemPath, by kind: RuleChange.Replacement, gap: Span = .zero) -> Bool {
    guard case .found(let slot) = provider.resolve(path) else { return false }
    let done = provider.replace(slot, by: kind, gap: gap)
    tell(.tick)
    return done
  }

  /// The kernel forgets the node, and with it all lookups.
  func forget(_ node: NodeID) {
    guard let count = lookups.removeValue(forKey: node) else { return }
    tell(.notice(.forget([Forgotten(node: node, lookups: count)])))
  }

  /// Remote changes that were answered before they were in force.
  var waitedChanges: Int {
    answers.values.joined().reduce(0) { count, answered in
      count
        + answered.value.count { if case .remote(let result) = $0 { result.after != nil } else { false } }
    }
  }

  func isOpen(_ node: NodeID) -> Bool { provider.handles.all.contains { $0.handle.slot == node.slot } }

  /// Takes all holds away, as if they had never been.
  func dropHolds() {
    for hold in provider.holds.all {
      _ = provider.holds.remove(hold.name)
      provider.freeIfUnused(hold.slot)
    }
    tell(.tick)
  }

  // MARK: Inside

  func handleCount(_ path: ItemPath) -> UInt32? { slot(path).map { provider.items[$0].handles } }
  func lookupCount(_ node: NodeID) -> UInt64? {
    provider.items.slot(of: node).map { provider.items[$0].lookups }
  }
  var waiterCount: Int {
    provider.contentWaiters.keys.reduce(0) { $0 + (provider.contentWaiters[$1]?.count ?? 0) }
  }
  var openHandles: [HandleID] { provider.handles.all.map(\.id) }
  var orphanCount: Int { provider.items.orphanCount }
  func slot(_ path: ItemPath) -> Slot? {
    if case .found(let slot) = provider.resolve(path) { return slot }
    return nil
  }

  /// Every file stands in its folder as its copy calls for.
  func expectRightForms() {
    for slot in provider.items.contents(of: .root) {
      let record = provider.items[slot]
      let isStub = record.form == .stub
      if isStub, record.isHere || record.kind != .file { fail("\(provider.items.path(of: slot)) is a stub") }
      if provider.transfers[slot] == nil, provider.items.dueForm(of: slot) != nil {
        fail("\(provider.items.path(of: slot)) has not turned")
      }
      if isStub, let name = provider.items.realName(of: slot),
        provider.items.child(name, of: record.parent) != nil
      {
        fail("\(name) is there beside its stub")
      }
    }
  }

  /// The blobs and local bytes that are counted are those that there are.
  func expectRightCounts() {
    var blobs: Set<BlobID> = []
    var bytes: Int64 = 0
    for slot in provider.items.contents(of: .root) {
      let all = [
        provider.items.serverContent(of: slot), provider.items.content(of: slot), provider.prepared[slot],
      ]
      for content in all.compactMap({ $0 }) + (provider.conflicts[slot] ?? []) {
        if let blob = content.reference.blob { blobs.insert(blob) }
      }
      let record = provider.items[slot]
      if record.kind == .file, record.isHere { bytes += provider.items.shownStamp(of: slot).size }
    }
    if provider.items.blobs.count != blobs.count {
      fail("\(provider.items.blobs.count) blobs are counted, \(blobs.count) there")
    }
    if self.blobs.count != blobs.count { fail("\(self.blobs.count) blobs are kept, \(blobs.count) meant") }
    if provider.items.copies.bytes != bytes {
      fail("\(provider.items.copies.bytes) bytes are counted, \(bytes) here")
    }
    var linked: Int64 = 0
    var next = provider.items.copies.oldest
    while next != Slot(0) {
      linked += provider.items.shownStamp(of: next).size
      next = provider.items.copy(after: next)
    }
    if linked != bytes { fail("\(linked) bytes are in the order of use, \(bytes) here") }
  }
}
