// What in the kernel a remote change has to wait for. A lookup, a listing or a change that is parked here keeps its
// directory's lock there, and a child that waited for that lock would make everybody else wait behind it.

enum Obstacle: Equatable, CustomStringConvertible {
  case hold(String)
  case delay
  /// Something that the model does not know of.
  case kernel

  var description: String {
    switch self {
    case .hold(let name): "hold \(name)"
    case .delay: "a delayed operation in its folder"
    case .kernel: "an operation in its folder"
    }
  }
}

extension Provider {
  /// What is parked with a lock in the kernel that the change needs; nil: nothing that the model knows of.
  func obstacle(for action: RemoteAction) -> Obstacle? {
    if parked.isEmpty { return nil }
    let locks = NeededLocks(action, in: items)
    for id in parked.keys {
      guard let asked = parked[id], !asked.request.isOurs, blocks(asked.request.operation, locks) else {
        continue
      }
      if case .hold(let hold) = asked.wait, let name = holds.name(of: hold) { return .hold(name) }
      return .delay
    }
    return nil
  }

  /// A request begins or ends to wait: it may keep remote changes waiting.
  mutating func noteLock(of request: KernelRequest) {
    guard !remote.isEmpty, !request.isOurs else { return }
    switch request.operation {
    case .lookup, .readDirectory, .setAttribute, .change: remote.needsAdvance = true
    default: break
    }
  }

  private func blocks(_ operation: Operation, _ locks: NeededLocks) -> Bool {
    switch operation {
    case .lookup(let node, let name):
      guard let folder = items.slot(of: node) else { return false }
      // A lookup of the same name is waited for, too.
      return locks.changes(folder, in: items)
        || items.child(name, of: folder).map { locks.path.contains($0) } ?? false
    case .readDirectory(let handle, _, _, _):
      return handles[handle].map { locks.changes($0.slot, in: items) } ?? false
    case .change(let node, let change):
      guard let slot = items.slot(of: node) else { return false }
      if locks.path.contains(slot) || locks.changes(slot, in: items) { return true }
      guard case .rename(_, let to, _) = change, let other = items.slot(of: to) else { return false }
      return locks.path.contains(other) || locks.changes(other, in: items)
    case .setAttribute(let node, _, _):
      // Of a package, it is the folder's lock, for as long as what is in it is on its way.
      guard let slot = items.slot(of: node) else { return false }
      return slot == locks.item || locks.changes(slot, in: items)
    case .getAttributes, .readLink, .open, .read, .openDirectory, .statistics, .getAttribute, .listAttributes,
      .synchronize:
      return false
    }
  }
}

/// The locks that a change takes in the kernel.
private struct NeededLocks {
  /// Folders whose entries change.
  private var folders: [Slot] = []
  /// A folder that goes with all that is in it.
  private var tree: Slot?
  /// What the change is about; the kernel holds its lock while one of its attributes is set.
  let item: Slot?
  /// What is looked up on the way, the item included.
  private(set) var path: [Slot] = []

  init(_ action: RemoteAction, in items: ItemTable) {
    item = action.item
    var ends: [Slot] = []
    if let item = action.item {
      ends.append(item)
      if case .write = action {} else { folders.append(items[item].parent) }
      if items[item].kind == .directory { folders.append(item) }
    }
    if case .delete(let slot) = action, items[slot].kind == .directory { tree = slot }
    if let folder = action.target?.folder {
      ends.append(folder)
      folders.append(folder)
    }
    for end in ends {
      var current = end
      path.append(current)
      while current != .root {
        current = items[current].parent
        path.append(current)
      }
    }
  }

  func changes(_ folder: Slot, in items: ItemTable) -> Bool {
    folders.contains(folder) || tree.map { items.isCovered(folder, by: $0) } ?? false
  }
}
