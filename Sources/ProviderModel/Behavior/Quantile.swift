/// What a log-normal delay needs, from the four basic operations alone: they give the same bits on every
/// machine, which a mathematics library does not promise (and `rounded` or a stride of Doubles would ask
/// one to).
enum Quantile {
  /// The standard normal distribution's quantile; drawn delays end at the 99.9th percentile.
  static func normal(_ fraction: Double) -> Double {
    let upper = fraction >= 0.5
    let distance = min((upper ? fraction - 0.5 : 0.5 - fraction) * 2, 0.998)
    let position = distance * Double(upperHalf.count)
    let knot = min(Int(position), upperHalf.count - 1)
    let left = upperHalf[knot]
    let right = knot + 1 < upperHalf.count ? upperHalf[knot + 1] : last
    let value = left + (right - left) * min(position - Double(knot), 1)
    return upper ? value : -value
  }

  /// `base` (at least 1) to the power `exponent`.
  static func power(_ base: Double, _ exponent: Double) -> Double {
    exponential2(exponent * logarithm2(base))
  }

  private static func logarithm2(_ value: Double) -> Double {
    // value = significand · 2^exponent; ln(significand) by the series of artanh, which is quick on 1...2.
    let ratio = (value.significand - 1) / (value.significand + 1)
    var term = ratio
    var sum = 0.0
    for step in 0...20 {
      sum += term / Double(2 * step + 1)
      term *= ratio * ratio
    }
    return Double(value.exponent) + 2 * sum * log2OfE
  }

  private static func exponential2(_ value: Double) -> Double {
    let bounded = max(-1000, min(value, 1000))
    let whole = Int(bounded) - (bounded < 0 ? 1 : 0)
    let rest = (bounded - Double(whole)) / log2OfE
    var term = 1.0
    var sum = 0.0
    for step in 1...24 {
      sum += term
      term *= rest / Double(step)
    }
    return Double(sign: .plus, exponent: whole, significand: sum)
  }

  private static let log2OfE = 1.442_695_040_888_963_4
  /// The quantile of 0.99902, at the end of the table's last step.
  private static let last = 3.090232
  /// The quantiles of 0.5 + i/256, for i from 0 to 127.
  private static let upperHalf: [Double] = [
    0.000000, 0.009792, 0.019584, 0.029379, 0.039176, 0.048977, 0.058783, 0.068594,
    0.078412, 0.088238, 0.098072, 0.107916, 0.117770, 0.127635, 0.137513, 0.147405,
    0.157311, 0.167232, 0.177170, 0.187125, 0.197099, 0.207093, 0.217107, 0.227143,
    0.237202, 0.247285, 0.257394, 0.267528, 0.277690, 0.287881, 0.298102, 0.308355,
    0.318639, 0.328958, 0.339312, 0.349702, 0.360130, 0.370597, 0.381105, 0.391656,
    0.402250, 0.412890, 0.423576, 0.434311, 0.445097, 0.455934, 0.466825, 0.477772,
    0.488776, 0.499840, 0.510966, 0.522155, 0.533410, 0.544733, 0.556126, 0.567591,
    0.579132, 0.590751, 0.602449, 0.614231, 0.626099, 0.638056, 0.650104, 0.662248,
    0.674490, 0.686834, 0.699283, 0.711842, 0.724514, 0.737304, 0.750215, 0.763253,
    0.776422, 0.789727, 0.803173, 0.816765, 0.830511, 0.844415, 0.858484, 0.872726,
    0.887147, 0.901754, 0.916557, 0.931563, 0.946782, 0.962223, 0.977898, 0.993816,
    1.009990, 1.026433, 1.043158, 1.060180, 1.077516, 1.095181, 1.113194, 1.131577,
    1.150349, 1.169537, 1.189164, 1.209261, 1.229859, 1.250992, 1.272699, 1.295022,
    1.318011, 1.341718, 1.366204, 1.391537, 1.417797, 1.445073, 1.473468, 1.503103,
    1.534121, 1.566689, 1.601009, 1.637325, 1.675940, 1.717228, 1.761670, 1.809892,
    1.862732, 1.921351, 1.987428, 2.063528, 2.153875, 2.266227, 2.417559, 2.660067,
  ]
}
