// How a remote change gets into the mount: the mount's own child makes it with the system calls that a program
// would make, and the model takes it over when they arrive here. So whoever watches sees it (inotify tells of
// nothing else), and the kernel's names are right at once. The child passes no gate and meets no rule.
//
// What the child cannot do (it may not write into a folder that is read-only for its user) is done without it.

/// One thing that the child asks of the kernel for a change.
enum RemoteEffect: Equatable {
  /// Opens the file that it is about for writing; nothing is written.
  case open(Slot)
  /// The change itself, or the part of it that is about this item.
  case apply(Slot?)
  /// What the kernel wants to know in between.
  case answer(Reply)
}

extension Provider {
  // MARK: Turns

  /// Starts what can be made now, and tells whoever waits for longer what for.
  mutating func advanceRemoteChanges() {
    remote.needsAdvance = false
    var earlier: [RemoteStep] = []
    for step in remote.all {
      if step.phase == .waiting {
        let before = earlier.first { Provider.mustWait(step.action, for: $0, in: items) }
        if before == nil, obstacle(for: step.action) == nil {
          start(step.id)
        } else if before.map({ $0.asker == nil && !isBrief($0) }) ?? true {
          tellThatItWaits(step.id, for: obstacle(for: (before ?? step).action) ?? .kernel)
        }
      } else if !step.isApplied, let obstacle = obstacle(for: step.action) {
        // The child met it in the kernel.
        tellThatItWaits(step.id, for: obstacle)
      }
      if let now = remote[step.id] { earlier.append(now) }
    }
  }

  /// A turn that the child is showing, which nothing keeps waiting.
  private func isBrief(_ step: RemoteStep) -> Bool {
    step.action.isTurn && obstacle(for: step.action) == nil
  }

  /// Changes of one place keep their order.
  private static func mustWait(_ later: RemoteAction, for step: RemoteStep, in items: ItemTable) -> Bool {
    let earlier = step.action
    if let ours = later.item, let theirs = earlier.item,
      items.isCovered(ours, by: theirs) || items.isCovered(theirs, by: ours)
    {
      return true
    }
    if let ours = later.item, let folder = earlier.target?.folder, items.isCovered(folder, by: ours) {
      return true
    }
    guard let target = later.target else { return false }
    if let theirs = earlier.item, items.isCovered(target.folder, by: theirs) { return true }
    // One that wanted this name and got another, which this one would choose as well, is waited for, too.
    return earlier.target.map {
      $0.folder == target.folder
        && (items.areOne($0.name, target.name) || step.wanted.map { items.areOne($0, target.name) } ?? false)
    } ?? false
  }

  private mutating func tellThatItWaits(_ id: RemoteID, for obstacle: Obstacle) {
    guard let step = remote[id], let asker = step.asker else { return }
    remote[id]?.asker = nil
    var result = RemoteResult(path: path(of: step.action), id: step.action.item.map { items[$0].id })
    result.version = step.action.item.map { items[$0].version }
    result.after = obstacle.description
    finish(asker, .remote(result))
  }

  private func path(of action: RemoteAction) -> ItemPath {
    if let item = action.item { return items.path(of: item) }
    guard let (folder, name) = action.target else { return ItemPath() }
    return ItemPath(items.path(of: folder).names + [shownName(of: action) ?? name])
  }

  /// One that nobody waits for any more, before it has begun.
  mutating func withdraw(_ id: RemoteID) {
    if let step = remote[id], step.phase == .waiting { forget(step) }
  }

  private mutating func forget(_ step: RemoteStep) {
    remote[step.id] = nil
    remote.needsAdvance = true
    items.blobs.release(step.action.blob)
    for slot in [step.action.item, step.action.target?.folder, step.made] {
      if let slot { freeIfUnused(slot) }
    }
  }

  // MARK: Beginning and end

