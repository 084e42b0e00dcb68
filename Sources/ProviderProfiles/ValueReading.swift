import ProviderModel

// One value of a profile's file against what its key may hold. Each function returns nil after it has said
// what is wrong.

enum ValueReading {
  static func read(
    _ json: PositionedJSON, as type: ProfileValueType, at path: String, _ problems: inout ProblemList
  ) -> ProfileValue? {
    switch type {
    case .text(let bytes): text(json, bytes, path, &problems).map { .text($0) }
    case .word(let words): word(json, words, path, &problems).map { .word($0) }
    case .words(let known): words(json, known, path, &problems).map { .words($0) }
    case .flag: flag(json, path, &problems).map { .flag($0) }
    case .yes: yes(json, path, &problems).map { .flag($0) }
    case .wholeNumber(let limits): wholeNumber(json, limits, path, &problems).map { .wholeNumber($0) }
    case .span(let limits): span(json, limits, path, &problems).map { .span($0) }
    case .patience(let limits): patience(json, limits, path, &problems)
    case .latency(let longest): latency(json, longest, path, &problems).map { .latency($0) }
    case .bandwidth(let limits): bandwidth(json, limits, path, &problems)
    case .rate(let limits): rate(json, limits, path, &problems).map { .rate($0) }
    case .byteCount(let limits): byteCount(json, limits, path, &problems).map { .byteCount($0) }
    case .room(let limits): room(json, limits, path, &problems)
    case .point: point(json, path, &problems).map { .point($0) }
    case .share(let limits): share(json, limits, path, &problems).map { .share($0) }
    case .glob(let bytes): glob(json, bytes, path, &problems).map { .glob($0) }
    case .path(let bytes): itemPath(json, bytes, path, &problems).map { .path($0) }
    case .texts(let count, let bytes):
      list(json, count, path, &problems) { json, path, problems in text(json, bytes, path, &problems) }
        .map { .texts($0) }
    case .globs(let count, let bytes):
      list(json, count, path, &problems) { json, path, problems in glob(json, bytes, path, &problems) }
        .map { .globs($0) }
    case .nameGlobs(let count, let bytes):
      list(json, count, path, &problems) { json, path, problems in nameGlob(json, bytes, path, &problems) }
        .map { .globs($0) }
    case .mapping(_, let from, let to): mapping(json, from, to, path, &problems).map { .mapping($0) }
    case .objects(let count, let outline): objects(json, count, outline, path, &problems)
    }
  }

  static func text(
    _ json: PositionedJSON, _ limits: ClosedRange<Int>, _ path: String, _ problems: inout ProblemList
  ) -> String? {
    guard case .text(let text) = json.content else {
      problems.add(json.position, path, "must be a text, not \(json.kindName)")
      return nil
    }
    guard limits.contains(text.utf8.count) else {
      problems.add(
        json.position, path,
        text.isEmpty ? "must not be empty" : "has \(text.utf8.count) bytes; at most \(limits.upperBound) fit")
      return nil
    }
    guard text.unicodeScalars.allSatisfy({ Printable.staysOnLine($0) }) else {
      problems.add(json.position, path, "must be one line, without control characters")
      return nil
    }
    return text
  }

  /// More in a message hide what else it says.
  private static let manyWords = 24

  static func word(
    _ json: PositionedJSON, _ words: [String], _ path: String, _ problems: inout ProblemList
  ) -> String? {
    let choices = words.map { "\"\($0)\"" }.joined(separator: ", ")
    let demand =
      switch words.count {
      case 1: "must be \(choices)"
      case ...manyWords: "must be one of \(choices)"
      default: "must be one of the \(words.count) names in docs/profiles.md"
      }
    guard case .text(let text) = json.content else {
      problems.add(json.position, path, "\(demand), not \(json.kindName)")
      return nil
    }
    guard words.contains(text) else {
      let nearest = Nearest.word(to: text, among: words).map { "; nearest value \"\($0)\"" } ?? ""
      problems.add(json.position, path, "\(demand), not \"\(Printable.text(text))\"\(nearest)")
      return nil
    }
    return text
  }

  private static func wholeNumber(
    _ json: PositionedJSON, _ limits: ClosedRange<UInt64>, _ path: String, _ problems: inout ProblemList
  ) -> UInt64? {
    let demand =
      limits.lowerBound == limits.upperBound
      ? "must be \(limits.lowerBound)"
      : "must be a whole number from \(limits.lowerBound) to \(limits.upperBound)"
    guard case .number(let digits) = json.content else {
      problems.add(json.position, path, "\(demand), not \(json.kindName)")
      return nil
    }
    guard let number = UInt64(digits), limits.contains(number) else {
      problems.add(json.position, path, "\(demand), not \(Printable.text(digits))")
      return nil
    }
    return number
  }

  private static func glob(
    _ json: PositionedJSON, _ limits: ClosedRange<Int>, _ path: String, _ problems: inout ProblemList
  ) -> Glob? {
    guard let text = text(json, limits, path, &problems) else { return nil }
    if let glob = Glob(text) { return glob }
    let reason =
      text.hasPrefix("/")
      ? "begins with \"/\"; patterns start at the provider's root without one"
      : "has a \"[\" without its \"]\""
    problems.add(json.position, path, "\"\(Printable.text(text))\" \(reason)")
    return nil
  }

  private static func nameGlob(
    _ json: PositionedJSON, _ limits: ClosedRange<Int>, _ path: String, _ problems: inout ProblemList
  ) -> Glob? {
    guard let glob = glob(json, limits, path, &problems) else { return nil }
    if !glob.pattern.contains("/") { return glob }
    problems.add(
      json.position, path,
      "\"\(Printable.text(glob.pattern))\" has a \"/\"; it is matched against names, whatever folder they are in"
    )
    return nil
  }

  /// Every element is read, so that all that are wrong are told.
  private static func list<Element>(
    _ json: PositionedJSON, _ count: ClosedRange<Int>, _ path: String, _ problems: inout ProblemList,
    _ element: (PositionedJSON, String, inout ProblemList) -> Element?
  ) -> [Element]? {
    guard let elements = elements(json, count, path, &problems) else { return nil }
    var read: [Element] = []
    for (index, json) in elements.enumerated() {
      if let value = element(json, "\(path)[\(index)]", &problems) { read.append(value) }
    }
    return read.count == elements.count ? read : nil
  }

  static func elements(
    _ json: PositionedJSON, _ count: ClosedRange<Int>, _ path: String, _ problems: inout ProblemList
  ) -> [PositionedJSON]? {
    guard case .array(let elements) = json.content else {
      problems.add(json.position, path, "must be an array in brackets, not \(json.kindName)")
      return nil
    }
    guard count.contains(elements.count) else {
      problems.add(json.position, path, "has \(elements.count) elements; at most \(count.upperBound) fit")
      return nil
    }
    return elements
  }
}
