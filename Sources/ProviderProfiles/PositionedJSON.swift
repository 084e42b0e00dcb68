// A strict JSON reader (RFC 8259) whose values know where they stand in the file, so that every complaint
// about a profile can name its line and column.

/// A place in a text. Lines end with a line feed; columns count Unicode scalars; both begin with 1.
package struct TextPosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Which of the files that are read together, by their order.
  package var file: Int
  package var line: Int
  package var column: Int
  package init(file: Int = 0, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }
  package static let start = TextPosition(line: 1, column: 1)
  package var description: String { "\(line):\(column)" }
  package static func < (a: TextPosition, b: TextPosition) -> Bool {
    (a.file, a.line, a.column) < (b.file, b.line, b.column)
  }
}

/// A JSON value and the place of its first character.
package struct PositionedJSON: Sendable {
  package struct Member: Sendable {
    package let key: String
    package let keyPosition: TextPosition
    package let value: PositionedJSON
  }

  package enum Content: Sendable {
    case null
    case bool(Bool)
    /// As written: what it may be is for the reader of the key to say, and a Double would lose digits.
    case number(String)
    case text(String)
    case array([PositionedJSON])
    case object([Member])
  }

  package let position: TextPosition
  package let content: Content

  package static let depthLimit = 64
  package static let sizeLimit = 4 << 20

  init(position: TextPosition, content: Content) {
    self.position = position
    self.content = content
  }

  /// Reads one value, which is all that `bytes` may hold.
  /// - Parameter file: What its positions say of where they are.
  /// - Throws: the first thing that is not JSON, a key that an object has twice, or a limit that is passed.
  package static func parse(_ bytes: [UInt8], file: Int = 0) throws(JSONProblem) -> PositionedJSON {
    let start = TextPosition(file: file, line: 1, column: 1)
    guard bytes.count <= sizeLimit else {
      throw JSONProblem(start, "the file is larger than \(sizeLimit) bytes")
    }
    let valid = validPrefix(of: bytes)
    var scanner = JSONScanner(Array(bytes[..<valid]), at: start)
    guard valid == bytes.count else {
      scanner.skipToEnd()
      throw JSONProblem(scanner.position, "this is not UTF-8")
    }
    let value = try scanner.value(depth: 0)
    scanner.skipSpace()
    guard scanner.byte == nil else {
      throw JSONProblem(scanner.position, "\(scanner.found) after the end of the value")
    }
    return value
  }

  /// How many bytes are UTF-8 before the first that is not.
  private static func validPrefix(of bytes: [UInt8]) -> Int {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return bytes.count
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  /// What a person calls this kind of value.
  package var kindName: String {
    switch content {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

package struct JSONProblem: Error, Hashable {
  package let position: TextPosition
  package let message: String
  init(_ position: TextPosition, _ message: String) {
    self.position = position
    self.message = message
  }
}

/// Walks over UTF-8 that was found valid, and keeps count of lines and columns.
private struct JSONScanner {
  private let bytes: [UInt8]
  private var offset = 0
  private(set) var position: TextPosition

  init(_ bytes: [UInt8], at position: TextPosition) {
    self.bytes = bytes
    self.position = position
  }

  var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// What stands here, for messages.
  var found: String {
    guard byte != nil else { return "the end of the file" }
    let here = String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self)
    return here.unicodeScalars.first.map { "\"\(Printable.text(String($0)))\"" } ?? "the end of the file"
  }

  mutating func advance() {
    guard let byte else { return }
    offset += 1
    if byte == 0x0A {
      position = TextPosition(file: position.file, line: position.line + 1, column: 1)
    } else if offset >= bytes.count || bytes[offset] & 0xC0 != 0x80 {
      // The next byte begins a scalar.
      position.column += 1
    }
  }

  mutating func skipToEnd() { while byte != nil { advance() } }

  mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { advance() }
  }

  mutating func take(_ wanted: UInt8) -> Bool {
    guard byte == wanted else { return false }
    advance()
    return true
  }

  mutating func value(depth: Int) throws(JSONProblem) -> PositionedJSON {
    skipSpace()
    let start = position
    let content: PositionedJSON.Content
    switch byte {
    case 0x7B: content = .object(try members(depth: depth + 1))
    case 0x5B: content = .array(try elements(depth: depth + 1))
    case 0x22: content = .text(try string())
    case .some(0x2D), .some(0x30...0x39): content = .number(try number())
    case 0x74: content = try word("true", .bool(true))
    case 0x66: content = try word("false", .bool(false))
    case 0x6E: content = try word("null", .null)
    default: throw JSONProblem(position, "a value was expected, not \(found)")
    }
    return PositionedJSON(position: start, content: content)
  }

  private mutating func word(
    _ word: StaticString, _ content: PositionedJSON.Content
  ) throws(JSONProblem) -> PositionedJSON.Content {
    let start = position
    for expected in word.description.utf8 where !take(expected) {
      throw JSONProblem(start, "a value was expected; texts stand in double quotes")
    }
    return content
  }

  private func check(_ depth: Int) throws(JSONProblem) {
    guard depth <= PositionedJSON.depthLimit else {
      throw JSONProblem(position, "nested deeper than \(PositionedJSON.depthLimit) levels")
    }
  }

  private mutating func elements(depth: Int) throws(JSONProblem) -> [PositionedJSON] {
    try check(depth)
    advance()
    var elements: [PositionedJSON] = []
    skipSpace()
    if take(0x5D) { return elements }
    while true {
      elements.append(try value(depth: depth))
      skipSpace()
      if take(0x5D) { return elements }
      guard take(0x2C) else { throw JSONProblem(position, "\",\" or \"]\" was expected, not \(found)") }
    }
  }

  private mutating func members(depth: Int) throws(JSONProblem) -> [PositionedJSON.Member] {
    try check(depth)
    advance()
    var members: [PositionedJSON.Member] = []
    var seen: [String: TextPosition] = [:]
    skipSpace()
    if take(0x7D) { return members }
    while true {
      skipSpace()
      let start = position
      guard byte == 0x22 else {
        throw JSONProblem(start, "a key in double quotes was expected, not \(found)")
      }
      let key = try string()
      if let first = seen.updateValue(start, forKey: key) {
        throw JSONProblem(start, "the key \"\(Printable.text(key))\" stands here again; it was at \(first)")
      }
      skipSpace()
      guard take(0x3A) else { throw JSONProblem(position, "\":\" was expected, not \(found)") }
      members.append(.init(key: key, keyPosition: start, value: try value(depth: depth)))
      skipSpace()
      if take(0x7D) { return members }
      guard take(0x2C) else { throw JSONProblem(position, "\",\" or \"}\" was expected, not \(found)") }
    }
  }

  private mutating func number() throws(JSONProblem) -> String {
    let start = offset
    _ = take(0x2D)
    if take(0x30) {
      if let byte, (0x30...0x39).contains(byte) {
        throw JSONProblem(position, "a number does not begin with 0 and another digit")
      }
    } else {
      try digits()
    }
    if take(0x2E) { try digits() }
    if take(0x65) || take(0x45) {
      if !take(0x2B) { _ = take(0x2D) }
      try digits()
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func digits() throws(JSONProblem) {
    let start = offset
    while let byte, (0x30...0x39).contains(byte) { advance() }
    guard offset > start else { throw JSONProblem(position, "a digit was expected, not \(found)") }
  }

  private mutating func string() throws(JSONProblem) -> String {
    let start = position
    advance()
    var text: [UInt8] = []
    while let byte {
      switch byte {
      case 0x22:
        advance()
        return String(decoding: text, as: UTF8.self)
      case 0x5C: text += Array(String(try escape()).utf8)
      case ..<0x20: throw JSONProblem(position, "a control character in a text is written as an escape")
      default:
        text.append(byte)
        advance()
      }
    }
    throw JSONProblem(start, "this text has no closing quote")
  }

  private mutating func escape() throws(JSONProblem) -> Unicode.Scalar {
    let start = position
    advance()
    let escaped = byte
    advance()
    switch escaped {
    case 0x22: return "\""
    case 0x5C: return "\\"
    case 0x2F: return "/"
    case 0x62: return "\u{8}"
    case 0x66: return "\u{C}"
    case 0x6E: return "\n"
    case 0x72: return "\r"
    case 0x74: return "\t"
    case 0x75: return try scalar(from: start)
    default: throw JSONProblem(start, "JSON has no such escape")
    }
  }

  /// The digits after `\u`, and the second half of a surrogate pair.
  private mutating func scalar(from start: TextPosition) throws(JSONProblem) -> Unicode.Scalar {
    let high = try fourHexDigits(from: start)
    if let scalar = Unicode.Scalar(high) { return scalar }
    if high < 0xDC00, take(0x5C), take(0x75) {
      let low = try fourHexDigits(from: start)
      if (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
      {
        return scalar
      }
    }
    throw JSONProblem(start, "half of a surrogate pair is no character")
  }

  private mutating func fourHexDigits(from start: TextPosition) throws(JSONProblem) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw JSONProblem(start, "four hexadecimal digits follow \\u")
      }
      value = value << 4 | UInt32(digit)
      advance()
    }
    return value
  }
}
