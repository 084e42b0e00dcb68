// Making items local, and dropping their copies.

extension Provider {
  /// Starts the item's download unless it is under way.
  mutating func materialize(_ slot: Slot) {
    guard transfers[slot] == nil, !isHere(slot) else { return }
    items[slot].copy = .downloading
    let id = items[slot].id
    let attempt = attempts.count(.download, of: id)
    let dice = Dice(seed: profile.seed, item: id, action: .download, attempt: attempt)
    let size = items[slot].stamp.size
    transfers.start(
      Transfer(slot: slot, size: size, latency: profile.download.latency.draw(dice), started: now))
    for hold in holds.all where hold.operation == .download && items.isCovered(slot, by: hold.slot) {
      transfers.addStop(hold.id, at: hold.at?.offset(in: size) ?? 0, to: slot)
    }
    emitItem(.downloadStarted, slot)
  }

  /// What was on its way is no longer what the server has: it begins again, for whoever waits for it.
  mutating func restartDownload(of slot: Slot) {
    transfers.cancel(slot)
    holds.unpark(transfer: slot)
    items[slot].copy = .dataless
    materialize(slot)
  }

  mutating func transferFinished(_ slot: Slot) {
    items[slot].copy = .local
    emitItem(.downloadFinished, slot)
    let waiting = contentWaiters.remove(slot) ?? []
    for waiter in waiting { wake(waiter) }
    effects.append(.invalidate(items.node(of: slot)))
  }

  mutating func transferFailed(_ slot: Slot, _ error: ProviderError) {
    transfers.cancel(slot)
    items[slot].copy = .dataless
    let path = items.path(of: slot)
    emit(Event(.downloadFailed, path: path, error: error))
    let waiting = contentWaiters.remove(slot) ?? []
    for waiter in waiting { fail(waiter, error, path) }
  }

  /// Why an item's copy cannot be dropped now; ``ProviderError/busy`` may pass when closes arrive.
  func evictionRefusal(of slot: Slot) -> ProviderError? {
    if items[slot].kind == .directory { return .isADirectory }
    if items[slot].upload != .clean { return .provider(.unsyncedEdits) }
    if items[slot].copy == .dataless { return nil }
    return items[slot].copy == .downloading || items[slot].handles > 0 ? .busy : nil
  }

  mutating func evict(_ slot: Slot) {
    guard isHere(slot), items[slot].kind == .file, items[slot].stamp.size > 0 else { return }
    items[slot].copy = .dataless
    effects.append(.invalidate(items.node(of: slot)))
    dropPages(of: slot)
    emitItem(.evicted, slot)
  }

  // MARK: Time

  /// Lets everything happen that is due up to `moment`, in its order.
  mutating func advance(to moment: Instant) {
    while true {
      dropStaleDeadlines()
      let due = deadlines.first.flatMap { $0.at <= moment ? $0 : nil }
      if let (at, change) = transfers.next(through: min(due?.at ?? moment, moment)) {
        now = max(now, at)
        take(change)
      } else if let due {
        now = max(now, due.at)
        deadlines.removeFirst()
        meet(due.due)
      } else {
        break
      }
    }
    now = max(now, moment)
  }

  /// What was interrupted or answered meanwhile leaves its deadline behind.
  mutating func dropStaleDeadlines() {
    while let first = deadlines.first, !isAwaited(first.due) { deadlines.removeFirst() }
  }

  private func isAwaited(_ due: Due) -> Bool {
    switch due {
    case .request(let id): parked[id]?.wait == .delay || parked[id]?.wait == .pause
    case .question(let key): questions[key]?.wait == .delay
    case .timedEvent: true
    }
  }

  private mutating func meet(_ due: Due) {
    switch due {
    case .request(let id): resume(id, delayed: parked[id]?.wait == .delay)
    case .question(let key): ask(again: key)
    case .timedEvent(let index):
      let event = profile.events[index]
      apply(event.change, to: event.path)
    }
  }

  private mutating func take(_ change: Transfers.Change) {
    switch change {
    case .began: break
    case .finished(let slot): transferFinished(slot)
    case .reachedHold(let slot, let hold):
      holds.park(transfer: slot, at: hold)
      var event = Event(.held, path: items.path(of: slot))
      event.operation = OperationName.download.rawValue
      event.hold = holds.name(of: hold)
      event.offset = transfers[slot]?.arrived
      emit(event)
    }
  }
}
