// What clients ask for, verb by verb.

extension Provider {
  // MARK: Facts

  /// Of each item, and for a folder of what it holds; without paths, of what is in motion.
  mutating func status(_ slots: [Slot], _ key: QuestionKey) {
    if case .status([]) = questions[key]?.request.command {
      return finish(key, .items(slotsInMotion.map { status(of: $0) }))
    }
    var found: [Slot] = []
    for slot in slots {
      found.append(slot)
      guard items[slot].kind == .directory else { continue }
      if items[slot].listing != .listed { return wait(forListing: slot, key) }
      found += items.directory(of: slot)?.entries().map(\.slot) ?? []
    }
    finish(key, .items(found.map { status(of: $0) }))
  }

  func status(of slot: Slot) -> ItemStatus {
    ItemStatus(
      path: items.path(of: slot), id: items[slot].id, kind: items[slot].kind, copy: items[slot].copy,
      upload: items[slot].upload, size: items.shownStamp(of: slot).size, arrived: transfers.arrived(slot),
      transfer: transferStatus(of: slot), version: items[slot].version,
      localVersion: items[slot].copy == .stale ? items.shownVersion(of: slot) : nil,
      conflicts: conflicts[slot]?.count ?? 0, isPinned: isPinned(slot), isPackage: isPackage(slot),
      isUnlisted: items[slot].kind == .directory && items[slot].listing != .listed,
      openHandles: Int(items[slot].handles),
      scopes: gate.holders(of: slot, in: items), claims: arbiter.claims(on: slot))
  }

  var holdStatuses: [HoldStatus] {
    holds.all.map { status(of: $0) }
  }

  func status(of hold: Hold) -> HoldStatus {
    HoldStatus(
      name: hold.name, operation: hold.operation, path: items.path(of: hold.slot), at: hold.at,
      parked: hold.parkedCount)
  }

  // MARK: Access

  mutating func pick(_ slots: [Slot], app: AppID?, _ key: QuestionKey) {
    var granted: [GrantStatus] = []
    for slot in slots {
      gate.grant(slot, to: app)
      let path = items.path(of: slot)
      granted.append(GrantStatus(path: path, app: app))
      emit(Event(.granted, path: path, app: app))
    }
    finish(key, .grants(granted))
  }

  mutating func startScope(
    on slot: Slot, by process: ProcessID, app: AppID, covers: ScopeCoverage
  ) -> ProviderError? {
    let error = gate.start(slot, by: process, app: app, covers: covers, in: items)
    let name: EventName = error == nil ? .scopeStarted : .scopeRefused
    emit(Event(name, path: items.path(of: slot), app: app, process: process.number, error: error))
    return error
  }

  mutating func stopScope(on slot: Slot, by process: ProcessID, app: AppID) {
    let name: EventName = gate.stop(slot, by: process) ? .scopeStopped : .scopeUnmatched
    emit(Event(name, path: items.path(of: slot), app: app, process: process.number))
  }

  mutating func revoke(
    _ slots: [Slot], app: AppID?, byUser: Bool, reads: Bool, by client: ProcessID, _ key: QuestionKey
  ) {
    var summary = RevocationSummary()
    var victims: [ProcessID] = []
    for slot in slots {
      if byUser { victims += gate.holders(of: slot, app: app, in: items) }
      let (grants, scopes) = gate.deny(slot, to: app, in: items)
      summary.grants += grants
      summary.scopes += scopes
      for (id, handle) in handles.all where handle.isFile && items.isCovered(handle.slot, by: slot) {
        guard app == nil || handle.app == app else { continue }
        summary.descriptors += 1
        if byUser, let process = handle.process { victims.append(process) }
        if reads { cutOff(id, handle) }
      }
      if gate.access.mode != .simulator { failWaitingReads(of: slot, by: app) }
      emit(Event(.revoked, path: items.path(of: slot), app: app))
    }
    for process in unique(victims) where process != client {
      summary.processesKilled += 1
      effects.append(.kill(process))
    }
    let reached = slots.flatMap { slot in
      handles.all.map(\.handle.slot).filter { items.isCovered($0, by: slot) }
    }
    answer(key, .revoked(summary), afterPagesOf: unique(reached))
  }

