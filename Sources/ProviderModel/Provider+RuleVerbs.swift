// Rules that come and go at run time, and what rules and holds do to clients' requests.

extension Provider {
  // MARK: Verbs

  mutating func add(_ rule: Rule, _ key: QuestionKey) {
    guard rules[rule.name] == nil else {
      let problem = "there is a rule named \"\(rule.name)\" already; 'rule remove' it, or choose another name"
      return finish(key, .failure(.invalid(problem), nil))
    }
    guard rules.all.count < Rules.limit else {
      return finish(key, .failure(.invalid("there are \(Rules.limit) rules already"), nil))
    }
    rules.add(rule)
    emitRule(.ruleAdded, rule)
    finish(key, .rules(ruleStatuses.filter { $0.rule.name == rule.name }))
  }

  mutating func removeRule(_ name: String, _ key: QuestionKey) {
    guard let gone = rules.remove(where: { $0.name == name }).first else {
      let names = rules.all.map(\.rule.name)
      let hint =
        names.isEmpty
        ? "none is set" : "the nearest is \"\(Nearest.word(to: name, among: names) ?? "")\""
      return finish(key, .failure(.invalid("there is no rule named \"\(name)\": \(hint)"), nil))
    }
    takeLeave(of: [gone])
    finish(key, .done)
  }

  mutating func clearRules(_ key: QuestionKey) {
    takeLeave(of: rules.remove { _ in true })
    finish(key, .done)
  }

  /// What a rule that is gone had parked goes on.
  private mutating func takeLeave(of gone: [ActiveRule]) {
    for active in gone {
      for hold in holds.all where hold.rule == active.id {
        if let hold = holds.remove(hold.name) { letGo(of: hold, error: nil) }
      }
      emitRule(.ruleRemoved, active.rule)
    }
  }

  mutating func emitRule(_ name: EventName, _ rule: Rule) {
    var event = Event(name)
    event.rule = rule.name
    emit(event)
  }

  var ruleStatuses: [RuleStatus] {
    rules.all.map { active in
      var considered: UInt64 = 0
      for slot in active.considered.keys { considered += active.considered[slot] ?? 0 }
      return RuleStatus(rule: active.rule, considered: considered, hits: active.hits)
    }
  }

  // MARK: Clients' requests

  /// Asks rules and holds about a client's request.
  /// - Returns: whether it waits or was answered.
  mutating func isDisturbed(
    _ key: QuestionKey, _ operation: OperationName, on slot: Slot, _ session: Session
  ) -> Bool {
    judge(key, operation, on: slot, session)
    while let step = questions[key]?.strike?.steps.first {
      questions[key]?.strike?.steps.removeFirst()
      switch step {
      case .delay(let span):
        questions[key]?.wait = .delay
        deadlines.schedule(.question(key), at: now + span)
        return true
      case .change(let change):
        apply(change, to: slot)
        // What its paths lead to may be another item by now, or nothing.
        ask(again: key)
        return true
      case .disturb(.fail(let fault)):
        refuse(key, fault.error, on: slot)
        return true
      case .disturb(.hold(let name)):
        park(key, operation, on: slot, atHoldNamed: name, session)
        return true
      case .disturb(.stall):
        park(key, operation, on: slot, atHoldNamed: questions[key]?.strike?.name ?? "", session)
        return true
      case .disturb(.content), .disturb(.size), .disturb(.stale): break
      }
    }
    guard let hold = holds.first(for: operation, on: slot, range: nil, size: 0, in: items) else {
      return false
    }
    park(key, operation, on: slot, at: hold, session)
    return true
  }

  private mutating func judge(
    _ key: QuestionKey, _ operation: OperationName, on slot: Slot, _ session: Session
  ) {
    guard !rules.all.isEmpty, let question = questions[key], question.strike == nil,
      !question.judged.contains(slot)
    else { return }
    // A batch of intents is one action: the first of its items that a rule strikes decides.
    questions[key]?.judged.append(slot)
    rules.learn(slot, items.patternPaths(of: slot))
    let context = RuleContext(
      operation: operation, slot: slot, item: items[slot].id, copy: items[slot].copy, app: session.app,
      isCoordinated: arbiter.holds(session.process, on: slot), bytes: nil,
      size: items.shownStamp(of: slot).size,
      now: now)
    let judgement = rules.judgement(of: context, seed: profile.seed)
    if let struck = judgement.struck, let active = rules[struck] {
      questions[key]?.strike = Strike(active, delay: rules.delay(active, context, seed: profile.seed))
    }
    rules.count(judgement, on: slot)
  }

  private mutating func park(
    _ key: QuestionKey, _ operation: OperationName, on slot: Slot, atHoldNamed name: String,
    _ session: Session
  ) {
    let hold = holds.ofRule(name, operation, on: slot, rule: questions[key]?.strike?.rule)
    park(key, operation, on: slot, at: hold, session)
  }

  private mutating func park(
    _ key: QuestionKey, _ operation: OperationName, on slot: Slot, at hold: HoldID, _ session: Session
  ) {
    questions[key]?.wait = .hold(hold)
    holds.park(.question(key), at: hold)
    var event = Event(
      .held, path: items.path(of: slot), app: session.app, process: session.process.number)
    event.operation = operation.rawValue
    event.hold = holds.name(of: hold)
    event.rule = questions[key]?.strike?.name
    emit(event)
  }

  /// Answers an app's call as the system does when the provider fails it.
  mutating func refuse(_ key: QuestionKey, _ error: ProviderError, on slot: Slot) {
    guard let question = questions[key], let session = sessions[key.session] else { return }
    var event = Event(
      .scopeRefused, path: items.path(of: slot), app: session.app, process: session.process.number,
      error: error)
    event.rule = question.strike?.name
    switch question.request.command {
    case .start:
      emit(event)
      finish(key, .started(false))
    case .coordinate:
      event.name = .claimFailed
      emit(event)
      finish(key, .failure(error, items.path(of: slot)))
    default: finish(key, .failure(error, items.path(of: slot)))
    }
  }
}
