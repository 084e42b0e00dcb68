import ProviderModel

// The JSON Schema (draft 2020-12) of a profile, made from the table of keys. It accepts what the reader accepts; of
// what the reader refuses it lets pass what a schema cannot say, such as that one value be less than another.

package enum ProfileSchema {
  package static let text: String = {
    let outline = ProfileKeys.table.outline
    var definitions = values
    for key in outline.keys {
      guard case .objects(_, let inner) = key.type else { continue }
      definitions = definitions.with(name(of: inner), object(inner, in: ""))
    }
    let head: SchemaNode = [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A profile of fakeprovider",
    ]
    return head.with(object(outline, in: "")).with("$defs", definitions).text + "\n"
  }()

  /// "timed event" is "timedEvent" among the definitions.
  private static func name(of outline: ProfileOutline) -> String {
    let words = outline.noun.split(separator: " ")
    return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }
      .joined()
  }

  // MARK: Objects

  private static func object(_ outline: ProfileOutline, in group: String) -> SchemaNode {
    var properties: SchemaNode = [:]
    var required: [SchemaNode] = []
    for name in outline.members(of: group) {
      let path = DottedPath.joined(group, name)
      let key = outline.key(path)
      let inner = outline.group(path)
      if key?.isRequired == true || inner?.isRequired == true { required.append(.text(name)) }
      let choices = (key.map { [value($0)] } ?? []) + (inner.map { [object(outline, in: $0.path)] } ?? [])
      properties = properties.with(name, choices.count == 1 ? choices[0] : ["anyOf": .array(choices)])
    }
    let rule = outline.group(group)
    var node: SchemaNode = [:]
    node = node.with("description", rule.map { .text($0.summary) })
      .with(["type": "object", "additionalProperties": false])
      .with("required", required.isEmpty ? nil : .array(required))
    if let rule {
      let limits = rule.members
      node = node.with("minProperties", limits.lowerBound > 0 ? .literal("\(limits.lowerBound)") : nil)
        .with("maxProperties", limits.upperBound < Int.max ? .literal("\(limits.upperBound)") : nil)
        .with("oneOf", rule.alternatives.isEmpty ? nil : oneAtMost(rule.alternatives))
    }
    return node.with("properties", properties)
  }

  private static func oneAtMost(_ names: [String]) -> SchemaNode {
    let each = names.map { SchemaNode.object([.init(name: "required", value: [.text($0)])]) }
    return .array([["not": ["anyOf": .array(each)]]] + each)
  }

  // MARK: Values

  private static func value(_ key: KeyOutline) -> SchemaNode {
    let description: SchemaNode = ["description": .text(key.summary)]
    return description.with(type(key.type))
      .with("default", key.defaultValue.map { .literal(ProfileWriter.json($0)) })
  }

  private static func type(_ type: ProfileValueType) -> SchemaNode {
    switch type {
    case .text(let bytes): text(bytes)
    case .word(let words): ["enum": one(of: words)]
    case .words(let words):
      [
        "anyOf": [
          ["enum": one(of: words)],
          ["type": "array", "minItems": 1, "uniqueItems": true, "items": ["enum": one(of: words)]],
        ]
      ]
    case .flag: ["type": "boolean"]
    case .yes: ["const": true]
    case .wholeNumber(let limits):
      [
        "type": "integer", "minimum": .literal("\(limits.lowerBound)"),
        "maximum": .literal("\(limits.upperBound)"),
      ]
    case .span(let limits): reference(limits.lowerBound > .zero ? "someTime" : "duration")
    case .patience: reference("patience")
    case .latency: reference("latency")
    case .bandwidth: reference("rate")
    case .rate: reference("someRate")
    case .byteCount: reference("bytes")
    case .room: reference("room")
    case .point: reference("point")
    case .share: reference("share")
    case .glob(let bytes), .path(let bytes): text(bytes, pattern: "^[^/]")
    case .texts(let count, let bytes): list(count, text(bytes))
    case .globs(let count, let bytes): list(count, text(bytes, pattern: "^[^/]"))
    case .nameGlobs(let count, let bytes): list(count, text(bytes, pattern: "^[^/]*$"))
    case .mapping(_, let from, let to):
      [
        "type": "object", "additionalProperties": ["enum": one(of: to)],
        "propertyNames": ["enum": one(of: from)],
      ]
    case .objects(let count, let outline): list(count, reference(name(of: outline)))
    }
  }

  private static func one(of words: [String]) -> SchemaNode { .array(words.map { .text($0) }) }

  private static func reference(_ name: String) -> SchemaNode { ["$ref": .text("#/$defs/\(name)")] }

  /// A character has at least one byte.
  private static func text(_ bytes: ClosedRange<Int>, pattern: String? = nil) -> SchemaNode {
    let node: SchemaNode = ["type": "string"]
    return node.with("minLength", bytes.lowerBound > 0 ? 1 : nil)
      .with("maxLength", .literal("\(bytes.upperBound)")).with("pattern", pattern.map { .text($0) })
  }

  private static func list(_ count: ClosedRange<Int>, _ items: SchemaNode) -> SchemaNode {
    ["type": "array", "maxItems": .literal("\(count.upperBound)"), "items": items]
  }

  // MARK: Texts with a unit

  private static let digits = #"[0-9]+(\.[0-9]{1,9})?"#
  private static let time = "\(digits)(\(Span.unitNames.joined(separator: "|")))"
  private static let size = "\(digits)(\(ByteCount.unitNames.joined(separator: "|")))"
  private static let byte = "([0-9]+|\(size))"
  private static let percentage = #"0*(100(\.0{1,4})?|[0-9]{1,2}(\.[0-9]{1,4})?)%"#
  /// Ahead of a value that is more than nothing.
  private static let notNothing = "(?![0.]*[^0-9.]*$)"

  private static let values: SchemaNode = [
    "duration": pattern("\"800ms\", \"1.5s\", \"2m\"; ns, us, ms, s, m or h.", "(0|\(time))"),
    "someTime": pattern("A duration that is more than nothing.", "\(notNothing)\(time)"),
    "patience": pattern(
      "A duration that is more than nothing, or \"never\".", "(never|\(notNothing)\(time))"),
    "latency": [
      "description": "A duration, or how it is drawn: from min to max, or log-normal.",
      "anyOf": [reference("duration"), drawn("min", "max"), drawn("median", "p99")],
    ],
    "rate": pattern("\"2MB/s\", \"500kB/s\", \"1MiB/s\", or \"unlimited\".", "(unlimited|\(size)/s)"),
    "someRate": pattern("\"2MB/s\", \"500kB/s\", \"1MiB/s\".", "\(size)/s"),
    "bytes": pattern("\"65536\", \"64KiB\", \"2MB\".", byte),
    "room": pattern("\"65536\", \"64KiB\", \"2MB\", or \"unlimited\".", "(unlimited|\(byte))"),
    "point": pattern(
      "A place in a file: a share such as \"40%\", or a byte such as \"65536\" or \"64KiB\".",
      "(\(percentage)|\(byte))"),
    "share": pattern("\"30%\", more than nothing.", "\(notNothing)\(percentage)"),
  ]

  private static func pattern(_ description: String, _ pattern: String) -> SchemaNode {
    ["description": .text(description), "type": "string", "pattern": .text("^\(pattern)$")]
  }

  private static func drawn(_ low: String, _ high: String) -> SchemaNode {
    [
      "type": "object", "additionalProperties": false, "required": [.text(low), .text(high)],
      "properties": .object([
        .init(name: low, value: reference("duration")), .init(name: high, value: reference("duration")),
      ]),
    ]
  }
}
