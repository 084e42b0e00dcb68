package import ProviderModel

// Values with their unit, as people write them.

extension Span {
  /// Reads "800ms", "1.5s", "2m", "1h", "250us", "10ns", and "0".
  package init?(text: String) {
    if text == "0" {
      self = .zero
      return
    }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let factor: Int64
    switch text[digits.endIndex...] {
    case "ns": factor = 1
    case "us": factor = 1_000
    case "ms": factor = 1_000_000
    case "s": factor = 1_000_000_000
    case "m": factor = 60_000_000_000
    case "h": factor = 3_600_000_000_000
    default: return nil
    }
    guard let nanoseconds = Decimal.scaled(digits, by: factor) else { return nil }
    self.init(nanoseconds: nanoseconds)
  }
}

/// A decimal number times a whole factor, exactly, without a Double in between.
package enum Decimal {
  package static func scaled(_ text: some StringProtocol, by factor: Int64) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first.flatMap({ Int64($0) }), whole >= 0 else { return nil }
    let (high, overflow) = whole.multipliedReportingOverflow(by: factor)
    if overflow { return nil }
    guard parts.count == 2 else { return high }
    let fraction = parts[1].prefix(9)
    guard !fraction.isEmpty, parts[1].count <= 9, let numerator = Int64(fraction) else { return nil }
    var denominator: Int128 = 1
    for _ in fraction { denominator *= 10 }
    let (sum, carry) = high.addingReportingOverflow(Int64(Int128(numerator) * Int128(factor) / denominator))
    return carry ? nil : sum
  }
}

extension HoldPoint {
  /// Reads "40%", "12.5%" or a byte offset.
  package init?(text: String) {
    if text.hasSuffix("%") {
      guard let millionths = Decimal.scaled(text.dropLast(), by: 10_000), millionths <= 1_000_000 else {
        return nil
      }
      self = .millionths(millionths)
    } else {
      guard let bytes = Int64(text), bytes >= 0 else { return nil }
      self = .bytes(bytes)
    }
  }

  package var text: String {
    switch self {
    case .bytes(let count): return "\(count)"
    case .millionths(let count):
      var fraction = "\(10_000 + count % 10_000)".dropFirst()
      while fraction.last == "0" { fraction = fraction.dropLast() }
      return "\(count / 10_000)" + (fraction.isEmpty ? "" : ".\(fraction)") + "%"
    }
  }
}

package enum FileURL {
  /// `file://` and the path, percent-encoded as RFC 3986 has it.
  package static func text(mountpoint: String, path: ItemPath) -> String {
    var bytes = Array(mountpoint.utf8)
    for name in path.names { bytes += [0x2F] + name.bytes }
    let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@".utf8)
    let hex = Array("0123456789ABCDEF".utf8)
    var url = Array("file://".utf8)
    for byte in bytes {
      if kept.contains(byte) {
        url.append(byte)
      } else {
        url += [0x25, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: url, as: UTF8.self)
  }
}
