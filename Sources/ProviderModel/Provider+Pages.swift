// The kernel's pages of an item. sendfile and maps read through them, also on an open whose read(2) does not.
//
// Every open keeps them: without that, the kernel itself drops them as it opens, and waits there for the pages
// that somebody else's held read has locked, in a sleep that no signal ends. So the model has them dropped before
// an open that may find some, by the thread that is there for it, and the open waits with us, where it can be
// interrupted. While a read for the page cache waits, nothing is dropped: dropping would wait for it.

/// What the kernel may have of an item's content.
enum PageState: UInt8 {
  case none
  case some
  case dropping
  /// A read came while the older pages were being dropped.
  case droppingAndFilled
}

extension ItemRecord {
  var isDroppingPages: Bool { pages == .dropping || pages == .droppingAndFilled }
}

extension Provider {
  /// A read for the page cache is about to be answered with content.
  mutating func noteFill(of slot: Slot) {
    switch items[slot].pages {
    case .none: items[slot].pages = .some
    case .dropping: items[slot].pages = .droppingAndFilled
    case .some, .droppingAndFilled: break
    }
  }

  /// Whether an open has to wait for the pages of earlier opens to go.
  func mustDropPages(before asked: Parked, of slot: Slot) -> Bool {
    !asked.sawPagesDropped && items[slot].pages != .none && items[slot].waitingFills == 0
  }

  /// The item's pages are out of date: dropped now, or when no read for them waits any longer.
  mutating func dropPages(of slot: Slot) {
    guard items[slot].waitingFills == 0 else {
      items[slot].dropsPagesLater = true
      return
    }
    items[slot].dropsPagesLater = false
    guard items[slot].pages == .some || items[slot].pages == .droppingAndFilled else { return }
    items[slot].pages = .dropping
    effects.append(.dropPages(slot, items.node(of: slot)))
  }

  mutating func pagesDropped(_ slot: Slot) {
    items[slot].pages = items[slot].pages == .droppingAndFilled ? .some : .none
    for waiter in pageWaiters.remove(slot) ?? [] {
      parked[waiter]?.sawPagesDropped = true
      resume(waiter)
    }
    for key in questions.keys {
      guard case .pages(let slots, let answer) = questions[key]?.wait else { continue }
      let left = slots.filter { $0 != slot }
      if left.isEmpty { finish(key, answer) } else { questions[key]?.wait = .pages(left, answer) }
    }
    freeIfUnused(slot)
  }

  // MARK: Reads for the page cache that wait

  func fill(_ request: KernelRequest) -> Slot? {
    guard request.fillsCache, case .read(let id, _, _) = request.operation else { return nil }
    return handles[id]?.slot
  }

  mutating func fillWaits(_ request: KernelRequest) {
    if let slot = fill(request) { items[slot].waitingFills += 1 }
  }

  mutating func fillNoLongerWaits(_ request: KernelRequest) {
    guard let slot = fill(request) else { return }
    items[slot].waitingFills -= 1
  }

  /// After a read was answered: what could not be dropped while it waited.
  mutating func dropPagesIfDue(after request: KernelRequest) {
    guard let slot = fill(request), items[slot].dropsPagesLater else { return }
    dropPages(of: slot)
  }
}
