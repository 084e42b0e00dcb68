/// A delay, or how it is drawn.
package enum Latency: Hashable, Sendable {
  case fixed(Span)
  /// Every length from `minimum` to `maximum` alike.
  case uniform(minimum: Span, maximum: Span)
  /// Log-normal, told by its median and by the length that 99 of 100 stay below.
  case logNormal(median: Span, p99: Span)

  /// Whether one draw may differ from another.
  var isDrawn: Bool { if case .fixed = self { false } else { true } }

  /// The delay for one draw; the same draw always gives the same delay, on every machine.
  package func draw(_ dice: Dice) -> Span {
    switch self {
    case .fixed(let span): return span
    case .uniform(let minimum, let maximum):
      let width = UInt64(max(0, maximum.nanoseconds - minimum.nanoseconds))
      let (offset, _) = width.multipliedFullWidth(by: dice.bits)
      return Span(nanoseconds: minimum.nanoseconds + Int64(offset))
    case .logNormal(let median, let p99):
      guard median > .zero, p99 > median else { return median }
      let ratio = Double(p99.nanoseconds) / Double(median.nanoseconds)
      let exponent = Quantile.normal(dice.fraction) / Quantile.normal(0.99)
      let length = Double(median.nanoseconds) * Quantile.power(ratio, exponent)
      return Span(nanoseconds: Int64(min(length, 9.0e18)))
    }
  }
}

// The delays of single kernel requests. Content has its own: that of the transfer.
extension Provider {
  /// The delay that the request still has to have; nil for none.
  ///
  /// A read or listing has one only once an open, however many requests the kernel makes of it.
  func latency(of asked: Parked, on slot: Slot) -> Span? {
    guard !asked.isDelayed, let action = asked.request.operation.delayed else { return nil }
    let latency = profile.latency[action]
    if latency == .fixed(.zero) { return nil }
    var (item, attempt) = (items[slot].id, attempts[action, of: items[slot].id])
    switch asked.request.operation {
    case .lookup(_, let name):
      // Who looks in a folder for the first time waits for its listing before.
      guard items[slot].listing == .listed else { return nil }
      // A name that nothing has is not counted: there may be any number of them.
      item = items.child(name, of: slot).map { items[$0].id } ?? ItemTable.identifier(of: name, in: item)
      attempt = attempts[action, of: item]
    case .read(let id, _, _), .readDirectory(let id, _, _, _):
      // One that comes in the meantime does not overtake the first.
      if let readyAt = handles[id]?.readyAt { return now < readyAt ? readyAt - now : nil }
      attempt = handles[id]?.attempt ?? 0
    default: break
    }
    return latency.draw(Dice(seed: profile.seed, item: item, action: action, attempt: attempt))
  }

  /// Parks the request for its delay.
  mutating func delay(_ asked: Parked, by span: Span) {
    switch asked.request.operation {
    case .read(let id, _, _), .readDirectory(let id, _, _, _):
      if handles[id]?.readyAt == nil { handles[id]?.readyAt = now + span }
    case .lookup(let folder, let name):
      if let child = items.child(name, of: folder.slot) { _ = attempt(of: .lookup, on: child) }
    case .open(let node, _): _ = attempt(of: .open, on: node.slot)
    case .getAttributes(let node): _ = attempt(of: .getattr, on: node.slot)
    case .readLink(let node): _ = attempt(of: .readlink, on: node.slot)
    case .getAttribute(let node, _, _), .listAttributes(let node, _):
      _ = attempt(of: .attributes, on: node.slot)
    case .openDirectory, .statistics, .setAttribute, .synchronize, .change: break
    }
    park(asked, .delay)
    deadlines.schedule(.request(asked.request.id), at: now + span)
  }

  /// Begins what has a delay that is drawn: counted at once, so that two at a time do not draw the same.
  /// - Returns: how often it was begun before.
  mutating func attempt(of action: Dice.Action, on slot: Slot) -> UInt64 {
    profile.latency[action].isDrawn ? attempts.count(action, of: items[slot].id) : 0
  }
}

extension Operation {
  /// What it draws a delay for.
  fileprivate var delayed: Dice.Action? {
    switch self {
    case .lookup: .lookup
    case .getAttributes: .getattr
    case .readLink: .readlink
    case .open: .open
    case .read: .read
    case .readDirectory: .list
    case .listAttributes: .attributes
    // What the simulation itself is asked does not come from the provider.
    case .getAttribute(_, let name, _): AttributeAction.Name(name) == nil ? .attributes : nil
    case .openDirectory, .statistics, .setAttribute, .synchronize, .change: nil
    }
  }
}

extension Profile.Latencies {
  /// That of a single operation; a download's stands with the other facts about downloads.
  fileprivate subscript(_ action: Dice.Action) -> Latency {
    switch action {
    case .lookup: lookup
    case .getattr: getattr
    case .readlink: readlink
    case .open: open
    case .read: read
    case .list: list
    case .attributes: attributes
    case .download: .fixed(.zero)
    }
  }
}
