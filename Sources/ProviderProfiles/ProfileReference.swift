import ProviderModel

// The reference of docs/profiles.md, made from the table of keys.

package enum ProfileReference {
  /// Markdown, as it stands in the document.
  package static let text: String = {
    let outline = ProfileKeys.table.outline
    var parts = [section("## Keys of a profile", outline)]
    for key in outline.keys {
      guard case .objects(_, let inner) = key.type else { continue }
      parts.append(section("## Keys of a \(inner.noun) (`\(key.path)`)", inner))
      if inner.noun == RuleKeys.table.outline.noun { parts.append(fits) }
    }
    return parts.joined(separator: "\n")
  }()

  private static func section(_ heading: String, _ outline: ProfileOutline) -> String {
    var lines = [heading, "", "| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    for key in outline.keys {
      let value = key.defaultValue.map { "`\(escaped(ProfileWriter.json($0)))`" }
      let standard = key.isRequired ? needed(key.path, outline) : value ?? ""
      lines.append("| `\(key.path)` | \(described(key.type)) | \(standard) | \(key.summary) |")
    }
    lines += [""]
    for key in outline.keys where key.type.words.count > ProfileReference.fewWords {
      lines += ["`\(key.path)` is one of \(list(key.type.words)).", ""]
    }
    for group in outline.groups where !group.alternatives.isEmpty {
      lines += ["Of \(list(group.alternatives)) in `\(group.path)`, one alone fits.", ""]
    }
    return lines.joined(separator: "\n")
  }

  /// More do not fit into a table.
  private static let fewWords = 8

  private static func needed(_ path: String, _ outline: ProfileOutline) -> String {
    let group = DottedPath.parted(path).group
    return group.isEmpty ? "required" : "required in `\(group)`"
  }

  /// Which operations an effect or a selector fits.
  private static var fits: String {
    var lines = ["| key | operations that it fits |", "| --- | --- |"]
    var told: Set<String> = []
    for path in RuleFit.all.map(\.path) where told.insert(path).inserted {
      // A key may stand under several, each with a reason of its own.
      let operations = OperationName.allCases.filter { operation in
        RuleFit.all.allSatisfy { $0.path != path || $0.operations.contains(operation) }
      }
      let others = OperationName.allCases.filter { !operations.contains($0) }
      let words =
        others.count < operations.count
        ? "all but \(list(others.map(\.rawValue)))" : list(operations.map(\.rawValue))
      lines.append("| `\(path)` | \(words) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func list(_ words: [String]) -> String {
    words.map { "`\($0)`" }.joined(separator: ", ")
  }

  private static func described(_ type: ProfileValueType) -> String {
    switch type {
    case .text(let bytes): "one line of text, at most \(bytes.upperBound) bytes"
    case .word(let words) where words.count > fewWords: "one of the names below"
    case .word(let words): words.count == 1 ? list(words) : "one of \(list(words))"
    case .words(let words) where words.count > fewWords: "one of the names below, or an array of them"
    case .words(let words): "one of \(list(words)), or an array of them"
    case .flag: "`true` or `false`"
    case .yes: "`true`"
    case .wholeNumber(let limits):
      limits.lowerBound == limits.upperBound
        ? "\(limits.lowerBound)" : "a whole number from \(limits.lowerBound) to \(limits.upperBound)"
    case .span(let limits):
      limits.lowerBound > .zero
        ? "a duration of more than 0, at most \(limits.upperBound.text)"
        : "a duration, at most \(limits.upperBound.text)"
    case .patience(let limits): "a duration of more than 0, at most \(limits.upperBound.text), or `\"never\"`"
    case .latency(let longest): "a latency, at most \(longest.text)"
    case .bandwidth(let limits):
      "a rate from \(ByteRate.text(bytesPerSecond: limits.lowerBound)) to "
        + "\(ByteRate.text(bytesPerSecond: limits.upperBound)), or `\"unlimited\"`"
    case .rate(let limits):
      "a rate from \(ByteRate.text(bytesPerSecond: limits.lowerBound)) to "
        + ByteRate.text(bytesPerSecond: limits.upperBound)
    case .byteCount: "a number of bytes"
    case .room(let limits):
      "a number of bytes, at least \(ByteCount.text(bytes: limits.lowerBound)), or `\"unlimited\"`"
    case .point: "a place in the file"
    case .share: "a share, more than 0%"
    case .glob: "a pattern"
    case .path: "a path"
    case .texts(let count, _): "an array of at most \(count.upperBound) texts"
    case .globs(let count, _): "an array of at most \(count.upperBound) patterns"
    case .nameGlobs(let count, _): "an array of at most \(count.upperBound) patterns of names"
    case .mapping(let what, _, _): "an object: \(what)"
    case .objects(let count, let outline): "an array of at most \(count.upperBound) \(outline.noun)s"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.split(separator: "|").joined(separator: "\\|")
  }
}
