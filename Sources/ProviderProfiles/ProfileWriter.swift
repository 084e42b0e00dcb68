package import ProviderModel

/// A profile as JSON that has every key with the value in effect, in the order of the table of keys.
///
/// `ProfileReader` makes the same profile of it again.
package enum ProfileWriter {
  package static func json(_ profile: Profile) -> String {
    let table = ProfileKeys.table
    return text(table.record(profile), table.outline, breaks: 2) + "\n"
  }

  /// A rule on one line, without the keys that have their default.
  package static func json(_ rule: Rule) -> String {
    let table = RuleKeys.table
    var record = table.record(rule)
    for key in table.outline.keys where record[key.path] == key.defaultValue { record[key.path] = nil }
    return text(record, table.outline, breaks: 0)
  }

  /// - Parameter breaks: How many levels of objects have a line for each member.
  static func text(
    _ record: ProfileRecord, _ outline: ProfileOutline, in group: String = "", breaks: Int = 0,
    indent: String = ""
  ) -> String {
    let inner = indent + "  "
    let members = outline.members(of: group).compactMap { name -> String? in
      let path = DottedPath.joined(group, name)
      if let value = record[path] { return "\(quoted(name)): \(json(value, outline.key(path)?.type, inner))" }
      guard outline.group(path) != nil, record.has(path) else { return nil }
      let object = text(record, outline, in: path, breaks: breaks - 1, indent: inner)
      return "\(quoted(name)): \(object)"
    }
    if breaks <= 0 { return "{ \(members.joined(separator: ", ")) }" }
    return "{\n\(inner)\(members.joined(separator: ",\n" + inner))\n\(indent)}"
  }

  /// One value as JSON: on one line, except that each object of an array has its own.
  private static func json(_ value: ProfileValue, _ type: ProfileValueType?, _ indent: String) -> String {
    guard case .objects(let records) = value, case .objects(_, let outline) = type, !records.isEmpty else {
      return json(value)
    }
    let inner = indent + "  "
    let lines = records.map { inner + text($0, outline, breaks: 0) }
    return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
  }

  /// One value as JSON, on one line.
  package static func json(_ value: ProfileValue) -> String {
    switch value {
    case .text(let text), .word(let text): quoted(text)
    case .words(let words) where words.count == 1: quoted(words[0])
    case .words(let words): "[\(words.map(quoted).joined(separator: ", "))]"
    case .flag(let flag): "\(flag)"
    case .span(let span): quoted(span.text)
    case .patience(let span): quoted(span?.text ?? "never")
    case .byteCount(let count): quoted(ByteCount.text(bytes: count))
    case .room(let count): quoted(count.map { ByteCount.text(bytes: $0) } ?? "unlimited")
    case .point(let point): quoted(point.text)
    case .share(let share): quoted(Share.text(millionths: share))
    case .glob(let glob): quoted(glob.pattern)
    case .path(let path): quoted(path.description)
    case .objects: "[]"
    case .mapping(let mapped) where mapped.isEmpty: "{}"
    case .mapping(let mapped):
      "{ \(mapped.sorted { $0.key < $1.key }.map { "\(quoted($0)): \(quoted($1))" }.joined(separator: ", ")) }"
    case .wholeNumber(let number): "\(number)"
    case .latency(.fixed(let span)): quoted(span.text)
    case .latency(.uniform(let minimum, let maximum)):
      "{ \"min\": \(quoted(minimum.text)), \"max\": \(quoted(maximum.text)) }"
    case .latency(.logNormal(let median, let p99)):
      "{ \"median\": \(quoted(median.text)), \"p99\": \(quoted(p99.text)) }"
    case .bandwidth(let rate): quoted(rate.map { ByteRate.text(bytesPerSecond: $0) } ?? "unlimited")
    case .rate(let rate): quoted(ByteRate.text(bytesPerSecond: rate))
    case .texts(let texts): "[\(texts.map(quoted).joined(separator: ", "))]"
    case .globs(let globs): "[\(globs.map { quoted($0.pattern) }.joined(separator: ", "))]"
    }
  }

  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default:
        // What a terminal would obey is written as an escape.
        if scalar.value > 0xFFFF || Printable.isPlain(scalar) {
          quoted.unicodeScalars.append(scalar)
        } else {
          let digits = String(scalar.value, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return quoted + "\""
  }
}
