/// A delay, or how it is drawn.
package enum Latency: Hashable, Sendable {
  case fixed(Span)
  /// Every length from `minimum` to `maximum` alike.
  case uniform(minimum: Span, maximum: Span)
  /// Log-normal, told by its median and by the length that 99 of 100 stay below.
  case logNormal(median: Span, p99: Span)

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
