// Pinned items: brought here without being asked for, and never evicted.

extension Provider {
  func isPinned(_ slot: Slot) -> Bool {
    !pins.isEmpty && !items[slot].isRemoved && pins.covers(slot, in: items)
  }

  /// The downloads that are missing begin; the answer waits for none of them.
  mutating func pin(_ slots: [Slot], _ key: QuestionKey) {
    for slot in slots {
      pins.mark(slot, true)
      emit(Event(.pinned, path: items.path(of: slot)))
      downloadPinned(in: slot)
    }
    finish(key, .items(slots.map { status(of: $0) }))
  }

  /// What is here stays, and may be evicted from now on.
  mutating func unpin(_ slots: [Slot], _ key: QuestionKey) {
    for slot in slots {
      pins.mark(slot, false)
      emit(Event(.unpinned, path: items.path(of: slot)))
    }
    finish(key, .items(slots.map { status(of: $0) }))
  }

  /// A pinned file of which the newest content is not here is downloaded, though nobody asks for it.
  mutating func downloadIfPinned(_ slot: Slot) {
    guard items[slot].kind == .file, isPinned(slot) else { return }
    materialize(slot)
  }

  /// The same for all that is in a folder, as far as it is listed.
  mutating func downloadPinned(in slot: Slot) {
    if pins.isEmpty { return }
    guard items[slot].kind == .directory else { return downloadIfPinned(slot) }
    // The order in which they were listed: the first of them get the first places.
    for inner in items.contents(of: slot).reversed() { downloadIfPinned(inner) }
  }
}
