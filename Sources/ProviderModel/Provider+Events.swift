// Saying what happened.

extension Provider {
  mutating func emit(_ event: Event) {
    eventSequence += 1
    var event = event
    event.sequence = eventSequence
    event.at = now
    effects.append(.event(event))
    rules.take(event.name)
    answerEventWaits(event.name)
  }

  mutating func emitItem(_ name: EventName, _ slot: Slot) {
    var event = Event(name, path: items.path(of: slot))
    event.bytes = items[slot].stamp.size
    emit(event)
  }

  mutating func emitHeld(_ hold: HoldID, by asked: Parked) {
    var event = operationEvent(asked)
    event.name = .held
    event.hold = holds.name(of: hold)
    emit(event)
  }

  /// Looking around leaves no event; getting at content, or being refused, does.
  mutating func emitOperation(_ asked: Parked, _ reply: Reply) {
    switch asked.request.operation {
    case .open, .read, .openDirectory, .change, .setAttribute: break
    case .lookup, .getAttributes, .readLink, .readDirectory, .statistics, .getAttribute, .listAttributes,
      .synchronize:
      return
    }
    var event = operationEvent(asked)
    if case .error(let error) = reply { event.error = error }
    event.waited = now - asked.since
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
    event.copy = asked.copy
    event.claim = arbiter.claims(on: slot).first { id in
      arbiter[id]?.phase == .granted && arbiter[id]?.process == asked.request.caller.process
    }
    switch asked.request.operation {
    case .open, .change:
      let isCovered = gate.check(asked.request.caller, on: slot, in: items)
      event.scoped = if case .success = isCovered { true } else { false }
    case .read(let id, let offset, let length):
      event.app = handles[id]?.app ?? event.app
      event.offset = offset
      event.bytes = max(0, min(length, items[slot].stamp.size - offset))
    default: break
    }
    return event
  }
}