  /// Reads of the descriptor fail from now on, those that wait too, and mapped pages are asked for again.
  private mutating func cutOff(_ id: HandleID, _ handle: OpenHandle) {
    handles[id]?.isCutOff = true
    for request in parked.keys {
      guard let asked = parked[request], case .read(id, _, _) = asked.request.operation else { continue }
      finish(asked, .error(.accessRevoked))
    }
    // After its reads were answered: pages that are locked for one cannot go.
    dropPages(of: handle.slot)
  }

  /// A reader that waits for its first byte has not got at the content yet; nor has an open that waits.
  ///
  /// Of a read the descriptor's app counts: who reads may have it from a parent, and have no scope of its own.
  mutating func failWaitingReads(of slot: Slot, by app: AppID?) {
    for request in parked.keys {
      guard let asked = parked[request], case .content(let wanted) = asked.wait,
        items.isCovered(wanted, by: slot)
      else { continue }
      switch asked.request.operation {
      case .read(let id, _, _) where app == nil || handles[id]?.app == app:
        // Of one that comes in parts, it may have had some.
        if handles[id]?.wasRead == true { continue }
        // Whoever copies by several calls tries the next one; that must not wait for the download again.
        handles[id]?.isCutOff = true
        finish(asked, .error(.accessRevoked))
      case .open:
        if case .failure(let error) = passGate(asked.request, on: .item(wanted)) {
          finish(asked, .error(error))
        }
      default: break
      }
    }
  }

  mutating func restore(_ slots: [Slot], app: AppID?, _ key: QuestionKey) {
    for slot in slots where gate.restore(slot, to: app, in: items) > 0 {
      emit(Event(.restored, path: items.path(of: slot), app: app))
    }
    finish(key, .done)
  }

  // MARK: Content

  mutating func download(_ slots: [Slot], _ key: QuestionKey) {
    if let folder = slots.first(where: { items[$0].kind == .directory && !isPackage($0) }) {
      return finish(key, .failure(.isADirectory, items.path(of: folder)))
    }
    var files: [Slot] = []
    for slot in slots {
      if items[slot].kind == .directory {
        guard isListed(package: slot, key) else { return }
        files += gaps(inPackage: slot).files
      } else {
        files.append(slot)
      }
    }
    if awaitContents(of: files, key) { return }
    finish(key, .items(slots.map { status(of: $0) }))
  }

  /// - Returns: whether the question waits for one of the contents.
  mutating func awaitContents(of slots: [Slot], _ key: QuestionKey) -> Bool {
    let takesStale = questions[key]?.takesStale ?? []
    let missing = slots.filter { !isCurrent($0) && !(takesStale.contains($0) && isHere($0)) }
    if missing.isEmpty { return false }
    questions[key]?.wait = .content(missing)
    for slot in missing {
      contentWaiters[slot, default: []].append(.question(key))
      materialize(slot, isUrgent: true)
    }
    return true
  }

  /// - Parameter isLate: no longer waits for closes.
  mutating func evict(_ slots: [Slot], _ key: QuestionKey, isLate: Bool = false) {
    for slot in slots where isPackage(slot) {
      if let folder = unlistedCopies(inPackage: slot) { return wait(forListing: folder, key) }
    }
    for slot in slots {
      switch evictionObstacle(of: slot) {
      case nil: continue
      case .busy where isLate && isPackage(slot): continue
      case .busy where !isLate:
        // A close arrives after close(2) has returned: one that is under way must not look like an open file.
        questions[key]?.wait = .eviction
        return effects.append(.limit(key.session, number: key.number, milliseconds: 1000))
      case .some(let error): return finish(key, .failure(error, items.path(of: slot)))
      }
    }
    var evicted: [Slot] = []
    for slot in slots {
      if items[slot].kind != .directory {
        evicted.append(evict(slot))
      } else if let refusal = evict(package: slot) {
        return finish(key, .failure(refusal.error, refusal.path))
      } else {
        evicted.append(slot)
      }
    }
    finish(key, .items(evicted.map { status(of: $0) }))
  }

  /// What the system does when it runs out of room.
  mutating func relieve(_ bytes: Int64, _ key: QuestionKey) {
    let before = items.copies.bytes
    let evicted = evictOldest(until: bytes)
    finish(key, .relieved(evicted.map { status(of: $0) }, bytes: before - items.copies.bytes))
  }

