// Values with their unit, as people write them, and back.

extension Span {
  /// Reads "800ms", "1.5s", "2m", "1h", "250us", "10ns", and "0".
  package init?(text: String) {
    if text == "0" {
      self = .zero
      return
    }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text[digits.endIndex...]
    guard let factor = Span.units.first(where: { $0.name == unit })?.nanoseconds,
      let nanoseconds = Decimal.scaled(digits, by: factor)
    else { return nil }
    self.init(nanoseconds: nanoseconds)
  }

  /// The largest unit that needs no fraction; `Span(text:)` reads it back, for a span that is not negative.
  package var text: String {
    guard nanoseconds != 0 else { return "0" }
    let unit = Span.units.last { nanoseconds % $0.nanoseconds == 0 } ?? Span.units[0]
    return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
  }

  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
  ]
}

/// A rate in bytes per second: "2MB/s", "500kB/s", "1MiB/s".
package enum ByteRate {
  package static func bytesPerSecond(text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text[digits.endIndex...]
    guard let factor = units.first(where: { $0.name == unit })?.bytes else { return nil }
    return Decimal.scaled(digits, by: factor)
  }

  /// The shortest text without a fraction; `bytesPerSecond(text:)` reads it back.
  package static func text(bytesPerSecond: Int64) -> String {
    var shortest = "\(bytesPerSecond)B/s"
    for unit in units where bytesPerSecond % unit.bytes == 0 {
      let text = "\(bytesPerSecond / unit.bytes)\(unit.name)"
      if text.utf8.count < shortest.utf8.count { shortest = text }
    }
    return shortest
  }

  private static let units: [(name: String, bytes: Int64)] = [
    ("B/s", 1), ("kB/s", 1_000), ("MB/s", 1_000_000), ("GB/s", 1_000_000_000),
    ("KiB/s", 1 << 10), ("MiB/s", 1 << 20), ("GiB/s", 1 << 30),
  ]
}

/// A decimal number times a whole factor, exactly, without a Double in between.
package enum Decimal {
  /// - Returns: nil for anything but digits with at most one point among them, and where it is too large.
  package static func scaled(_ text: some StringProtocol, by factor: Int64) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    // Int64 would read a sign as well.
    guard parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
    guard let whole = parts.first.flatMap({ Int64($0) }) else { return nil }
    let (high, overflow) = whole.multipliedReportingOverflow(by: factor)
    if overflow { return nil }
    guard parts.count == 2 else { return high }
    guard parts[1].count <= 9, let numerator = Int64(parts[1]) else { return nil }
    var denominator: Int128 = 1
    for _ in parts[1] { denominator *= 10 }
    let (sum, carry) = high.addingReportingOverflow(Int64(Int128(numerator) * Int128(factor) / denominator))
    return carry ? nil : sum
  }
}
