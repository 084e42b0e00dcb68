import Testing

@testable import ProviderProfiles

// The reader of JSON: what it refuses, and where it says so.

@Suite struct `Reading JSON` {
  private static func problem(_ bytes: [UInt8]) -> String {
    do throws(JSONProblem) {
      _ = try PositionedJSON.parse(bytes)
      return "none"
    } catch {
      return "\(error.position): \(error.message)"
    }
  }

  private static func text(_ json: String) throws -> String? {
    guard case .text(let text) = try PositionedJSON.parse(Array(json.utf8)).content else { return nil }
    return text
  }

  @Test(arguments: [
    ("", "1:1: a value was expected, not the end of the file"),
    ("  \n ", "2:2: a value was expected, not the end of the file"),
    ("{\n  \"a\": 1,\n}", "3:1: a key in double quotes was expected, not \"}\""),
    ("{\"a\" 1}", "1:6: \":\" was expected, not \"1\""),
    ("{\"a\": 1 \"b\": 2}", "1:9: \",\" or \"}\" was expected, not \"\"\""),
    ("[1 2]", "1:4: \",\" or \"]\" was expected, not \"2\""),
    ("[1,]", "1:4: a value was expected, not \"]\""),
    ("{'a': 1}", "1:2: a key in double quotes was expected, not \"'\""),
    ("{\"a\": 1,\n \"é\": 2,\n \"a\": 3}", "3:2: the key \"a\" stands here again; it was at 1:2"),
    ("{} {}", "1:4: \"{\" after the end of the value"),
    ("nul", "1:1: a value was expected; texts stand in double quotes"),
    ("[tru]", "1:2: a value was expected; texts stand in double quotes"),
    ("01", "1:2: a number does not begin with 0 and another digit"),
    ("-", "1:2: a digit was expected, not the end of the file"),
    ("1.", "1:3: a digit was expected, not the end of the file"),
    ("1e+x", "1:4: a digit was expected, not \"x\""),
    ("+1", "1:1: a value was expected, not \"+\""),
    ("\"abc", "1:1: this text has no closing quote"),
    ("\"a\nb\"", "1:3: a control character in a text is written as an escape"),
    ("\"\\x\"", "1:2: JSON has no such escape"),
    ("\"\\u12g4\"", "1:2: four hexadecimal digits follow \\u"),
    ("\"\\u12", "1:2: four hexadecimal digits follow \\u"),
    ("\"ab\\ud800\"", "1:4: half of a surrogate pair is no character"),
    ("\"\\udc00\\ud800\"", "1:2: half of a surrogate pair is no character"),
    ("\"\\ud800\\u0041\"", "1:2: half of a surrogate pair is no character"),
    ("// no\n{}", "1:1: a value was expected, not \"/\""),
    ("\u{FEFF}{}", "1:1: a value was expected, not \"\\u{feff}\""),
    ("[\u{1B}]", "1:2: a value was expected, not \"\\u{1b}\""),
    // Columns count scalars: é is one, the flag is two.
    ("[\"é🇫🇷\" x]", "1:8: \",\" or \"]\" was expected, not \"x\""),
    ("{\r\n\"a\": x}", "2:6: a value was expected, not \"x\""),
  ])
  func `names the place of what is not JSON`(_ json: String, _ expected: String) {
    #expect(Self.problem(Array(json.utf8)) == expected)
  }

  @Test(
    arguments: [
      ([0x5B, 0x22, 0xC3, 0xA9, 0xFF, 0x22, 0x5D], "1:4: this is not UTF-8"),
      ([0x0A, 0xC3], "2:1: this is not UTF-8"),
      ([0x22, 0xED, 0xA0, 0x80, 0x22], "1:2: this is not UTF-8"),
      ([0x22, 0xC0, 0x80, 0x22], "1:2: this is not UTF-8"),
      ([0xFF, 0xFE, 0x7B, 0x00], "1:1: this is not UTF-8"),
    ] as [([UInt8], String)])
  func `names the place of what is not UTF-8`(_ bytes: [UInt8], _ expected: String) {
    #expect(Self.problem(bytes) == expected)
  }

  @Test func `goes 64 levels deep and no deeper`() {
    func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
      Array((String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)).utf8)
    }
    #expect(Self.problem(nested(64, "[", "]")) == "none")
    #expect(Self.problem(nested(65, "[", "]")) == "1:65: nested deeper than 64 levels")
    #expect(Self.problem(nested(64, "{\"a\":", "}")) == "none")
    #expect(Self.problem(nested(65, "{\"a\":", "}")) == "1:321: nested deeper than 64 levels")
    #expect(Self.problem(Array(repeating: 0x5B, count: 4 << 20)) == "1:65: nested deeper than 64 levels")
  }

  @Test func `takes 4 MiB and no more`() {
    let space = [UInt8](repeating: 0x20, count: (4 << 20) - 1)
    #expect(Self.problem(space + [0x31]) == "none")
    #expect(Self.problem(space + [0x31, 0x20]) == "1:1: the file is larger than 4194304 bytes")
  }

  @Test func `understands every escape`() throws {
    let escapes = #""\"\\\/\b\f\n\r\t\u00e9\ud83d\uDE00\u0000""#
    #expect(try Self.text(escapes) == "\"\\/\u{8}\u{C}\n\r\té😀\0")
  }

  @Test func `keeps numbers as they are written`() throws {
    for number in ["0", "-0", "18446744073709551615", "1.50", "-2e-3", "1E+9"] {
      guard case .number(let text) = try PositionedJSON.parse(Array(number.utf8)).content else {
        Issue.record("\(number) is no number")
        continue
      }
      #expect(text == number)
    }
  }

  @Test func `knows where keys and values stand`() throws {
    let json = try PositionedJSON.parse(Array("{\n  \"é\": [true,\n null]\n}".utf8))
    guard case .object(let members) = json.content, let member = members.first,
      case .array(let elements) = member.value.content
    else {
      Issue.record("not the shape that was written")
      return
    }
    #expect(json.position == TextPosition(line: 1, column: 1))
    #expect(member.keyPosition == TextPosition(line: 2, column: 3))
    #expect(member.value.position == TextPosition(line: 2, column: 8))
    #expect(elements.map(\.position) == [.init(line: 2, column: 9), .init(line: 3, column: 2)])
  }
}
