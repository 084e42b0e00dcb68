// Another file in an item's place, as a program makes it that saves safely: what a rule does between somebody's
// look and its open.

/// An item that is to come back under its name.
struct Recreation {
  var parent: Slot
  var name: Name
  var content: Content
  var copy: CopyState
}

extension Provider {
  /// Another item, with an identifier and a version of its own, takes the item's name. Its bytes are those that
  /// `remote write --on-replace` has laid ready for it, else the server's own.
  ///
  /// Who has the old one open goes on reading what is here of it; who has looked it up and opens it meets ESTALE,
  /// whereupon the kernel looks again. Grants, scopes and holds go over to the new item.
  /// - Parameter gap: with `recreate`, for how long there is nothing of this name.
  /// - Returns: false for what is no file, or has lost its name already.
  @discardableResult
  mutating func replace(_ slot: Slot, by kind: RuleChange.Replacement, gap: Span) -> Bool {
    guard items[slot].kind == .file, !items[slot].isRemoved, let name = items.realName(of: slot),
      let server = items.serverContent(of: slot)
    else { return false }
    let laidReady = prepared.remove(slot)
    var content = laidReady ?? server
    content.version = items[slot].version + 1
    let copy: CopyState = isHere(slot) ? .local : .dataless
    switch kind {
    case .rename:
      let id = ItemTable.identifier(ofSuccessorTo: items[slot].id)
      let new = items.succeed(slot, id: id, content: content, copy: copy)
      items.blobs.release(laidReady?.reference.blob)
      becomeReplaced(slot, by: new)
    case .recreate:
      if laidReady == nil { items.blobs.use(content.reference.blob) }
      recreations[slot] = Recreation(parent: items[slot].parent, name: name, content: content, copy: copy)
      items.remove(slot)
      loseServerContent(of: slot)
      invalidate(slot)
      emitItem(.replaced, slot)
      if gap > .zero { deadlines.schedule(.recreation(slot), at: now + gap) } else { recreate(slot) }
    }
    return true
  }

  private mutating func becomeReplaced(_ old: Slot, by new: Slot) {
    let transfer = transfers[old]
    let claims = (contentWaiters[old] ?? []).filter { if case .claim = $0 { true } else { false } }
    contentWaiters[old]?.removeAll { claims.contains($0) }
    handOver(from: old, to: new)
    loseServerContent(of: old)
    fetch(new, for: claims, inPlaceOf: transfer)
    invalidate(old)
    emitItem(.replaced, new)
    downloadIfPinned(new)
    freeIfUnused(old)
  }

  /// The name that comes back, unless the child is just giving it to something else.
  private func nameLeft(by due: Recreation) -> Name {
    let isPromised = remote.all.contains { step in
      guard step.phase == .underWay, !step.isApplied, let target = step.action.target else { return false }
      return target.folder == due.parent && items.areOne(target.name, due.name)
    }
    return isPromised ? due.name.numbered(2) : due.name
  }

  /// The end of a gap.
  mutating func recreate(_ slot: Slot) {
    guard let due = recreations.remove(slot) else { return }
    defer {
      items.blobs.release(due.content.reference.blob)
      freeIfUnused(slot)
    }
    // Its folder has gone meanwhile, and with it the place to come back to.
    guard !items[due.parent].isRemoved else { return }
    let old = items[slot]
    let item = SourceItem(
      kind: .file, permissions: old.permissions, user: old.user, group: old.group, accessed: old.accessed,
      stamp: due.content.stamp)
    let new = items.add(
      item, id: ItemTable.identifier(ofSuccessorTo: old.id),
      named: items.freeName(like: nameLeft(by: due), in: due.parent), as: old.form, to: due.parent,
      origin: items.origin(of: slot))
    items.setContent(of: new, to: due.content, copy: due.copy)
    handOver(from: slot, to: new)
    if let name = items.realName(of: new) {
      arbiter.rebind(items.claimKey(of: name, in: due.parent), to: .item(new))
    }
    invalidate(due.parent)
    emitItem(.remoteCreated, new)
    downloadIfPinned(new)
  }
}
