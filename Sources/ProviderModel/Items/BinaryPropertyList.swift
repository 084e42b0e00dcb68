/// Apple's binary property lists, as far as stubs need them: one dictionary of texts and numbers.
///
/// - Source: CFBinaryPList.c (swift-corelibs-foundation), which describes the format at its head.
enum BinaryPropertyList {
  enum Value {
    case text(String)
    case number(Int64)
  }

  /// - Parameter entries: at most 14, so that their count fits into the dictionary's marker.
  static func dictionary(_ entries: [(key: String, value: Value)]) -> [UInt8] {
    // Object 0 is the dictionary, which refers to its keys and values by their numbers.
    let numbers = (1...UInt8(2 * entries.count)).map { $0 }
    var objects = [[0xD0 | UInt8(entries.count)] + numbers]
    objects += entries.map { text($0.key) }
    objects += entries.map { entry in
      switch entry.value {
      case .text(let value): text(value)
      case .number(let value): number(value)
      }
    }
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    let width = table < 1 << 8 ? 1 : table < 1 << 16 ? 2 : 4
    for offset in offsets { bytes += bigEndian(UInt64(offset), width) }
    // Unused bytes, the widths of an offset and of a reference, the count, the top object, the table's offset.
    bytes += [0, 0, 0, 0, 0, 0, UInt8(width), 1]
    return bytes + bigEndian(UInt64(objects.count), 8) + bigEndian(0, 8) + bigEndian(UInt64(table), 8)
  }

  private static func text(_ text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return marker(0x50, text.utf8.count) + Array(text.utf8) }
    let units = Array(text.utf16)
    return marker(0x60, units.count) + units.flatMap { bigEndian(UInt64($0), 2) }
  }

  private static func number(_ value: Int64) -> [UInt8] {
    // Up to four bytes are unsigned, eight are signed.
    let width = value < 0 ? 8 : value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
    return [0x10 | UInt8(width.trailingZeroBitCount)] + bigEndian(UInt64(bitPattern: value), width)
  }

  /// A type with a count; one that is too large for the marker follows it as a number.
  private static func marker(_ type: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [type | UInt8(count)] : [type | 0x0F] + number(Int64(count))
  }

  private static func bigEndian(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(width - 1 - $0))) }
  }
}
