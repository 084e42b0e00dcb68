// Too little room: what was opened longest ago goes first.

extension Provider {
  /// Drops copies that nobody uses, the one that was opened longest ago first, until `bytes` are free.
  mutating func evictOldest(until bytes: Int64, sparing: Slot? = nil) -> [Slot] {
    var evicted: [Slot] = []
    var freed: Int64 = 0
    var next = items.copies.oldest
    while freed < bytes, next != Slot(0) {
      let slot = next
      next = items.copy(after: slot)
      guard slot != sparing, evictionRefusal(of: slot) == nil, !isClaimed(slot) else {
        continue
      }
      freed += items.shownStamp(of: slot).size
      evicted.append(evict(slot))
    }
    return evicted
  }

  /// Itself, or as a part of a package.
  private func isClaimed(_ slot: Slot) -> Bool {
    if arbiter.claims.isEmpty { return false }
    if !arbiter.claims(on: slot).isEmpty { return true }
    var folder = slot
    while folder != .root {
      folder = items[folder].parent
      if !arbiter.claims(on: folder).isEmpty, isPackage(folder) { return true }
    }
    return false
  }

  /// `items.localLimit`, after a download.
  mutating func keepWithinLimit(sparing slot: Slot) {
    guard let limit = profile.items.localLimit, items.copies.bytes > limit else { return }
    _ = evictOldest(until: items.copies.bytes - limit, sparing: slot)
  }
}
