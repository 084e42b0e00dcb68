// Rules at work: asking them about a request, and carrying out what the one that strikes says.

extension Provider {
  // MARK: Asking

  /// The item that a request is about for rules: of a lookup, what is looked up.
  func concern(of request: KernelRequest, on subject: Subject) -> Slot? {
    guard case .lookup(_, let name) = request.operation, let folder = subject.slot else {
      return subject.slot
    }
    return items[folder].kind == .directory ? items.child(name, of: folder) : nil
  }

  /// What the rules say to a request that passed the gate; nil when there is nothing to ask or to do.
  func judgement(of asked: Parked, on subject: Subject) -> Judgement? {
    guard !asked.isJudged, let slot = concern(of: asked.request, on: subject) else { return nil }
    let operation = asked.request.operation.kind
    guard rules.mayConcern(operation, on: slot) else { return nil }
    // How far a listing gets is known once there is one.
    if operation == .readdir, items[slot].kind == .directory, items[slot].listing != .listed { return nil }
    let handle = handle(of: asked)
    let judgement = rules.judgement(
      of: context(of: asked, operation, on: slot), seed: profile.seed, judged: handle?.judged ?? [],
      struck: handle?.struck ?? [])
    return judgement.considered.isEmpty ? nil : judgement
  }

  func context(of asked: Parked, _ operation: OperationName, on slot: Slot) -> RuleContext {
    let handle = handle(of: asked)
    var bytes: Range<Int64>?
    var size = handle.flatMap { $0.isFile ? $0.size : nil } ?? items.shownSize(of: slot)
    switch asked.request.operation {
    case .read(_, let offset, let length): bytes = offset..<max(offset + 1, offset + length)
    case .readDirectory(_, let cookie, _, _):
      // Of a folder, its entries are counted.
      let directory = items.directory(of: slot)
      let next = Int64(directory?.place(after: max(cookie, 2)) ?? 0)
      bytes = next..<next + 1
      size = Int64(directory?.count ?? 0)
    default: break
    }
    return RuleContext(
      operation: operation, slot: slot, item: items[slot].id, copy: asked.copy ?? items[slot].copy,
      app: handle?.app ?? asked.request.caller.app,
      isCoordinated: arbiter.holds(asked.request.caller.process, on: slot), bytes: bytes,
      size: size, now: now)
  }

  /// The entry before which a listing pauses, so that the request that reaches it is one of its own.
  func listingLimit(of asked: Parked, on slot: Slot) -> Int {
    guard rules.mayConcern(.readdir, on: slot) else { return .max }
    let context = context(of: asked, .readdir, on: slot)
    let next = context.bytes?.lowerBound ?? 0
    let starts = rules.firstBytes(of: context).filter { $0 > next }
    return starts.min().map { Int(clamping: $0) } ?? .max
  }

  private func handle(of asked: Parked) -> OpenHandle? {
    switch asked.request.operation {
    case .read(let id, _, _), .readDirectory(let id, _, _, _): handles[id]
    default: nil
    }
  }

  /// What stays of a rule that struck the open or an earlier read of it.
  func lastingFault(of asked: Parked) -> LastingFault? {
    guard let handle = handle(of: asked), !handle.faults.isEmpty else { return nil }
    let context = context(of: asked, asked.request.operation.kind, on: handle.slot)
    return handle.faults.first { fault in
      fault.bytes.map { $0.overlaps(context.bytes, size: context.size) } ?? true
    }
  }

  // MARK: Striking

  /// Counts what the rules said, and begins what the one that strikes does.
  mutating func carryOut(_ judgement: Judgement, for asked: Parked) {
    guard case .success(let subject) = subject(of: asked.request.operation),
      let slot = concern(of: asked.request, on: subject)
    else { return }
    var asked = asked
    asked.isJudged = true
    if let struck = judgement.struck, let active = rules[struck] {
      let context = context(of: asked, asked.request.operation.kind, on: slot)
      asked.strike = Strike(active, delay: rules.delay(active, context, seed: profile.seed))
    }
    note(judgement, asked)
    rules.count(judgement, on: slot)
    decide(asked)
  }

  /// One open, with all of its reads, is judged once.
  private mutating func note(_ judgement: Judgement, _ asked: Parked) {
    let id: HandleID
    switch asked.request.operation {
    case .read(let handle, _, _), .readDirectory(let handle, _, _, _): id = handle
    default: return
    }
    handles[id]?.judged += judgement.considered.map(\.rule)
    guard let struck = judgement.struck, let rule = rules[struck]?.rule else { return }
    handles[id]?.struck.append(struck)
    switch rule.effect.disturbance {
    case .fail(let fault):
      handles[id]?.faults.append(
        LastingFault(rule: struck, name: rule.name, fault: fault, bytes: rule.bytes))
    case .content(let fault): handles[id]?.content = fault
    case .hold, .stall, .size, .stale, nil: break
    }
  }

  /// The rest of what a rule does to a request.
  /// - Returns: false when the request waits or was answered.
  mutating func takeSteps(_ asked: inout Parked) -> Bool {
    while let step = asked.strike?.steps.first {
      asked.strike?.steps.removeFirst()
      switch step {
      case .delay(let span):
        park(asked, .pause)
        deadlines.schedule(.request(asked.request.id), at: now + span)
        return false
      case .change(let change):
        if case .success(let subject) = subject(of: asked.request.operation),
          let slot = concern(of: asked.request, on: subject)
        {
          apply(change, to: slot)
        }
      case .disturb(.fail(let fault)):
        finish(asked, .error(fault.error))
        return false
      case .disturb(.hold(let name)):
        park(asked, atHoldNamed: name)
        return false
      case .disturb(.stall):
        park(asked, atHoldNamed: asked.strike?.name ?? "")
        return false
      case .disturb(.content(let fault)): asked.strike?.content = fault
      case .disturb(.size(let fault)):
        asked.strike?.size = fault
        startSizeCourse(fault, asked)
      // Only downloads bring content.
      case .disturb(.stale): break
      }
    }
    return true
  }

