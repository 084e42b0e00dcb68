package import ProviderModel

/// A profile as JSON that has every key with the value in effect, in the order of the table of keys.
///
/// `ProfileReader` makes the same profile of it again.
package enum ProfileWriter {
  package static func json(_ profile: Profile) -> String {
    var lines: [String] = []
    var written: Set<String> = []
    for key in ProfileKeys.all {
      let group = ProfileKeys.parted(key.path).group
      if group.isEmpty {
        if let member = member(key, profile) { lines.append("  " + member) }
      } else if written.insert(group).inserted {
        let inner = ProfileKeys.all.filter { ProfileKeys.parted($0.path).group == group }
          .compactMap { member($0, profile) }
        lines.append("  \(quoted(group)): {\n    \(inner.joined(separator: ",\n    "))\n  }")
      }
    }
    return "{\n\(lines.joined(separator: ",\n"))\n}\n"
  }

  /// One value as JSON, on one line.
  package static func json(_ value: ProfileValue) -> String {
    switch value {
    case .text(let text), .word(let text): quoted(text)
    case .wholeNumber(let number): "\(number)"
    case .latency(.fixed(let span)): quoted(span.text)
    case .latency(.uniform(let minimum, let maximum)):
      "{ \"min\": \(quoted(minimum.text)), \"max\": \(quoted(maximum.text)) }"
    case .latency(.logNormal(let median, let p99)):
      "{ \"median\": \(quoted(median.text)), \"p99\": \(quoted(p99.text)) }"
    case .bandwidth(let rate): quoted(rate.map { ByteRate.text(bytesPerSecond: $0) } ?? "unlimited")
    case .texts(let texts): "[\(texts.map(quoted).joined(separator: ", "))]"
    case .globs(let globs): "[\(globs.map { quoted($0.pattern) }.joined(separator: ", "))]"
    }
  }

  private static func member(_ key: ProfileKey, _ profile: Profile) -> String? {
    key.get(profile).map { "\(quoted(ProfileKeys.parted(key.path).name)): \(json($0))" }
  }

  private static func quoted(_ text: String) -> String {
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
