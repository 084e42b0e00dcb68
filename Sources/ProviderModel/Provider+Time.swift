// Time passes.

extension Provider {
  /// Lets everything happen that is due up to `moment`, in its order.
  mutating func advance(to moment: Instant) {
    while true {
      dropStaleDeadlines()
      let first = deadlines.first.flatMap { $0.at <= moment ? $0 : nil }
      // What arrives at the very moment of a deadline has made it.
      if let (at, change) = transfers.next(through: min(first?.at ?? moment, moment)) {
        now = max(now, at)
        take(change)
      } else if let first {
        now = max(now, first.at)
        deadlines.removeFirst()
        take(first.due)
      } else {
        break
      }
    }
    now = max(now, moment)
  }

  private mutating func take(_ due: Due) {
    switch due {
    case .request(let id): resume(id, delayed: parked[id]?.wait == .delay)
    case .question(let key): ask(again: key)
    case .patience(let id): losePatience(id)
    case .retry(let slot): retryDownload(of: slot)
    case .conditionEnds: set(.online, for: nil)
    case .recreation(let slot): recreate(slot)
    case .purge(let id): purge(id)
    case .timedEvent(let index):
      let event = profile.events[index]
      apply(event.change, to: event.path)
    }
  }

  /// Whoever was interrupted, served or fetched earlier has left its deadline behind.
  mutating func dropStaleDeadlines() {
    while let (at, due) = deadlines.first, isStale(due, at) { deadlines.removeFirst() }
  }

  private func isStale(_ due: Due, _ at: Instant) -> Bool {
    switch due {
    case .request(let id): parked[id]?.wait != .delay && parked[id]?.wait != .pause
    case .question(let key): questions[key]?.wait != .delay
    case .patience(let id): parked[id]?.givesUpAt != at
    case .retry(let slot): transfers[slot]?.phase != .retrying(at: at)
    case .conditionEnds(let change): conditions.changes != change
    case .recreation(let slot): recreations[slot] == nil
    case .purge(let id): copies.made[id] == nil
    case .timedEvent: false
    }
  }
}
