// Rules on downloads: asked once an attempt, and at work when the attempt reaches their byte.

extension Provider {
  /// Asks the rules about an attempt that has just begun; the one that strikes waits for it at its first byte.
  mutating func judgeTransfer(_ slot: Slot) {
    if rules.all.isEmpty { return }
    rules.learn(slot, items.patternPaths(of: slot))
    guard rules.mayConcern(.download, on: slot) else { return }
    let size = items[slot].stamp.size
    let (app, isCoordinated) = asker(of: slot)
    let context = RuleContext(
      operation: .download, slot: slot, item: items[slot].id,
      copy: items[slot].copy == .stale ? .stale : .dataless, app: app,
      isCoordinated: isCoordinated, bytes: 0..<size, size: size, now: now)
    let judgement = rules.judgement(of: context, seed: profile.seed)
    rules.count(judgement, on: slot)
    guard let struck = judgement.struck, let active = rules[struck] else { return }
    let strike = Strike(active, delay: rules.delay(active, context, seed: profile.seed))
    transfers.strike(strike, at: active.rule.bytes?.from.offset(in: size) ?? 0, of: slot)
  }

  /// Who waits for the item first, and whether in coordination.
  private func asker(of slot: Slot) -> (AppID?, isCoordinated: Bool) {
    switch contentWaiters[slot]?.first {
    case .request(let id):
      guard let asked = parked[id] else { return (nil, false) }
      if case .read(let handle, _, _) = asked.request.operation, let app = handles[handle]?.app {
        return (app, false)
      }
      return (asked.request.caller.app, false)
    case .question(let key): return (sessions[key.session]?.app, false)
    case .claim(let id): return (arbiter[id].flatMap { sessions[$0.session]?.app }, true)
    case nil: return (nil, false)
    }
  }

  /// A transfer has reached the byte of the rule that struck it, and stands still there.
  mutating func strike(transfer slot: Slot) {
    while let strike = transfers[slot]?.strike, rules[strike.rule] != nil,
      let step = transfers.takeStep(of: slot)
    {
      switch step {
      case .delay(let span): return transfers.stall(slot, until: now + span)
      case .change(let change):
        apply(change, to: slot)
        // It may have ended the transfer.
        guard transfers[slot]?.phase == .struck else { return }
      case .disturb(.fail(let fault)): return transferFailed(slot, fault.error)
      case .disturb(.hold(let name)): return hold(transfer: slot, atHoldNamed: name)
      case .disturb(.stall): return hold(transfer: slot, atHoldNamed: strike.name)
      case .disturb(.stale) where items[slot].copy == .stale: return endWithoutUpdate(slot)
      case .disturb(.content), .disturb(.size), .disturb(.stale): break
      }
    }
    transfers.goOn(slot)
  }

  private mutating func hold(transfer slot: Slot, atHoldNamed name: String) {
    let hold = holds.ofRule(name, .download, on: slot, rule: transfers[slot]?.strike?.rule)
    transfers.hold(slot, at: hold)
    park(transfer: slot, at: hold, rule: transfers[slot]?.strike?.name)
  }
}
