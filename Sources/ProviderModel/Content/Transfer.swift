// One item on its way, as a value: what holds, stalls, progress, rates and `status` all read.

struct Transfer {
  enum Phase: Equatable {
    /// For a place.
    case queued
    /// For its first byte.
    case latency(until: Instant)
    case streaming
    /// At a hold, until that is released. From here on it takes a place, but no bandwidth.
    case held(HoldID)
    /// Nothing arrives until then; nil: for ever.
    case stalled(until: Instant?)
    /// At the byte of the rule that struck it, which says now what happens.
    case struck
    /// The last attempt failed; the next one begins then. Takes no place.
    case retrying(at: Instant)
  }

  /// Where something happens on its way, before the byte after it arrives.
  struct Stop {
    enum Reason: Equatable {
      case hold(HoldID)
      /// The transfer's ``Transfer/strike``.
      case rule
      case stall(Profile.Stall)
    }
    var at: Int64
    var reason: Reason

    /// Of several at one byte, a hold is first, so that whoever holds it can change what comes.
    var order: (Int64, Int, Int) {
      switch reason {
      case .hold(let hold): (at, 0, hold.rawValue)
      case .rule: (at, 1, 0)
      case .stall: (at, 2, 0)
      }
    }
  }

  /// Bytes per second, as a fraction: shares come out even only in the end.
  enum Rate: Equatable {
    case nothing
    case unlimited
    case limited(bytes: Int64, sharers: Int64)
  }

  /// What was learned from attempts that failed.
  struct Trouble: Equatable {
    var failures = 0
    /// The last one's.
    var error: ProviderError
  }

  let slot: Slot
  let size: Int64
  let latency: Span
  /// Bytes per second that it gets at most, whatever is free.
  var limit: Int64?
  /// The same for a while; `until` nil: for good.
  var slowdown: (limit: Int64, until: Instant?)?
  var phase = Phase.queued
  var stops: [Stop] = []
  /// Bytes that somebody waits for, least first.
  var awaited: [Int64] = []
  var trouble: Trouble?
  /// A rule that strikes this attempt, and what of it is still to be done.
  var strike: Strike?

  /// In billionths of a byte, so that nothing is lost at a change of rates; as of the last one.
  var arrivedBillionths: Int128 = 0
  var rate = Rate.nothing
  /// When it was queued, to tell it from another of the same item.
  var ticket: UInt64 = 0

  init(slot: Slot, size: Int64, latency: Span, limit: Int64? = nil, trouble: Trouble? = nil) {
    self.slot = slot
    self.size = size
    self.latency = latency
    self.limit = limit
    self.trouble = trouble
  }

  /// The next byte at which something happens.
  var target: Int64 { min(stops.first?.at ?? size, awaited.first ?? size) }

  /// Whether its first byte has had the time to come.
  var isUnderWay: Bool {
    switch phase {
    case .queued, .latency, .retrying: false
    case .streaming, .held, .stalled, .struck: true
    }
  }

  var hasPlace: Bool {
    switch phase {
    case .queued, .retrying: false
    case .latency, .streaming, .held, .stalled, .struck: true
    }
  }

  /// What it may have of the bandwidth at `moment`; nil: all.
  func limit(at moment: Instant) -> Int64? {
    guard let slowdown, slowdown.until.map({ $0 > moment }) ?? true else { return limit }
    return min(slowdown.limit, limit ?? .max)
  }

  mutating func add(_ stop: Stop) {
    stops.append(stop)
    stops.sort { $0.order < $1.order }
  }

  // MARK: Arriving

  /// - Parameter elapsed: since the last change of rates.
  func billionths(after elapsed: Span) -> Int128 {
    let limit = Int128(target) * Transfer.billion
    switch rate {
    case .nothing: return arrivedBillionths
    case .unlimited: return max(limit, arrivedBillionths)
    case .limited(let bytes, let sharers):
      let more = Int128(bytes) * Int128(max(0, elapsed.nanoseconds)) / Int128(sharers)
      return max(arrivedBillionths, min(arrivedBillionths + more, limit))
    }
  }

  /// How long after the last change of rates `target` has arrived; nil: never.
  ///
  /// Rounded up, so that the byte has arrived at that moment.
  var timeToTarget: Span? {
    let missing = Int128(target) * Transfer.billion - arrivedBillionths
    if missing <= 0 { return .zero }
    switch rate {
    case .nothing: return nil
    case .unlimited: return .zero
    case .limited(let bytes, let sharers):
      let nanoseconds = (missing * Int128(sharers) + Int128(bytes) - 1) / Int128(bytes)
      return Span(nanoseconds: Int64(clamping: nanoseconds))
    }
  }

  static let billion: Int128 = 1_000_000_000
}
