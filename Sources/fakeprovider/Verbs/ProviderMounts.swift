/// A mount of fakeprovider, from the mount table.
struct ProviderMount: Hashable, Sendable {
  var mountpoint: Argument
  /// The control socket's path; nil when the mount does not name one.
  var socket: Argument?

  static let fileSystemType = Array("fuse.fakeprovider".utf8)
  static let sourcePrefix = Array("fakeprovider:".utf8)

  /// - Parameter table: the bytes of /proc/self/mountinfo (proc(5)).
  static func all(in table: [UInt8]) -> [ProviderMount] {
    table.split(separator: 0x0A).compactMap { line in
      let fields = line.split(separator: 0x20, omittingEmptySubsequences: false)
      // The optional fields end with a lone dash; the type and the source follow.
      guard let dash = fields.dropFirst(6).firstIndex(where: { $0.elementsEqual([0x2D]) }),
        fields.count > dash + 2, fields[dash + 1].elementsEqual(fileSystemType)
      else { return nil }
      let source = unescaped(fields[dash + 2])
      let socket = source.starts(with: sourcePrefix) ? Array(source.dropFirst(sourcePrefix.count)) : []
      return ProviderMount(
        mountpoint: Argument(bytes: unescaped(fields[4])),
        socket: socket.isEmpty ? nil : Argument(bytes: socket))
    }
  }

  /// The kernel writes space, tab, newline and backslash as a backslash and three octal digits.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == 0x5C, digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
        result.append(digits.reduce(0) { $0 &* 8 &+ ($1 - 0x30) })
        rest = rest.dropFirst(3)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}

extension Argument {
  /// As a shell takes it for one word.
  var shellWord: String {
    let plain = text.unicodeScalars.allSatisfy { scalar in
      !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || "+,-./:@_".unicodeScalars.contains(scalar)
    }
    if plain, !text.isEmpty { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
