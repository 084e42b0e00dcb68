import FoundationEssentials

/// From a message to its line and back: one JSON object, ended by a newline.
package enum LineCoding {
  /// A line's length without its newline, in bytes; a longer one ends the connection.
  package static let limit_bytes = 1 << 20

  /// - Throws: ``ConnectionProblem/lineTooLong`` or ``ConnectionProblem/malformed(_:)``.
  package static func line(_ message: some Encodable) throws(ConnectionProblem) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    let data: Data
    do {
      data = try encoder.encode(message)
    } catch {
      throw .malformed("cannot be encoded: \(error)")
    }
    guard data.count <= limit_bytes else { throw .lineTooLong }
    return Array(data) + [0x0A]
  }

  /// - Parameter line: without its newline.
  /// - Throws: ``ConnectionProblem/malformed(_:)``.
  package static func message<Message: Decodable>(
    _ type: Message.Type, from line: [UInt8]
  ) throws(ConnectionProblem) -> Message {
    do {
      return try JSONDecoder().decode(type, from: Data(line))
    } catch {
      throw .malformed("not a \(type): \(String(decoding: line.prefix(200), as: UTF8.self))")
    }
  }
}