  mutating func retryEvictions() {
    for key in questions.keys where questions[key]?.wait == .eviction {
      guard case .evict(let paths) = questions[key]?.request.command else { continue }
      let isFree = paths.allSatisfy { path in
        guard case .found(let slot) = resolve(path) else { return true }
        return evictionObstacle(of: slot) != .busy
      }
      if isFree { ask(again: key) }
    }
  }

  // MARK: Holds

  mutating func hold(
    _ operation: OperationName, on slot: Slot, at: HoldPoint?, name: String?, _ key: QuestionKey
  ) {
    if at != nil, operation != .read, operation != .download {
      let problem = "a hold on \(operation.rawValue) has no point: only reads and downloads have bytes"
      return finish(key, .failure(.invalid(problem), nil))
    }
    guard holds.all.count < Holds.limit else {
      return finish(key, .failure(.invalid("there are \(Holds.limit) holds already"), nil))
    }
    guard let hold = holds.add(operation, on: slot, at: at, name: name) else {
      return finish(key, .failure(.invalid("there is a hold named \(name ?? "") already"), nil))
    }
    if operation == .download {
      for transfer in transfers.slots where items.isCovered(transfer, by: slot) {
        stop(transfer, at: hold)
      }
    }
    finish(key, .hold(hold.name))
  }

  mutating func release(_ name: String, error: ErrnoName?, _ key: QuestionKey) {
    guard let hold = holds.remove(name) else {
      let others =
        holds.all.isEmpty ? "none is set" : "set are " + holds.all.map(\.name).joined(separator: ", ")
      return finish(key, .failure(.invalid("there is no hold named \(name): \(others)"), nil))
    }
    letGo(of: hold, error: error)
    finish(key, .released(hold.parkedCount))
  }

  /// What waits at a hold that is gone goes on, or fails.
  mutating func letGo(of hold: Hold, error: ErrnoName?) {
    var event = Event(
      .holdReleased, path: items.path(of: hold.slot), error: error.map(ProviderError.released))
    event.hold = hold.name
    event.operation = hold.operation.rawValue
    emit(event)
    transfers.release(hold.id)
    for waiter in hold.parked {
      switch (waiter, error) {
      case (.request(let id), nil): resume(id)
      case (.request(let id), let error?): fail(id, .released(error))
      case (.question(let key), nil): ask(again: key)
      case (.question(let key), let error?): refuse(key, .released(error), on: hold.slot)
      }
    }
    if let error { for slot in hold.transfers { transferFailed(slot, .released(error)) } }
    freeIfUnused(hold.slot)
  }

  // MARK: Conditions

  mutating func wait(for condition: Condition, _ key: QuestionKey) {
    if case .state(let path, _) = condition {
      switch resolve(path) {
      case .unlisted(let slot): return wait(forListing: slot, key)
      case .missing, .noSuchFolder: return finish(key, .failure(.noSuchItem, path))
      case .found: break
      }
    }
    questions[key]?.wait = .condition(condition)
  }

  /// Answers the waits whose condition holds now; events answer theirs as they happen.
  mutating func answerConditions() {
    for key in questions.keys {
      guard case .condition(let condition) = questions[key]?.wait else { continue }
      switch condition {
      case .hold(let name):
        if (holds[name]?.parkedCount ?? 0) > 0 { finish(key, .done) }
      case .state(let path, let state):
        if case .found(let slot) = resolve(path), items[slot].copy == state { finish(key, .done) }
      case .event: break
      }
    }
  }

  mutating func answerEventWaits(_ name: EventName) {
    for key in questions.keys where questions[key]?.wait == .condition(.event(name.rawValue)) {
      finish(key, .done)
    }
  }
}

/// In order, each once.
func unique<Element: Comparable>(_ elements: [Element]) -> [Element] {
  var result: [Element] = []
  for element in elements.sorted() where element != result.last { result.append(element) }
  return result
}

extension Gate {
  /// Processes that speak for `app` (nil: for any) and have started access to `slot` or to what it holds.
  func holders(of slot: Slot, app: AppID?, in items: ItemTable) -> [ProcessID] {
    processes(where: { scope in
      (app == nil || scope.app == app)
        && (items.isCovered(slot, by: scope.slot) || items.isCovered(scope.slot, by: slot))
    })
  }
}