  private mutating func start(_ id: RemoteID) {
    guard var step = remote[id] else { return }
    // What is in force already, of an item that has gone since, nobody can be told of.
    if step.isApplied, step.action.needs.contains(where: { items[$0].isRemoved }) { return forget(step) }
    step.action.makeAnew(in: items)
    // The item or its folder may have gone while it waited.
    if !step.action.isTurn, step.action.needs.contains(where: { items[$0].isRemoved }) {
      return end(step, .failure(.noSuchItem, path(of: step.action)))
    }
    step.wanted = step.action.target?.name
    step.action.chooseFreeName(in: items)
    guard let action = mountAction(of: step.action) else { return forget(step) }
    step.phase = .underWay
    remote[id] = step
    effects.append(.mirror(id, action))
    // In case that the kernel keeps it waiting for something that cannot be seen from here.
    if let asker = step.asker {
      effects.append(.limit(asker.session, number: asker.number, milliseconds: 1000))
    }
  }

  /// It has taken long: whoever asked need not wait with it.
  mutating func remoteChangeTakesLong(_ id: RemoteID) {
    guard let step = remote[id], step.phase == .underWay else { return }
    tellThatItWaits(id, for: obstacle(for: step.action) ?? .kernel)
  }

  /// - Returns: nil for a turn of an item that has gone meanwhile, or got a name that has no stub's.
  private func mountAction(of action: RemoteAction) -> MountAction? {
    switch action {
    case .write(let slot, _, _): return .write(items.path(of: slot))
    case .create: return .create(path(of: action))
    case .makeDirectory: return .makeDirectory(path(of: action))
    case .move(let slot, let folder, let name):
      let shown = shownName(of: action) ?? name
      return .move(items.path(of: slot), to: ItemPath(items.path(of: folder).names + [shown]))
    case .delete(let slot): return .delete(items.path(of: slot))
    case .turn(let slot, let form):
      let folder = items.path(of: items[slot].parent).names
      guard !items[slot].isRemoved, let names = names(of: slot, into: form) else { return nil }
      return .move(ItemPath(folder + [names.from]), to: ItemPath(folder + [names.to]))
    }
  }

  /// The child has made the change, or says why it could not.
  mutating func mirrored(_ id: RemoteID, _ error: ErrnoName?) {
    guard remote[id] != nil else { return }
    if remote[id]?.isApplied == false { apply(id) }
    if let step = remote[id] { settle(step) }
    guard let step = remote[id] else { return }
    var result = RemoteResult(path: path(of: step.action))
    if let item = step.made ?? step.action.item, !items[item].isRemoved { result = self.result(of: item) }
    result.unseen = error
    end(step, .remote(result))
  }

  private mutating func end(_ step: RemoteStep, _ answer: Answer) {
    if let asker = step.asker {
      finish(asker, answer)
    } else if case .failure(let error, let path) = answer {
      emit(Event(.remoteFailed, path: path, error: error))
    }
    forget(step)
  }

  /// What a change makes of an item's copy, now that the child no longer has the item open: it may go on in
  /// another record, which the child would not know.
  private mutating func settle(_ step: RemoteStep) {
    switch step.action {
    case .write(let slot, _, _):
      evictIfOutOfDate(slot)
      turnIfDue(slot)
    case .move(let slot, _, _): turnIfDue(slot)
    case .create: if let made = step.made { downloadIfPinned(made) }
    case .makeDirectory, .delete, .turn: break
    }
  }

  // MARK: What the child asks

  /// A request of the child's. Whatever belongs to no change of ours is answered as everywhere, without delay.
  func outcomeForOurs(of asked: Parked, on subject: Subject) -> Outcome {
    let request = asked.request
    if case .lookup(let node, let name) = request.operation, becomesOwnName(name, in: node) {
      return .fail(.noSuchItem)
    }
    if let missing = missingItem(for: asked, on: subject, app: nil) { return missing }
    guard let slot = subject.slot else { return content(for: asked, on: subject, app: nil) }
    switch request.operation {
    case .open(_, writes: true):
      guard let step = step(about: slot) else { return .fail(.readOnly) }
      return .show(step.id, .open(slot))
    case .change(_, .setAttributes):
      guard let step = step(about: slot) else { return .fail(.readOnly) }
      return .show(step.id, .answer(.attributes(items.attributes(of: slot))))
    case .change(_, .allocate):
      guard let step = step(about: slot) else { return .fail(.readOnly) }
      return .show(step.id, step.isApplied ? .answer(.done) : .apply(slot))
    case .change(_, let change): return outcome(of: change, in: slot)
    case .lookup(_, let name) where items.stubs != nil && items[slot].kind == .directory:
      guard let child = childForOurs(name, of: slot) else { return .fail(.noSuchItem) }
      return .answer(.entry(items.node(of: child), items.attributes(of: child)))
    default: return content(for: asked, on: subject, app: nil)
    }
  }

