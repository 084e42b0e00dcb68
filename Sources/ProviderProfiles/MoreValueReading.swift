import ProviderModel

// The values that rules and events have beside those of other keys.

extension ValueReading {
  /// One word, or an array of different ones; in the order of `known`.
  static func words(
    _ json: PositionedJSON, _ known: [String], _ path: String, _ problems: inout ProblemList
  ) -> [String]? {
    guard case .array(let elements) = json.content else {
      return word(json, known, path, &problems).map { [$0] }
    }
    if elements.isEmpty {
      problems.add(json.position, path, "is empty; it has at least one word")
      return nil
    }
    var given: Set<String> = []
    let before = problems.count
    for (index, element) in elements.enumerated() {
      let inner = "\(path)[\(index)]"
      guard let word = word(element, known, inner, &problems) else { continue }
      if !given.insert(word).inserted {
        problems.add(element.position, inner, "\"\(word)\" stands here twice")
      }
    }
    return problems.count == before ? known.filter { given.contains($0) } : nil
  }

  static func flag(_ json: PositionedJSON, _ path: String, _ problems: inout ProblemList) -> Bool? {
    if case .bool(let flag) = json.content { return flag }
    problems.add(json.position, path, "must be true or false, not \(json.kindName)")
    return nil
  }

  static func yes(_ json: PositionedJSON, _ path: String, _ problems: inout ProblemList) -> Bool? {
    if case .bool(true) = json.content { return true }
    let found = if case .bool = json.content { "false; leave it out instead" } else { json.kindName }
    problems.add(json.position, path, "must be true, not \(found)")
    return nil
  }

  static func room(
    _ json: PositionedJSON, _ limits: ClosedRange<Int64>, _ path: String, _ problems: inout ProblemList
  ) -> ProfileValue? {
    if case .text("unlimited") = json.content { return .room(nil) }
    return byteCount(json, limits, path, orElse: ", or \"unlimited\"", &problems).map { .room($0) }
  }

  /// - Parameter other: what may stand there beside a number, for messages.
  static func byteCount(
    _ json: PositionedJSON, _ limits: ClosedRange<Int64>, _ path: String, orElse other: String = "",
    _ problems: inout ProblemList
  ) -> Int64? {
    let demand = "must be a number of bytes such as \"65536\", \"64KiB\" or \"2MB\"\(other)"
    guard case .text(let text) = json.content else {
      problems.add(json.position, path, "\(demand), not \(json.kindName)")
      return nil
    }
    guard let count = ByteCount.bytes(text: text) else {
      problems.add(json.position, path, "\(demand), not \"\(Printable.text(text))\"")
      return nil
    }
    guard limits.contains(count) else {
      let limit =
        count < limits.lowerBound
        ? "at least \(ByteCount.text(bytes: limits.lowerBound))"
        : "at most \(ByteCount.text(bytes: limits.upperBound))"
      problems.add(json.position, path, "must be \(limit), not \(Printable.text(text))")
      return nil
    }
    return count
  }

  static func point(_ json: PositionedJSON, _ path: String, _ problems: inout ProblemList) -> HoldPoint? {
    let demand = "must be a share of the file such as \"40%\", or a byte such as \"65536\" or \"64KiB\""
    guard case .text(let text) = json.content else {
      problems.add(json.position, path, "\(demand), not \(json.kindName)")
      return nil
    }
    guard let point = HoldPoint(text: text) else {
      problems.add(json.position, path, "\(demand), not \"\(Printable.text(text))\"")
      return nil
    }
    return point
  }

  static func share(
    _ json: PositionedJSON, _ limits: ClosedRange<Int64>, _ path: String, _ problems: inout ProblemList
  ) -> Int64? {
    let low = Share.text(millionths: limits.lowerBound)
    let high = Share.text(millionths: limits.upperBound)
    let demand = "must be from \"\(low)\" to \"\(high)\""
    guard case .text(let text) = json.content else {
      problems.add(json.position, path, "\(demand), not \(json.kindName)")
      return nil
    }
    guard let share = Share.millionths(text: text), limits.contains(share) else {
      problems.add(json.position, path, "\(demand), not \"\(Printable.text(text))\"")
      return nil
    }
    return share
  }

  static func itemPath(
    _ json: PositionedJSON, _ limits: ClosedRange<Int>, _ path: String, _ problems: inout ProblemList
  ) -> ItemPath? {
    guard let text = text(json, limits, path, &problems) else { return nil }
    guard !text.hasPrefix("/"), let item = ItemPath(text) else {
      let reason =
        text.hasPrefix("/")
        ? "begins with \"/\"; paths start at the provider's root without one"
        : "has a name that is none: \"..\", or one of more than 255 bytes"
      problems.add(json.position, path, "\"\(Printable.text(text))\" \(reason)")
      return nil
    }
    return item
  }

  /// Those that are right stay, though others be wrong; `problems` notes which.
  static func objects(
    _ json: PositionedJSON, _ count: ClosedRange<Int>, _ outline: ProfileOutline, _ path: String,
    _ problems: inout ProblemList
  ) -> ProfileValue? {
    guard let elements = elements(json, count, path, &problems) else { return nil }
    var sound: [Int] = []
    var records: [ProfileRecord] = []
    for (index, element) in elements.enumerated() {
      if let record = outline.readWhole(element, at: "\(path)[\(index)]", &problems) {
        sound.append(index)
        records.append(record)
      }
    }
    problems.sound[path] = sound
    return .objects(records)
  }

  /// Those of `from` that stand there, and what of `to` each has.
  static func mapping(
    _ json: PositionedJSON, _ from: [String], _ to: [String], _ path: String, _ problems: inout ProblemList
  ) -> [String: String]? {
    guard case .object(let members) = json.content else {
      problems.add(json.position, path, "must be an object, not \(json.kindName)")
      return nil
    }
    var mapped: [String: String] = [:]
    let before = problems.count
    for member in members {
      let inner = "\(path).\(member.key)"
      if !from.contains(member.key) {
        let nearest = Nearest.word(to: member.key, among: from).map { "; nearest key \"\(path).\($0)\"" }
        problems.add(member.keyPosition, inner, "is not a key" + (nearest ?? ""))
      } else if let word = word(member.value, to, inner, &problems) {
        mapped[member.key] = word
      }
    }
    return problems.count == before ? mapped : nil
  }
}
