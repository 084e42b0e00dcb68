package import ProviderModel

// Values with their unit, as people write them.

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
