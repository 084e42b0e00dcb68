// Making items local, and dropping their copies.

extension Provider {
  /// Starts the item's download unless it is under way.
  ///
  /// - Parameter isUrgent: a client asks for just this; it does not wait until a download that failed is tried
  ///   again by itself.
  mutating func materialize(_ slot: Slot, isUrgent: Bool = false) {
    if isCurrent(slot) || items[slot].isRemoved { return }
    guard let transfer = transfers[slot] else { return attemptDownload(of: slot) }
    if isUrgent, case .retrying = transfer.phase { attemptDownload(of: slot, after: transfer.trouble) }
  }

  /// Begins the item's download: everything that can befall it on its way is found here.
  mutating func attemptDownload(of slot: Slot, after trouble: Transfer.Trouble? = nil) {
    let (id, size) = (items[slot].id, items[slot].stamp.size)
    let attempt = attempts.count(.download, of: id)
    let dice = Dice(seed: profile.seed, item: id, action: .download, attempt: attempt)
    items.beginDownload(of: slot)
    transfers.start(
      Transfer(
        slot: slot, size: size, latency: profile.download.latency.draw(dice),
        limit: profile.download.itemBandwidth, trouble: trouble))
    for hold in holds.all
    where hold.operation == .download && hold.rule == nil && items.isCovered(slot, by: hold.slot) {
      stop(slot, at: hold)
    }
    judgeTransfer(slot)
    if !profile.download.stalls.isEmpty {
      let paths = items.patternPaths(of: slot)
      for stall in profile.download.stalls
      where stall.path.map({ glob in paths.contains { glob.matches($0) } }) ?? true {
        transfers.addStop(.stall(stall), at: stall.at.offset(in: size), to: slot)
      }
    }
    for case .request(let id) in contentWaiters[slot] ?? [] {
      if let end = parked[id].flatMap({ neededEnd($0.request.operation) }) {
        transfers.announce(end, of: slot)
      }
    }
    emitItem(.downloadStarted, slot)
  }

  mutating func stop(_ slot: Slot, at hold: Hold) {
    transfers.addStop(.hold(hold.id), at: hold.at?.offset(in: items[slot].stamp.size) ?? 0, to: slot)
  }

  /// What was on its way is no longer what the server has: it begins again, for whoever waits for it.
  mutating func restartDownload(of slot: Slot) {
    transfers.cancel(slot)
    holds.unpark(transfer: slot)
    attemptDownload(of: slot)
  }

  /// Parks the request until the content that it needs is here.
  mutating func awaitContent(of slot: Slot, for asked: Parked) {
    park(asked, .content(slot))
    contentWaiters[slot, default: []].append(.request(asked.request.id))
    materialize(slot)
    if let end = neededEnd(asked.request.operation) { transfers.announce(end, of: slot) }
    if transfers[slot]?.trouble != nil { limitPatience(of: asked.request.id) }
  }

  private mutating func transferFinished(_ slot: Slot) {
    let waiting = contentWaiters.remove(slot) ?? []
    // Whoever still reads the older content goes on with it, in a file of its own.
    let current = items[slot].copy == .stale && items[slot].handles > 0 ? makeRoom(for: slot) : slot
    items.becomeLocal(current)
    let shown = turnIfDue(current)
    emitItem(.downloadFinished, shown)
    for waiter in waiting { wake(waiter) }
    // Its pages can stay: of an older content there are none that an open would not drop first, and those of this
    // one may be awaited already.
    invalidate(current)
    keepWithinLimit(sparing: shown)
  }

  /// Why an item's copy cannot be dropped now; ``ProviderError/busy`` may pass when closes arrive.
  func evictionRefusal(of slot: Slot) -> ProviderError? {
    if items[slot].kind == .directory { return .isADirectory }
    if items[slot].form == .pointer { return .provider(.nonEvictable) }
    if items[slot].upload != .clean { return .provider(.unsyncedEdits) }
    if isPinned(slot) { return .provider(.nonEvictable) }
    if items[slot].copy == .dataless { return nil }
    return transfers[slot] != nil || items[slot].handles > 0 ? .busy : nil
  }

  /// - Returns: where the item goes on.
  @discardableResult
  mutating func evict(_ slot: Slot) -> Slot {
    guard isHere(slot), items[slot].kind == .file else { return slot }
    guard items[slot].stamp.size > 0 || items[slot].copy == .stale else { return slot }
    items.becomeDataless(slot)
    invalidate(slot)
    dropPages(of: slot)
    emitItem(.evicted, slot)
    return turnIfDue(slot)
  }

  /// The kernel's attributes of it are out of date.
  mutating func invalidate(_ slot: Slot) { effects.append(.invalidate(items.node(of: slot))) }

  /// With `items.onRemoteUpdate` as `evict`, a copy that is out of date goes once nobody has it open.
  mutating func evictIfOutOfDate(_ slot: Slot) {
    guard profile.items.onRemoteUpdate == .evict, items[slot].copy == .stale, !items[slot].isRemoved,
      evictionRefusal(of: slot) == nil
    else { return }
    evict(slot)
  }

  // MARK: Parts

  /// Whether a read can be served while the rest is on its way.
  func hasArrived(_ range: Range<Int64>, of slot: Slot) -> Bool {
    guard profile.download.partial, let arrived = transfers.arrived(slot) else { return false }
    return arrived >= min(range.upperBound, items[slot].stamp.size)
  }

  /// How much of the item a waiting read needs; nil for what needs all of it.
  private func neededEnd(_ operation: Operation) -> Int64? {
    guard profile.download.partial, case .read(let id, let offset, let length) = operation,
      let slot = handles[id]?.slot
    else { return nil }
    return min(offset + length, items[slot].stamp.size)
  }

  private mutating func wakeReaders(of slot: Slot) {
    let arrived = transfers.arrived(slot) ?? 0
    for case .request(let id) in contentWaiters[slot] ?? [] {
      guard let asked = parked[id], let end = neededEnd(asked.request.operation), end <= arrived else {
        continue
      }
      resume(id)
    }
  }

  // MARK: On its way

  mutating func take(_ change: Transfers.Change) {
    switch change {
    case .began(let slot): if let error = fetchError { transferFailed(slot, error) }
    case .arrived(let slot): wakeReaders(of: slot)
    case .finished(let slot): transferFinished(slot)
    case .reached(let slot, .hold(let hold)): park(transfer: slot, at: hold, rule: nil)
    case .reached(let slot, .rule): strike(transfer: slot)
    case .reached(let slot, .stall):
      var event = Event(.downloadStalled, path: items.path(of: slot))
      event.offset = transfers.arrived(slot)
      emit(event)
    }
  }

  mutating func park(transfer slot: Slot, at hold: HoldID, rule: String?) {
    holds.park(transfer: slot, at: hold)
    var event = Event(.held, path: items.path(of: slot))
    event.operation = OperationName.download.rawValue
    event.hold = holds.name(of: hold)
    event.offset = transfers.arrived(slot)
    event.rule = rule
    emit(event)
  }

  func transferStatus(of slot: Slot) -> TransferStatus? {
    guard let transfer = transfers[slot] else { return nil }
    let phase: TransferStatus.Phase =
      switch transfer.phase {
      case .queued: .queued
      case .latency: .waiting
      case .streaming: .streaming
      case .held: .held
      case .stalled, .struck: .stalled
      case .retrying: .retrying
      }
    return TransferStatus(phase: phase, bytesPerSecond: transfers.bytesPerSecond(slot))
  }
}