  /// Whether an item of the folder is about to get this name in place of another that finds it as well. The kernel
  /// renames nothing to what is the same item already.
  private func becomesOwnName(_ name: Name, in node: NodeID) -> Bool {
    if items.naming.isExact { return false }
    return remote.all.contains { step in
      guard step.phase == .underWay, !step.isApplied, case .move(let slot, let folder, name) = step.action,
        items.slot(of: node) == folder
      else { return false }
      return items.child(name, of: folder) == slot && items.name(of: slot) != name
    }
  }

  private func outcome(of change: KernelChange, in folder: Slot) -> Outcome {
    for step in remote.all where step.phase == .underWay && !step.isApplied {
      switch (step.action, change) {
      case (.create(folder, _, _, _), .makeNode(let name)) where shownName(of: step.action) == name:
        return .show(step.id, .apply(nil))
      case (.makeDirectory(folder, let wanted), .makeDirectory(let name)) where wanted == name:
        return .show(step.id, .apply(nil))
      case (.move(let slot, let to, let wanted), .rename(let name, let node, let newName))
      where childForOurs(name, of: folder) == slot && items.slot(of: node) == to
        && (wanted == newName || items.stubs?.stub(of: wanted) == newName):
        return .show(step.id, .apply(slot))
      case (.turn(let slot, let form), .rename(let name, let node, let newName))
      where items[slot].parent == folder && items.slot(of: node) == folder
        && names(of: slot, into: form).map { $0 == (name, newName) } ?? false:
        return .show(step.id, .apply(slot))
      case (.delete(let top), .unlink(let name)), (.delete(let top), .removeDirectory(let name)):
        guard let slot = childForOurs(name, of: folder), items.isCovered(slot, by: top) else { continue }
        let isFull = (items.directory(of: slot)?.count ?? 0) > 0
        return isFull ? .fail(.provider(.directoryNotEmpty)) : .show(step.id, .apply(slot))
      default: continue
      }
    }
    return .fail(.readOnly)
  }

  private func step(about slot: Slot) -> RemoteStep? {
    remote.all.first { $0.phase == .underWay && ($0.action.item == slot || $0.made == slot) }
  }

  mutating func show(_ effect: RemoteEffect, of id: RemoteID, for asked: Parked) {
    guard let moment = remote[id]?.moment else { return finish(asked, .error(.readOnly)) }
    switch effect {
    case .answer(let reply): finish(asked, reply)
    case .open(let slot):
      let handle = handles.add(OpenHandle(slot: slot, process: asked.request.caller.process, reads: nil))
      finish(asked, .opened(handle, .direct))
    case .apply(let part):
      if case .delete(let top) = remote[id]?.action, let part, part != top {
        remove(part, at: moment)
        return finish(asked, .done)
      }
      apply(id)
      guard let made = remote[id]?.made else { return finish(asked, .done) }
      finish(asked, .entry(items.node(of: made), items.attributes(of: made)))
    }
  }

  // MARK: In force

  private mutating func apply(_ id: RemoteID) {
    guard let step = remote[id] else { return }
    remote[id]?.isApplied = true
    switch step.action {
    case .write(let slot, let given, let keepsModified):
      changeContent(of: slot, to: content(given, at: step.moment), keepsModified: keepsModified)
    case .create(let folder, _, let given, let rival):
      let made = create(step, content(given, at: step.moment), in: folder, rival: rival)
      remote[id]?.made = made
    case .makeDirectory(let folder, let name):
      let item = newItem(.directory, permissions: 0o755, in: folder, size: 4096, at: step.moment)
      let made = items.add(item, named: name, to: folder)
      remote[id]?.made = made
      becomeListed(made, in: folder, step)
    case .move(let slot, let folder, let name): move(slot, to: folder, name, step)
    case .turn: break
    case .delete(let slot):
      emitItem(.remoteDeleted, slot)
      removeAll(slot, at: step.moment)
    }
  }

