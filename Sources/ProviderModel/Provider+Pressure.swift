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
      guard slot != sparing, evictionRefusal(of: slot) == nil, arbiter.claims(on: slot).isEmpty else {
        continue
      }
      freed += items.shownStamp(of: slot).size
      evicted.append(evict(slot))
    }
    return evicted
  }

  /// `items.localLimit`, after a download.
  mutating func keepWithinLimit(sparing slot: Slot) {
    guard let limit = profile.items.localLimit, items.copies.bytes > limit else { return }
    _ = evictOldest(until: items.copies.bytes - limit, sparing: slot)
  }
}
