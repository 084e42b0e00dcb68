/// A rule that struck an action, and what of its effect is still to be done.
struct Strike: Equatable {
  enum Step: Equatable {
    case delay(Span)
    case change(RuleChange)
    case disturb(Disturbance)
  }

  var rule: RuleID
  var name: String
  var steps: [Step]
  /// What the answer will say, when it is no failure.
  var content: ContentFault?
  var size: SizeFault?

  init(_ active: ActiveRule, delay: Span?) {
    rule = active.id
    name = active.rule.name
    let effect = active.rule.effect
    steps = effect.changes.map(Step.change)
    if let delay, delay > .zero { steps.insert(.delay(delay), at: 0) }
    if let disturbance = effect.disturbance { steps.append(.disturb(disturbance)) }
  }
}

/// A failure that stays with an open: the action is the open with all its reads.
struct LastingFault: Equatable {
  var rule: RuleID
  var name: String
  var fault: Fault
  /// nil: every read.
  var bytes: Rule.Span?
}

/// A size that changes as time goes by, from when a rule first struck the item.
struct SizeCourse: Equatable {
  var rule: RuleID
  var fault: SizeFault
  var since: Instant
}

/// How the bytes that an open gets differ from the file's.
package enum Alteration: Hashable, Sendable {
  case zeroed(from: Int64)
  case altered(from: Int64)

  /// Changes what was read at `offset`; every byte past the point is another one, and the same each time.
  package func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int64) {
    let start: Int64 =
      switch self {
      case .zeroed(let from), .altered(let from): from
      }
    let (first, overflow) = start.subtractingReportingOverflow(offset)
    guard !overflow, first < Int64(bytes.count) else { return }
    for index in Int(max(0, first))..<bytes.count {
      switch self {
      case .zeroed: bytes[index] = 0
      case .altered:
        let position = UInt64(truncatingIfNeeded: offset &+ Int64(index))
        bytes[index] ^= UInt8(truncatingIfNeeded: Dice.mix(position)) | 1
      }
    }
  }
}

extension SizeFault {
  /// What the size is said to be.
  func size(of size: Int64, isHere: Bool, elapsed: Span) -> Int64 {
    switch self {
    case .zero: return 0
    case .larger(let by): return size.saturatingAdd(by.offset(beyond: size))
    case .smaller(let by): return max(0, size - by.offset(beyond: size))
    case .late: return isHere ? size : 0
    case .growing(let from, let step, let every):
      return min(size, from.offset(in: size).saturatingAdd(step.saturatingTimes(elapsed / every)))
    case .shrinking(let to, let step, let every):
      return max(to.offset(in: size), size.saturatingAdd(-step.saturatingTimes(elapsed / every)))
    }
  }

  /// Whether the file itself has that size meanwhile, so that reads end there too.
  var isTrue: Bool {
    switch self {
    case .growing, .shrinking: true
    case .zero, .larger, .smaller, .late: false
    }
  }
}

extension HoldPoint {
  /// As `offset(in:)`, for an amount that may be more than there is.
  fileprivate func offset(beyond length: Int64) -> Int64 {
    switch self {
    case .millionths: offset(in: length)
    case .bytes(let count): count
    }
  }
}

extension Int64 {
  fileprivate func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min + 1) : sum
  }
  fileprivate func saturatingTimes(_ other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}

extension Span {
  /// How often `other` fits; at least a nanosecond is taken for it.
  fileprivate static func / (a: Span, other: Span) -> Int64 { a.nanoseconds / max(1, other.nanoseconds) }
}
