package import ProviderModel

/// Provider time as a function of the machine's monotonic clock: `real`, `scaled:N` or `manual`.
package struct ProviderTime: Hashable, Sendable {
  package enum Mode: Hashable, Sendable {
    case real
    case scaled(Int64)
    /// Moves only when told to.
    case manual

    /// Reads "real", "scaled:100" or "manual".
    package init?(_ text: String) {
      switch text {
      case "real": self = .real
      case "manual": self = .manual
      default:
        guard text.hasPrefix("scaled:"), let factor = Int64(text.dropFirst(7)),
          (1...1_000_000).contains(factor)
        else { return nil }
        self = .scaled(factor)
      }
    }
  }

  package private(set) var mode: Mode
  package private(set) var isPaused = false
  /// Provider time at `anchor`.
  private var base = Instant.start
  /// Of the monotonic clock, in nanoseconds.
  private var anchor: Int64

  package init(_ mode: Mode, monotonic: Int64) {
    self.mode = mode
    anchor = monotonic
  }

  package var scale: Int64 {
    switch mode {
    case .real: 1
    case .scaled(let factor): factor
    case .manual: 0
    }
  }

  private var isStill: Bool { isPaused || mode == .manual }

  package func instant(at monotonic: Int64) -> Instant {
    if isStill { return base }
    let passed = Int128(max(0, monotonic - anchor)) * Int128(scale)
    return base + Span(nanoseconds: Int64(clamping: passed))
  }

  /// When the monotonic clock will show it; nil while time stands still.
  package func monotonic(for instant: Instant) -> Int64? {
    if instant <= base { return anchor }
    if isStill { return nil }
    let ahead = (Int128(instant.nanoseconds) - Int128(base.nanoseconds) + Int128(scale) - 1) / Int128(scale)
    return Int64(clamping: Int128(anchor) + ahead)
  }

  package mutating func pause(at monotonic: Int64) {
    reanchor(at: monotonic)
    isPaused = true
  }

  package mutating func resume(at monotonic: Int64) {
    reanchor(at: monotonic)
    isPaused = false
  }

  package mutating func setScale(_ factor: Int64, at monotonic: Int64) {
    reanchor(at: monotonic)
    mode = factor == 1 ? .real : .scaled(factor)
  }

  /// Moves a clock that stands still; false for one that runs by itself.
  package mutating func move(to instant: Instant) -> Bool {
    guard isStill else { return false }
    base = max(base, instant)
    return true
  }

  private mutating func reanchor(at monotonic: Int64) {
    base = instant(at: monotonic)
    anchor = monotonic
  }
}
