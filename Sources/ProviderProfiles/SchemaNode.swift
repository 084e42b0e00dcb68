/// JSON to be written, over several lines; members keep their order.
indirect enum SchemaNode: Sendable {
  struct Member: Sendable {
    let name: String
    let value: SchemaNode
  }

  case text(String)
  /// As it is written.
  case literal(String)
  case array([SchemaNode])
  case object([Member])

  /// The members of both; `other` is an object.
  func with(_ other: SchemaNode) -> SchemaNode {
    guard case .object(let own) = self, case .object(let more) = other else { return self }
    return .object(own + more)
  }

  func with(_ name: String, _ value: SchemaNode?) -> SchemaNode {
    value.map { with(.object([Member(name: name, value: $0)])) } ?? self
  }

  var text: String { text(indent: "") }

  private func text(indent: String) -> String {
    let inner = indent + "  "
    switch self {
    case .text(let text): return ProfileWriter.quoted(text)
    case .literal(let text): return text
    case .array(let elements):
      if elements.allSatisfy(\.isPlain) {
        return "[\(elements.map { $0.text(indent: "") }.joined(separator: ", "))]"
      }
      let lines = elements.map { inner + $0.text(indent: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
    case .object(let members):
      if members.isEmpty { return "{}" }
      if members.count == 1, members[0].value.isPlain {
        return "{ \(ProfileWriter.quoted(members[0].name)): \(members[0].value.text(indent: "")) }"
      }
      let lines = members.map { "\(inner)\(ProfileWriter.quoted($0.name)): \($0.value.text(indent: inner))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    }
  }

  private var isPlain: Bool {
    switch self {
    case .text, .literal: true
    case .array(let elements): elements.count < 4 && elements.allSatisfy(\.isPlain)
    case .object: false
    }
  }
}

extension SchemaNode: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .literal("\(value)") }
  init(integerLiteral value: Int) { self = .literal("\(value)") }
  init(arrayLiteral elements: SchemaNode...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, SchemaNode)...) {
    self = .object(elements.map { Member(name: $0, value: $1) })
  }
}
