// Downloads over time.

/// All items on their way. Between two changes every rate stays as it is, so that the bytes at a moment, and the
/// moment of the next change, follow from the last change alone: it makes no difference how often anyone asks.
struct Transfers {
  enum Change: Equatable {
    case began(Slot)
    /// A byte that somebody waited for is there.
    case arrived(Slot)
    case reached(Slot, Transfer.Stop.Reason)
    case finished(Slot)
  }

  private let concurrency: Int
  private var bandwidth: Bandwidth
  private var bySlot = Table<Slot, Transfer>()
  /// Those that have a place, in the order in which they got it.
  private var placed: [Slot] = []
  private var queue = Queue()
  private var tickets: UInt64 = 0
  /// Everything up to here has happened.
  private var now = Instant.start
  /// The rates are since then what they are.
  private var ratesSince = Instant.start
  /// When something changes by itself next.
  private(set) var nextChange: Instant?

  init(bandwidth: Bandwidth, concurrency: Int) {
    self.bandwidth = bandwidth
    self.concurrency = concurrency
  }

  subscript(_ slot: Slot) -> Transfer? { bySlot[slot] }

  var slots: [Slot] { bySlot.keys }

  /// The bytes of it that are here.
  func arrived(_ slot: Slot) -> Int64? { bySlot[slot].map { bytes(of: $0) } }

  /// What it gets now; 0 while nothing arrives, nil without a limit.
  func bytesPerSecond(_ slot: Slot) -> Int64? {
    switch bySlot[slot]?.rate {
    case .nothing, nil: 0
    case .unlimited: nil
    case .limited(let bytes, let sharers): bytes / sharers
    }
  }

  // MARK: Telling

  /// Queues it; an earlier one of the same item ends.
  mutating func start(_ transfer: Transfer) {
    cancel(transfer.slot)
    tickets += 1
    var transfer = transfer
    transfer.ticket = tickets
    bySlot[transfer.slot] = transfer
    queue.append(transfer.slot, transfer.ticket)
    plan()
  }

  /// What happens at a byte of a transfer that is under way, or will be; behind that byte it does nothing.
  mutating func addStop(_ reason: Transfer.Stop.Reason, at byte: Int64, to slot: Slot) {
    guard let transfer = bySlot[slot], byte >= bytes(of: transfer) else { return }
    bySlot[slot]?.add(Transfer.Stop(at: byte, reason: reason))
    plan()
  }

  /// ``Change/arrived(_:)`` comes when the first `bytes` are there.
  mutating func announce(_ bytes: Int64, of slot: Slot) {
    guard let transfer = bySlot[slot], !transfer.awaited.contains(bytes) else { return }
    bySlot[slot]?.awaited.append(bytes)
    bySlot[slot]?.awaited.sort()
    plan()
  }

  /// The transfers that wait at `hold` go on, and no other will.
  mutating func release(_ hold: HoldID) {
    for slot in slots {
      bySlot[slot]?.stops.removeAll { $0.reason == .hold(hold) }
      if bySlot[slot]?.phase == .held(hold) { bySlot[slot]?.phase = .streaming }
    }
    divide()
  }

  /// A rule is going to strike the transfer when it has reached this byte.
  mutating func strike(_ strike: Strike, at byte: Int64, of slot: Slot) {
    bySlot[slot]?.strike = strike
    addStop(.rule, at: byte, to: slot)
  }

  /// The next thing that its rule does to one that is struck.
  mutating func takeStep(of slot: Slot) -> Strike.Step? {
    guard bySlot[slot]?.strike?.steps.isEmpty == false else { return nil }
    return bySlot[slot]?.strike?.steps.removeFirst()
  }

  /// One that is struck waits for a while; then it is struck again.
  mutating func stall(_ slot: Slot, until moment: Instant) {
    addStop(.rule, at: arrived(slot) ?? 0, to: slot)
    set(.stalled(until: moment), of: slot)
  }

  mutating func hold(_ slot: Slot, at hold: HoldID) { set(.held(hold), of: slot) }

  mutating func goOn(_ slot: Slot) { set(.streaming, of: slot) }

  private mutating func set(_ phase: Transfer.Phase, of slot: Slot) {
    bySlot[slot]?.phase = phase
    divide()
  }

  mutating func throttle(to limit: Int64?) {
    bandwidth.throttle = limit
    divide()
  }

  /// The last attempt failed: nothing of it is left, and its place goes to another.
  mutating func retry(_ slot: Slot, at moment: Instant, after trouble: Transfer.Trouble) {
    placed.removeAll { $0 == slot }
    bySlot[slot]?.phase = .retrying(at: moment)
    bySlot[slot]?.trouble = trouble
    bySlot[slot]?.arrivedBillionths = 0
    bySlot[slot]?.rate = .nothing
    bySlot[slot]?.stops = []
    bySlot[slot]?.awaited = []
    divide()
  }

  mutating func cancel(_ slot: Slot) {
    guard bySlot.remove(slot) != nil else { return }
    placed.removeAll { $0 == slot }
    divide()
  }

  // MARK: Time

