// Saying what happened.

extension Provider {
  mutating func emit(_ event: Event) {
    if journalHasEnded { return }
    eventSequence += 1
    var event = event
    event.sequence = eventSequence
    event.at = now
    event.error = event.error.map { translated($0) }
    effects.append(.event(event))
    rules.take(event.name)
    answerEventWaits(event.name)
  }

  mutating func emitItem(_ name: EventName, _ slot: Slot) {
    var event = Event(name, path: items.path(of: slot))
    event.bytes = items[slot].stamp.size
    emit(event)
  }

  // MARK: Beginning and end

  mutating func begin(_ version: String) {
    var event = Event(.started)
    event.detail = .started(
      ProviderHeader(
        profile: profile.name, seed: profile.seed, mode: profile.access.mode, version: version))
    emit(event)
    // Each on its own: ten thousand names do not fit into one line.
    for rule in profile.rules { emitRule(.ruleAdded, rule) }
  }

  mutating func end() {
    // Whoever makes these replies has no time left to say how they went.
    for id in unconfirmed.keys { confirm(id, nil) }
    emit(Event(.stopped))
    journalHasEnded = true
  }

  // MARK: Operations

  mutating func emitHeld(_ hold: HoldID, by asked: Parked) {
    var event = operationEvent(asked)
    event.name = .held
    event.hold = holds.name(of: hold)
    emit(event)
  }

  /// Every request leaves an event, but for the looking around that the profile ignores.
  mutating func emitOperation(_ asked: Parked, _ reply: Reply) {
    if asked.request.isOurs { return }
    var event = operationEvent(asked)
    if asked.request.operation.kind.looksAround, event.rule == nil, let path = event.path,
      ignoredNames.contains(anyOf: path)
    {
      return
    }
    if case .error(let error) = reply { event.error = error }
    event.waited = now - asked.since
    // How it ends is known when the source was asked; what it met on its way is known now.
    if reply.needsSource { unconfirmed[asked.request.id] = event } else { emit(event) }
  }

  /// The shell says how a reply from the source went.
  mutating func confirm(_ id: RequestID, _ error: ErrnoName?) {
    guard var event = unconfirmed.remove(id) else { return }
    event.error =
      switch error {
      case nil: nil
      case .ENODATA: .noSuchAttribute
      case .ERANGE: .resultTooLarge
      case .ESTALE: .sourceChanged
      case .some(let name): .source(name)
      }
    emit(event)
  }

  private func operationEvent(_ asked: Parked) -> Event {
    var event = Event(.operation)
    event.operation = asked.request.operation.name
    event.process = asked.request.caller.process?.number
    event.thread = asked.request.caller.thread
    event.app = asked.request.caller.app
    event.rule = asked.strike?.name ?? lastingFault(of: asked)?.name
    guard case .success(let subject) = subject(of: asked.request.operation), let slot = subject.slot else {
      return event
    }
    event.path = items.path(of: slot)
    if case .change(_, let change) = asked.request.operation, let name = change.entry {
      event.path?.names.append(name)
    }
    event.copy = asked.copy
    event.claim = claim(of: asked.request.caller, on: slot)
    switch asked.request.operation {
    case .lookup(_, let name):
      // What was asked for, whether it is there or not.
      event.path?.names.append(name)
      let child = items.child(name, of: slot)
      event.copy = child.map { items[$0].copy }
      event.claim = child.flatMap { claim(of: asked.request.caller, on: $0) }
    case .open, .change: event.scoped = isInScope(asked.request.caller, slot)
    case .read(let id, let offset, let length):
      event.app = handles[id]?.app ?? event.app
      event.offset = offset
      event.bytes = max(0, min(length, (handles[id]?.size ?? 0) - offset))
    default: break
    }
    return event
  }

  private func claim(of caller: Caller, on slot: Slot) -> ClaimID? {
    arbiter.claims(on: slot).first { id in
      arbiter[id]?.phase == .granted && arbiter[id]?.process == caller.process
    }
  }

  /// nil where nobody is asked for a scope.
  private func isInScope(_ caller: Caller, _ slot: Slot) -> Bool? {
    if gate.access.mode == .simulator { return nil }
    if case .success = gate.check(caller, on: slot, in: items) { return true }
    return false
  }
}
