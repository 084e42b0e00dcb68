// What goes on now, for whoever watches.

extension Provider {
  mutating func overview(of folder: Slot, limit: Int, _ key: QuestionKey) {
    guard items[folder].kind == .directory else {
      return finish(key, .failure(.notADirectory, items.path(of: folder)))
    }
    if items[folder].listing != .listed { return wait(forListing: folder, key) }
    var overview = Overview(
      now: now, condition: condition, isDeviceLocked: isDeviceLocked, folder: items.path(of: folder))
    let moving = slotsInMotion
    let directory = items.directory(of: folder)
    // Of a folder with more than fit, not all are looked at.
    let first = directory?.entries().prefix(limit + moving.count).map(\.slot) ?? []
    let others = first.filter { !moving.contains($0) }.sorted { items.precedes($0, $1) }
    overview.items = (moving + others).prefix(limit).map { status(of: $0) }
    overview.holds = holds.all.prefix(limit).map { status(of: $0) }
    let waiting = waitingStatuses
    overview.waiting = Array(waiting.prefix(limit))
    let scopes = gate.started
    overview.scopes = scopes.prefix(limit).map { process, scope in
      ScopeStatus(
        path: items.path(of: scope.slot), app: scope.app, process: process.number, count: scope.count,
        covers: scope.covers)
    }
    overview.claims = arbiter.claims.prefix(limit).map { status(of: $0) }
    overview.rules = rules.all.prefix(limit).map {
      RuleHits(name: $0.rule.name, operations: $0.rule.operations, hits: $0.hits)
    }
    overview.counts = Overview.Counts(
      moving: moving.count,
      items: (directory?.count ?? 0) + moving.count { items[$0].parent != folder }, holds: holds.all.count,
      waiting: waiting.count, scopes: scopes.count, claims: arbiter.claims.count, rules: rules.all.count)
    finish(key, .overview(overview))
  }

  /// Open, or on their way.
  var slotsInMotion: [Slot] {
    unique(transfers.slots + handles.all.filter(\.handle.isFile).map(\.handle.slot))
  }

  // MARK: Who waits

  private var waitingStatuses: [WaitingStatus] {
    var waiting = parked.keys.compactMap { parked[$0].map(status(of:)) }
    waiting += questions.keys.compactMap { questions[$0].flatMap(status(of:)) }
    for hold in holds.all {
      waiting += hold.transfers.map { slot in
        WaitingStatus(
          operation: OperationName.download.rawValue, path: items.path(of: slot), reason: .hold,
          hold: hold.name)
      }
    }
    // Of those who came at one moment, the order of their numbers stays.
    return waiting.enumerated().sorted { a, b in
      let (first, second) = (a.element.since ?? .start, b.element.since ?? .start)
      return first == second ? a.offset < b.offset : first < second
    }.map(\.element)
  }

  private func status(of asked: Parked) -> WaitingStatus {
    var status = WaitingStatus(
      operation: asked.request.operation.name, path: ItemPath(), app: asked.request.caller.app,
      process: asked.request.caller.process?.number, reason: .source, since: asked.since)
    if case .success(let subject) = subject(of: asked.request.operation), let slot = subject.slot {
      status.path = items.path(of: slot)
    }
    if case .lookup(_, let name) = asked.request.operation { status.path.names.append(name) }
    switch asked.wait {
    case .hold(let id):
      status.reason = .hold
      status.hold = holds.name(of: id)
    case .delay, .pause: status.reason = .delay
    case .listing: status.reason = .listing
    case .content: status.reason = .content
    case .provider: status.reason = .provider
    case .nothing, .opening, .reopening, .pages: status.reason = .source
    }
    return status
  }

  /// Only the calls of apps that wait for something that befell them.
  private func status(of question: Question) -> WaitingStatus? {
    let operation: OperationName
    let path: ItemPath
    switch question.request.command {
    case .start(let asked, _): (operation, path) = (.start, asked)
    case .stop(let asked): (operation, path) = (.stop, asked)
    case .coordinate(let intents, _): (operation, path) = (.coordinate, intents.first?.path ?? ItemPath())
    default: return nil
    }
    let session = sessions[question.request.session]
    var status = WaitingStatus(
      operation: operation.rawValue, path: path, app: session?.app, process: session?.process.number,
      reason: .delay, since: question.since)
    switch question.wait {
    case .hold(let id):
      status.reason = .hold
      status.hold = holds.name(of: id)
    case .delay: status.reason = .delay
    default: return nil
    }
    return status
  }

  private func status(of claim: Claim) -> ClaimStatus {
    ClaimStatus(
      id: claim.id,
      intents: claim.parts.map { part in
        var intent = part.intent
        if case .item(let slot) = part.key { intent.path = items.path(of: slot) }
        return intent
      }, app: sessions[claim.session]?.app, process: claim.process.number,
      phase: claim.phase == .granted ? .granted : claim.phase == .waiting ? .waiting : .materializing,
      since: claim.scheduled)
  }
}

extension ItemTable {
  /// By the bytes of their names.
  fileprivate func precedes(_ a: Slot, _ b: Slot) -> Bool {
    names[self[a].name].lexicographicallyPrecedes(names[self[b].name])
  }
}

extension Gate {
  /// Every started scope with its process.
  var started: [(process: ProcessID, scope: Scope)] {
    processes(where: { _ in true }).flatMap { process in scopes(of: process).map { (process, $0) } }
  }
}