  /// The earliest change up to `moment`; nil when there is none, and then everything is as it is at `moment`.
  mutating func next(through moment: Instant) -> (at: Instant, Change)? {
    while true {
      if placed.count < concurrency, let slot = nextInQueue() {
        let latency = bySlot[slot]?.latency ?? .zero
        bySlot[slot]?.phase = .latency(until: now + latency)
        placed.append(slot)
        plan()
        return (now, .began(slot))
      }
      guard let at = nextChange, at <= moment else {
        now = max(now, moment)
        return nil
      }
      now = max(now, at)
      wakeUp()
      if let change = firstChange() { return (now, change) }
    }
  }

  private mutating func nextInQueue() -> Slot? {
    while let (slot, ticket) = queue.popFirst() {
      if let transfer = bySlot[slot], transfer.ticket == ticket, transfer.phase == .queued { return slot }
    }
    return nil
  }

  /// What has waited for this moment streams; who is slower or faster from here on has its new rate.
  private mutating func wakeUp() {
    for slot in placed {
      switch bySlot[slot]?.phase {
      case .latency(let until), .stalled(let until?): if until <= now { bySlot[slot]?.phase = .streaming }
      default: break
      }
    }
    divide()
  }

  private mutating func firstChange() -> Change? {
    for slot in placed {
      guard let transfer = bySlot[slot], transfer.phase == .streaming else { continue }
      let arrived = bytes(of: transfer)
      if let least = transfer.awaited.first, least <= arrived {
        bySlot[slot]?.awaited.removeAll { $0 <= arrived }
        plan()
        return .arrived(slot)
      }
      if let stop = transfer.stops.first, stop.at <= arrived {
        // Before it goes: no more than up to it has arrived, nor does while it is there.
        settle()
        bySlot[slot]?.rate = .nothing
        bySlot[slot]?.stops.removeFirst()
        reach(stop.reason, slot)
        return .reached(slot, stop.reason)
      }
      if arrived >= transfer.size {
        cancel(slot)
        return .finished(slot)
      }
    }
    return nil
  }

  private mutating func reach(_ reason: Transfer.Stop.Reason, _ slot: Slot) {
    switch reason {
    case .hold(let hold): set(.held(hold), of: slot)
    case .rule: set(.struck, of: slot)
    case .stall(let stall):
      let end = stall.length.map { now + $0 }
      if let bandwidth = stall.bandwidth {
        bySlot[slot]?.slowdown = (bandwidth, end)
        goOn(slot)
      } else {
        set(.stalled(until: end), of: slot)
      }
    }
  }

  // MARK: Rates

  private func bytes(of transfer: Transfer) -> Int64 {
    Int64(transfer.billionths(after: now - ratesSince) / Transfer.billion)
  }

  /// Counts what has arrived at the rates so far.
  private mutating func settle() {
    let elapsed = now - ratesSince
    for slot in placed {
      guard let arrived = bySlot[slot]?.billionths(after: elapsed) else { continue }
      bySlot[slot]?.arrivedBillionths = arrived
    }
    ratesSince = now
  }

  /// Divides the bandwidth anew when something streams, stops, or may have more or less than before.
  private mutating func divide() {
    let streaming = placed.filter { bySlot[$0]?.phase == .streaming }
    let rates = Bandwidth.divided(
      bandwidth.limit(at: now), among: streaming.map { bySlot[$0]?.limit(at: now) })
    // Those that stopped have none; when nothing else changed, nothing is settled, which would round.
    let stopped = placed.filter { bySlot[$0]?.phase != .streaming && bySlot[$0]?.rate != .nothing }
    if !stopped.isEmpty || zip(streaming, rates).contains(where: { bySlot[$0]?.rate != $1 }) {
      settle()
      for slot in stopped { bySlot[slot]?.rate = .nothing }
      for (slot, rate) in zip(streaming, rates) { bySlot[slot]?.rate = rate }
    }
    plan()
  }

  /// Finds out when something changes next.
  private mutating func plan() {
    if placed.count < concurrency, !queue.isEmpty {
      nextChange = now
      return
    }
    var next = placed.compactMap { bySlot[$0].flatMap { change(of: $0) } }.min()
    if placed.contains(where: { bySlot[$0]?.phase == .streaming }), let change = bandwidth.change(after: now)
    {
      next = next.map { min($0, change) } ?? change
    }
    nextChange = next
  }

  private func change(of transfer: Transfer) -> Instant? {
    switch transfer.phase {
    case .queued, .held, .struck, .stalled(nil), .retrying: return nil
    case .latency(let until), .stalled(let until?): return max(until, now)
    case .streaming:
      var changes: [Instant] = []
      if let span = transfer.timeToTarget {
        let at = ratesSince + span
        // At the end of time nothing more arrives.
        if at > now || bytes(of: transfer) >= transfer.target { changes.append(max(at, now)) }
      }
      if let end = transfer.slowdown?.until, end > now { changes.append(end) }
      return changes.min()
    }
  }
}

extension Transfers {
  /// Who waits for a place. Those that were canceled stay in it until it is their turn.
  private struct Queue {
    private var waiting: [(slot: Slot, ticket: UInt64)] = []
    private var head = 0

    var isEmpty: Bool { head == waiting.count }

    mutating func append(_ slot: Slot, _ ticket: UInt64) { waiting.append((slot, ticket)) }

    mutating func popFirst() -> (slot: Slot, ticket: UInt64)? {
      guard head < waiting.count else { return nil }
      defer {
        head += 1
        if head == waiting.count || head > 1_000 && head > waiting.count / 2 {
          waiting.removeFirst(head)
          head = 0
        }
      }
      return waiting[head]
    }
  }
}
