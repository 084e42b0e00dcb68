// Downloads: what holds, progress, rates and `status` all read.

/// One item on its way.
struct Transfer {
  enum Phase: Equatable {
    case queued
    /// Waits for its first byte.
    case latency(until: Instant)
    case streaming
    /// Waits at a hold; takes a place, but no bandwidth.
    case held(HoldID)
  }

  var slot: Slot
  var size: Int64
  var latency: Span
  var phase = Phase.queued
  /// In billionths of a byte, so that nothing is lost however often the rates change.
  var arrivedBillionths: Int128 = 0
  var started: Instant
  /// Where it stops next, in bytes.
  var stops: [(at: Int64, hold: HoldID)] = []

  var arrived: Int64 { Int64(arrivedBillionths / 1_000_000_000) }
  var isUnderWay: Bool { phase != .queued }
  /// The next byte at which something happens.
  var target: Int64 { stops.first?.at ?? size }
}

struct Transfers {
  enum Change: Equatable {
    case began(Slot)
    case reachedHold(Slot, HoldID)
    case finished(Slot)
  }

  let bandwidth: Int64?
  let concurrency: Int
  /// In the order in which they were asked for.
  private(set) var all: [Transfer] = []
  private var settled = Instant.start
  /// What the last division among `remainderSharers` left over, in billionths of a byte: without it the number
  /// of steps in which time passes would show.
  private var remainder: Int128 = 0
  private var remainderSharers: Int128 = 0

  init(bandwidth: Int64?, concurrency: Int) {
    self.bandwidth = bandwidth
    self.concurrency = concurrency
  }

  subscript(_ slot: Slot) -> Transfer? { all.first { $0.slot == slot } }

  mutating func start(_ transfer: Transfer) { all.append(transfer) }

  /// A hold on a transfer that is under way, or will be; behind its byte it does nothing.
  mutating func addStop(_ hold: HoldID, at byte: Int64, to slot: Slot) {
    guard let index = all.firstIndex(where: { $0.slot == slot }), byte >= all[index].arrived else { return }
    all[index].stops.append((byte, hold))
    all[index].stops.sort { ($0.at, $0.hold) < ($1.at, $1.hold) }
  }

  /// The transfers that waited at `hold` go on.
  mutating func release(_ hold: HoldID) {
    for index in all.indices {
      all[index].stops.removeAll { $0.hold == hold }
      if all[index].phase == .held(hold) { all[index].phase = .streaming }
    }
  }

  mutating func cancel(_ slot: Slot) { all.removeAll { $0.slot == slot } }

  /// When something changes by itself next.
  var nextChange: Instant? {
    if all.contains(where: { $0.phase == .queued }), underWay < concurrency { return settled }
    return all.compactMap(change(of:)).min()
  }

  /// The earliest change up to `now`, with everything settled to its moment; nil when there is none, and
  /// then everything is settled to `now`.
  mutating func next(through now: Instant) -> (at: Instant, Change)? {
    if underWay < concurrency, let index = all.firstIndex(where: { $0.phase == .queued }) {
      all[index].phase = .latency(until: settled + all[index].latency)
      return (settled, .began(all[index].slot))
    }
    guard let at = nextChange, at <= now else {
      settle(to: now)
      return nil
    }
    settle(to: at)
    for index in all.indices {
      if case .latency(let until) = all[index].phase, until <= at { all[index].phase = .streaming }
      guard all[index].phase == .streaming, all[index].arrived >= all[index].target else { continue }
      if let stop = all[index].stops.first {
        all[index].stops.removeFirst()
        all[index].phase = .held(stop.hold)
        return (at, .reachedHold(all[index].slot, stop.hold))
      }
      return (at, .finished(all.remove(at: index).slot))
    }
    return next(through: now)
  }

  // MARK: -

  private var underWay: Int { all.count { $0.isUnderWay } }
  private var streaming: Int64 { Int64(all.count { $0.phase == .streaming }) }

  private func change(of transfer: Transfer) -> Instant? {
    switch transfer.phase {
    case .queued, .held: return nil
    case .latency(let until): return max(until, settled)
    case .streaming:
      let missing = Int128(transfer.target) * 1_000_000_000 - transfer.arrivedBillionths
      guard missing > 0, let bandwidth else { return settled }
      // Rounded up, so that the byte has arrived at that moment.
      let sharers = Int128(streaming)
      let owed = missing * sharers - (sharers == remainderSharers ? remainder : 0)
      let nanoseconds = (owed + Int128(bandwidth) - 1) / Int128(bandwidth)
      let at = settled + Span(nanoseconds: Int64(clamping: nanoseconds))
      // At the end of time nothing more arrives.
      return at > settled ? at : nil
    }
  }

  private mutating func settle(to now: Instant) {
    let elapsed = now - settled
    guard elapsed > .zero || bandwidth == nil else { return }
    let arriving = share(of: elapsed)
    for index in all.indices where all[index].phase == .streaming {
      let limit = Int128(all[index].target) * 1_000_000_000
      all[index].arrivedBillionths = arriving.map { min(all[index].arrivedBillionths + $0, limit) } ?? limit
    }
    settled = max(settled, now)
  }

  /// What each of the transfers that stream gets; nil without a limit.
  private mutating func share(of elapsed: Span) -> Int128? {
    guard let bandwidth else { return nil }
    let sharers = Int128(streaming)
    guard sharers > 0 else { return 0 }
    if sharers != remainderSharers { (remainder, remainderSharers) = (0, sharers) }
    let (share, left) = (Int128(bandwidth) * Int128(elapsed.nanoseconds) + remainder)
      .quotientAndRemainder(dividingBy: sharers)
    remainder = left
    return share
  }
}
