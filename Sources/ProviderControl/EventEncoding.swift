import FoundationEssentials

// The one line that is made for every operation: written by hand, since an encoder that finds out what it encodes
// takes longer than the operation itself.

extension EventLine {
  /// The event as one JSON object, its keys in alphabetical order, without a newline: what ``LineCoding`` makes.
  package var json: [UInt8] {
    var writer = ObjectWriter()
    writer.member("app", app)
    writer.member("atNanoseconds", atNanoseconds)
    writer.member("bytes", bytes)
    writer.member("claim", claim)
    writer.member("condition", condition)
    writer.member("copy", copy)
    writer.member("dropped", dropped)
    writer.member("errno", errno)
    writer.member("error", error)
    writer.member("file", file)
    writer.member("from", from)
    writer.member("hold", hold)
    writer.member("message", message)
    writer.member("mode", mode)
    writer.member("name", name)
    writer.member("offset", offset)
    writer.member("operation", operation)
    writer.member("path", path)
    writer.member("process", process)
    writer.member("profile", profile)
    writer.member("rule", rule)
    writer.member("scoped", scoped)
    writer.member("seed", seed)
    writer.member("sequence", sequence)
    writer.member("thread", thread)
    writer.member("version", version)
    writer.member("waitedNanoseconds", waitedNanoseconds)
    return writer.object
  }
}

/// Members of one JSON object, as bytes.
private struct ObjectWriter {
  private var bytes: [UInt8] = [0x7B]

  init() { bytes.reserveCapacity(384) }

  var object: [UInt8] { bytes + [0x7D] }

  mutating func member(_ key: StaticString, _ value: String?) {
    guard var value else { return }
    begin(key)
    value.withUTF8 { text($0) }
  }

  mutating func member(_ key: StaticString, _ value: (some BinaryInteger)?) {
    guard let value else { return }
    begin(key)
    bytes += "\(value)".utf8
  }

  mutating func member(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    begin(key)
    bytes += value ? "true".utf8 : "false".utf8
  }

  mutating func member(_ key: StaticString, _ value: WirePath?) {
    guard let value else { return }
    begin(key)
    if Self.isUTF8(value.bytes) {
      value.bytes.withUnsafeBufferPointer { text($0) }
    } else {
      bytes += "{\"path_b64\":\"".utf8
      bytes += Data(value.bytes).base64EncodedString().utf8
      bytes += "\"}".utf8
    }
  }

  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }

  private mutating func begin(_ key: StaticString) {
    if bytes.count > 1 { bytes.append(0x2C) }
    bytes.append(0x22)
    bytes += UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    bytes += [0x22, 0x3A]
  }

  private mutating func text(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(0x22)
    defer { bytes.append(0x22) }
    if text.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) {
      bytes += text
      return
    }
    for byte in text {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x08: bytes += "\\b".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0x0D: bytes += "\\r".utf8
      case ..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += "\\u00".utf8
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
  }
}
