// Items that lose their name: what becomes of whoever still has them, and when their place is free.

extension Provider {
  /// Takes an item's name away, and those of all that is in it.
  mutating func removeAll(_ slot: Slot, at moment: FileTime) {
    for inner in items[slot].kind == .directory ? items.contents(of: slot) : [] { remove(inner, at: moment) }
    remove(slot, at: moment)
  }

  /// Takes an item's name away; a folder must be empty, as far as it is listed.
  mutating func remove(_ slot: Slot, at moment: FileTime) {
    items.touchDirectory(items[slot].parent, at: moment)
    invalidate(items[slot].parent)
    items.remove(slot)
    loseServerContent(of: slot)
    invalidate(slot)
    freeIfUnused(slot)
  }

  /// What is not here of an item without a name can no longer be had.
  mutating func loseServerContent(of slot: Slot) {
    items.keepOnlyLocalContent(of: slot)
    items.endDownload(of: slot)
    transfers.cancel(slot)
    holds.unpark(transfer: slot)
    let (path, loss) = (items.path(of: slot), lossOfContent(of: slot))
    for waiter in contentWaiters.remove(slot) ?? [] {
      // An accessor runs whether its item exists or not.
      if case .claim = waiter { wake(waiter) } else { fail(waiter, loss, path) }
    }
  }

  // MARK: Places

  /// Gives the places of removed items away once nothing leads to them.
  mutating func freeIfUnused(_ slot: Slot) {
    var slot = slot
    while items.isOrphan(slot), !isUsed(slot) {
      gate.forget(slot)
      rules.forget(slot)
      sizeCourses.remove(slot)
      announcedChanges.remove(slot)
      bouncedNames.remove(slot)
      pins.forget(slot)
      for conflict in conflicts.remove(slot) ?? [] { items.blobs.release(conflict.reference.blob) }
      if let content = prepared.remove(slot) { items.blobs.release(content.reference.blob) }
      slot = items.free(slot)
    }
  }

  private func isUsed(_ slot: Slot) -> Bool {
    let record = items[slot]
    if record.lookups > 0 || record.handles > 0 || record.waitingFills > 0 { return true }
    if record.isDroppingPages || record.listing == .underWay || items.hasOrphans(slot) { return true }
    if transfers[slot] != nil || !(contentWaiters[slot] ?? []).isEmpty { return true }
    if !(listingWaiters[slot] ?? []).isEmpty || !(pageWaiters[slot] ?? []).isEmpty { return true }
    if holds.all.contains(where: { $0.slot == slot }) || !arbiter.claims(on: slot).isEmpty { return true }
    return remote.concerns(slot) || recreations[slot] != nil
  }

  // MARK: Successors

  /// The item's open files keep the record that they have, with the content that is here, and the item goes on in
  /// another one: to the kernel it is another file of the same name, so that the contents cannot mix.
  mutating func makeRoom(for slot: Slot) -> Slot {
    guard let content = items.serverContent(of: slot) else { return slot }
    let successor = items.succeed(slot, id: nil, content: content, copy: .dataless)
    handOver(from: slot, to: successor)
    items.keepOnlyLocalContent(of: slot)
    return successor
  }

  /// What was said of one item is said of another from now on: access goes by place, and so do holds.
  mutating func handOver(from old: Slot, to new: Slot) {
    gate.rebind(from: old, to: new)
    holds.rebind(from: old, to: new)
    rules.rebind(from: old, to: new)
    sizeCourses[new] = sizeCourses.remove(old)
    arbiter.rebind(.item(old), to: .item(new))
    remote.rebind(from: old, to: new)
    for key in questions.keys where questions[key]?.judged.contains(old) == true {
      questions[key]?.judged.append(new)
    }
    announcedChanges[new] = announcedChanges.remove(old)
    bouncedNames[new] = bouncedNames.remove(old)
    conflicts[new] = conflicts.remove(old)
    prepared[new] = prepared.remove(old)
    pins.rebind(from: old, to: new)
  }
}
