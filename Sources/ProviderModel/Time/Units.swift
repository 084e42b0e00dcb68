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

  package static var unitNames: [String] { units.map(\.name) }

  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
  ]
}

/// A number of bytes: "65536", "64KiB", "2MB", "1.5GiB".
package enum ByteCount {
  package static func bytes(text: some StringProtocol) -> Int64? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text[digits.endIndex...]
    // Half a byte is a slip of the keyboard.
    if unit.isEmpty { return digits.contains(".") ? nil : Decimal.scaled(digits, by: 1) }
    guard let factor = units.first(where: { $0.name == unit })?.bytes else { return nil }
    return Decimal.scaled(digits, by: factor)
  }

  /// The shortest text without a fraction; `bytes(text:)` reads it back.
  package static func text(bytes: Int64) -> String {
    var shortest = "\(bytes)B"
    for unit in units where bytes % unit.bytes == 0 {
      let text = "\(bytes / unit.bytes)\(unit.name)"
      if text.utf8.count < shortest.utf8.count { shortest = text }
    }
    return shortest
  }

  package static var unitNames: [String] { units.map(\.name) }

  private static let units: [(name: String, bytes: Int64)] = [
    ("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20),
    ("GiB", 1 << 30),
  ]
}

/// A rate in bytes per second: "2MB/s", "500kB/s", "1MiB/s".
package enum ByteRate {
  package static func bytesPerSecond(text: String) -> Int64? {
    guard text.hasSuffix("B/s") else { return nil }
    return ByteCount.bytes(text: text.dropLast(2))
  }

  /// The shortest text without a fraction; `bytesPerSecond(text:)` reads it back.
  package static func text(bytesPerSecond: Int64) -> String { ByteCount.text(bytes: bytesPerSecond) + "/s" }
}

extension HoldPoint {
  /// Reads "40%", "12.5%", a byte offset "65536", or one with a unit, "64KiB".
  package init?(text: String) {
    if text.hasSuffix("%") {
      guard let share = Share.millionths(text: text) else { return nil }
      self = .millionths(share)
    } else {
      guard let bytes = ByteCount.bytes(text: text) else { return nil }
      self = .bytes(bytes)
    }
  }

  package var text: String {
    switch self {
    case .bytes(let count): "\(count)"
    case .millionths(let count): Share.text(millionths: count)
    }
  }
}

/// A part of a whole in percent, in millionths: "40%", "0.05%".
package enum Share {
  /// - Returns: nil for what is no percentage, more than 100, or finer than a millionth.
  package static func millionths(text: String) -> Int64? {
    let digits = text.dropLast()
    let fraction = digits.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first
    guard text.hasSuffix("%"), fraction.map({ $0.utf8.count <= 4 }) ?? true,
      let share = Decimal.scaled(digits, by: 10_000), share <= 1_000_000
    else { return nil }
    return share
  }

  /// `millionths(text:)` reads it back.
  package static func text(millionths: Int64) -> String {
    var fraction = "\(10_000 + millionths % 10_000)".dropFirst()
    while fraction.last == "0" { fraction = fraction.dropLast() }
    return "\(millionths / 10_000)" + (fraction.isEmpty ? "" : ".\(fraction)") + "%"
  }
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
