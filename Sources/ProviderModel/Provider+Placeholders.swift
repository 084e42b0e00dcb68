// Stubs that turn into their files, and files into stubs.
//
// The turn is in force at once, whoever waits for the content: a request that waited may hold a lock in the kernel that
// the mount's child needs. The child shows it afterwards, for those who watch, and finds what was there before.

extension Provider {
  /// A file whose content has come stands under its real name from now on, one whose content has gone under its
  /// stub's.
  /// - Returns: where the item goes on.
  @discardableResult
  mutating func turnIfDue(_ slot: Slot) -> Slot {
    guard transfers[slot] == nil, let form = items.dueForm(of: slot) else { return slot }
    let before = items.path(of: slot)
    let turned = items.turn(slot, into: form)
    handOver(from: slot, to: turned)
    invalidate(items[turned].parent)
    var event = Event(.renamed, path: items.path(of: turned))
    event.from = before
    emit(event)
    remote.add(turned, into: form)
    freeIfUnused(slot)
    return turned
  }

  /// The names that a file has had before its turn and has after it.
  func names(of slot: Slot, into form: ItemForm) -> (from: Name, to: Name)? {
    guard let name = items.realName(of: slot), let stub = items.stubs?.stub(of: name) else { return nil }
    return form == .stub ? (name, stub) : (stub, name)
  }

  /// What the mount's child finds under a name: while it shows a turn, what was there before.
  func childForOurs(_ name: Name, of folder: Slot) -> Slot? {
    for step in remote.all {
      guard case .turn(let slot, let form) = step.action, !items[slot].isRemoved,
        items[slot].parent == folder, let names = names(of: slot, into: form)
      else { continue }
      if name == names.from { return slot }
      if name == names.to, step.phase == .underWay { return nil }
    }
    return items.child(name, of: folder)
  }

  /// The name that a change gives its item, as the folder shows it.
  func shownName(of action: RemoteAction) -> Name? {
    guard let (folder, name) = action.target else { return nil }
    switch action {
    case .create(_, _, let content, _):
      return items.shownName(name, as: form(ofNew: name, in: folder, size: content.stamp.size))
    case .move(let slot, _, _): return items.shownName(name, as: items[slot].form)
    case .makeDirectory, .write, .delete, .turn: return name
    }
  }

  /// What a file becomes that another device has made.
  func form(ofNew name: Name, in folder: Slot, size: Int64) -> ItemForm {
    if isPointer(ItemPath(items.path(of: folder).names + [name])) { return .pointer }
    return size > 0 && profile.kind != .volume && items.stubs?.stub(of: name) != nil ? .stub : .plain
  }

  func isPointer(_ path: ItemPath) -> Bool { profile.items.pointers.contains { $0.matches(path) } }
}