  mutating func changeContent(of slot: Slot, to content: Content, keepsModified: Bool) {
    var stamp = content.stamp
    if keepsModified { stamp.modified = items[slot].stamp.modified }
    if items[slot].form == .pointer {
      items.changePointer(slot, modified: stamp.modified)
      emitItem(.remoteChanged, slot)
      return invalidate(slot)
    }
    items.changeContent(of: slot, to: stamp, blob: content.reference.blob)
    emitItem(.remoteChanged, slot)
    invalidate(slot)
    failPartReaders(of: slot)
    if profile.kind == .volume { return bringAtOnce(slot) }
    if transfers[slot] != nil { restartDownload(of: slot) }
    downloadIfPinned(slot)
  }

  /// A volume has its files whole; there is nothing to download, and no older content beside the new one.
  private mutating func bringAtOnce(_ slot: Slot) {
    items.becomeLocal(slot)
    invalidate(slot)
  }

  /// Who has read a part of what was on its way can have no more of it.
  private mutating func failPartReaders(of slot: Slot) {
    for case .request(let id) in contentWaiters[slot] ?? [] {
      guard case .read(let handle, _, _) = parked[id]?.request.operation, handles[handle]?.wasRead == true
      else { continue }
      fail(id, .provider(.versionNoLongerAvailable))
    }
  }

  /// - Parameter id: nil: the next free one.
  mutating func create(
    _ step: RemoteStep, _ content: Content, in folder: Slot, rival: Slot?, id: ItemID? = nil
  ) -> Slot {
    let name = step.action.target?.name
    var item = newItem(.file, permissions: 0o644, in: folder, size: content.stamp.size, at: step.moment)
    item.stamp = content.stamp
    if let rival {
      (item.permissions, item.user, item.group) = (
        items[rival].permissions, items[rival].user, items[rival].group
      )
    }
    var origin: ItemPath?
    if case .source(let path) = content.reference { origin = path }
    guard let name else { return folder }
    let form = form(ofNew: name, in: folder, size: content.stamp.size)
    let made = items.add(item, id: id, named: name, as: form, to: folder, origin: origin)
    items.setContent(of: made, to: content, copy: profile.kind == .volume ? .local : .dataless)
    becomeListed(made, in: folder, step)
    if let rival {
      items.blobs.use(content.reference.blob)
      conflicts[rival, default: []].append(content)
      emitItem(.remoteConflict, rival)
    }
    return made
  }

  private mutating func becomeListed(_ slot: Slot, in folder: Slot, _ step: RemoteStep) {
    items.touchDirectory(folder, at: step.moment)
    invalidate(folder)
    if let name = items.realName(of: slot) {
      arbiter.rebind(items.claimKey(of: name, in: folder), to: .item(slot))
      noteBounce(of: slot, name, step)
    }
    emitItem(.remoteCreated, slot)
  }

  private mutating func move(_ slot: Slot, to folder: Slot, _ name: Name, _ step: RemoteStep) {
    let from = items.path(of: slot)
    for changed in [items[slot].parent, folder] {
      items.touchDirectory(changed, at: step.moment)
      invalidate(changed)
    }
    items.move(slot, to: folder, as: name, in: form(ofMoved: slot, as: name))
    rules.forgetPaths()
    arbiter.rebind(items.claimKey(of: name, in: folder), to: .item(slot))
    noteBounce(of: slot, name, step)
    var event = Event(.remoteMoved, path: items.path(of: slot))
    event.from = from
    emit(event)
    downloadPinned(in: slot)
  }

  /// Where its new name leaves no room for a stub's, a file that is not here stands under its own.
  private func form(ofMoved slot: Slot, as name: Name) -> ItemForm {
    let form = items[slot].form
    return form == .stub && items.stubs?.stub(of: name) == nil ? .plain : form
  }

  /// The name that the provider made, or the end of an older one.
  private mutating func noteBounce(of slot: Slot, _ name: Name, _ step: RemoteStep) {
    bouncedNames[slot] = step.wanted == name ? nil : step.wanted
  }

  private func newItem(
    _ kind: ItemKind, permissions: UInt16, in folder: Slot, size: Int64, at moment: FileTime
  ) -> SourceItem {
    SourceItem(
      kind: kind, permissions: permissions, user: items[folder].user, group: items[folder].group,
      accessed: moment,
      stamp: SourceStamp(device: 0, inode: 0, size: size, modified: moment, changed: moment))
  }
}
