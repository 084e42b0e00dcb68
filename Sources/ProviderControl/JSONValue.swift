package import ProviderModel

/// Any JSON, for the parts of a message that somebody else reads: a rule is the profile reader's.
package enum JSONValue: Hashable, Sendable, Codable {
  case null
  case bool(Bool)
  case number(Int64)
  case fraction(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .number(value)
    } else if let value = try? container.decode(Double.self) {
      self = .fraction(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .fraction(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}

/// From a rule's JSON to the rule and back: the shells that read profiles bring it along.
package struct RuleCoding: Sendable {
  package var read: @Sendable (_ json: [UInt8]) throws(RequestProblem) -> Rule
  package var write: @Sendable (Rule) -> [UInt8]
  package init(
    read: @escaping @Sendable (_ json: [UInt8]) throws(RequestProblem) -> Rule,
    write: @escaping @Sendable (Rule) -> [UInt8]
  ) {
    self.read = read
    self.write = write
  }
}