  private mutating func park(_ asked: Parked, atHoldNamed name: String) {
    // Whatever became of its item meanwhile, it is answered when the hold is released.
    let subject = try? subject(of: asked.request.operation).get()
    let slot = subject.flatMap { concern(of: asked.request, on: $0) } ?? .root
    let hold = holds.ofRule(name, asked.request.operation.kind, on: slot, rule: asked.strike?.rule)
    park(asked, .hold(hold))
    holds.park(.request(asked.request.id), at: hold)
    emitHeld(hold, by: asked)
  }

  private mutating func startSizeCourse(_ fault: SizeFault, _ asked: Parked) {
    guard fault.isTrue, let rule = asked.strike?.rule,
      case .success(let subject) = subject(of: asked.request.operation),
      let slot = concern(of: asked.request, on: subject), sizeCourses[slot]?.rule != rule
    else { return }
    sizeCourses[slot] = SizeCourse(rule: rule, fault: fault, since: now)
  }

  // MARK: Changes of the world

  /// What a rule or a timed event does, to an item that may not be known yet.
  mutating func apply(_ change: RuleChange, to path: ItemPath?) {
    guard let path else { return apply(change, to: .root) }
    switch resolve(path) {
    case .found(let slot): apply(change, to: slot)
    case .unlisted(let slot):
      // Nobody has looked there yet; it happens before anybody does.
      changesToCome.append((change, path))
      list(slot)
    case .missing, .noSuchFolder: break
    }
  }

  /// What timed events were to do to items that a listing was needed for.
  mutating func applyChangesToCome() {
    let due = changesToCome
    changesToCome = []
    for (change, path) in due { apply(change, to: path) }
  }

  mutating func apply(_ change: RuleChange, to slot: Slot) {
    switch change {
    case .evict:
      if evictionRefusal(of: slot) == nil { evict(slot) }
    case .revoke:
      _ = gate.deny(slot, to: nil, in: items)
      if gate.access.mode != .simulator { failWaitingReads(of: slot, by: nil) }
      emit(Event(.revoked, path: items.path(of: slot)))
    case .provider(let condition, let duration): set(condition, for: duration)
    case .replace(let kind, let gap): replace(slot, by: kind, gap: gap)
    case .update: update(slot)
    case .conflict: makeConflict(with: slot)
    }
  }

  // MARK: What `stat` says

  /// The item's attributes as a request is to see them.
  func shownAttributes(of slot: Slot, to asked: Parked) -> Attributes {
    var attributes = items.attributes(of: slot)
    guard items[slot].kind == .file, let fault = asked.strike?.size ?? sizeFault(of: slot, for: asked) else {
      return attributes
    }
    attributes.size = shownSize(of: slot, fault)
    return attributes
  }

  private func shownSize(of slot: Slot, _ fault: SizeFault) -> Int64 {
    let elapsed = sizeCourses[slot].map { now - $0.since } ?? .zero
    let isHere = isHere(slot) || items[slot].form == .stub
    return fault.size(of: items.shownSize(of: slot), isHere: isHere, elapsed: elapsed)
  }

  /// What the next getattr of the item would be told: a lookup or a listing says the same.
  private func sizeFault(of slot: Slot, for asked: Parked) -> SizeFault? {
    if asked.request.operation.kind == .getattr || !rules.mayConcern(.getattr, on: slot) { return nil }
    let judgement = rules.judgement(
      of: context(of: asked, .getattr, on: slot), seed: profile.seed)
    guard let struck = judgement.struck, case .size(let fault) = rules[struck]?.rule.effect.disturbance else {
      return nil
    }
    return fault
  }

  /// Where the file ends now, by a rule; nil: where it does.
  func end(of handle: OpenHandle) -> Int64? {
    var ends: [Int64] = []
    if case .short(let point) = handle.content {
      ends.append(point.offset(in: handle.size))
    }
    if let course = sizeCourses[handle.slot], rules[course.rule] != nil {
      ends.append(shownSize(of: handle.slot, course.fault))
    }
    return ends.min()
  }

  func alteration(of handle: OpenHandle) -> Alteration? {
    switch handle.content {
    case .zeroed(let point): .zeroed(from: point.offset(in: handle.size))
    case .altered(let point): .altered(from: point.offset(in: handle.size))
    case .short, nil: nil
    }
  }
}

extension Arbiter {
  /// Whether the process has a granted claim on the item.
  func holds(_ process: ProcessID?, on slot: Slot) -> Bool {
    guard let process else { return false }
    return claims.contains { claim in
      claim.phase == .granted && claim.process == process
        && claim.parts.contains { $0.key == .item(slot) }
    }
  }
}

extension Provider {
  /// Before the rules are asked: which of them match the item's path.
  mutating func learnPaths(_ asked: Parked) {
    if rules.all.isEmpty { return }
    guard case .success(let subject) = subject(of: asked.request.operation),
      let slot = concern(of: asked.request, on: subject)
    else { return }
    rules.learn(slot, items.patternPaths(of: slot))
  }
}
