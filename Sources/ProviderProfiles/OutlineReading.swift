import ProviderModel

// From an object of a file to its record, by an outline alone: which keys may stand where, how many, and what
// each may hold. The same for a profile and for what stands in its arrays.

extension ProfileOutline {
  /// - Parameter path: Where the object stands, empty for the file's own.
  /// - Returns: What could be read, though something else in it be wrong; nil when it is no object.
  func read(
    _ json: PositionedJSON, at path: String, _ problems: inout ProblemList
  ) -> ProfileRecord? {
    guard case .object(let members) = json.content else {
      problems.add(json.position, path, "a \(noun) is an object in braces, not \(json.kindName)")
      return nil
    }
    var given = Given()
    collect(members, of: json, in: "", at: path, &given, &problems)
    for group in groups where group.isRequired && given.groups[group.path] == nil {
      missing(group.path, of: given, in: json, at: path, &problems)
    }
    var record = ProfileRecord()
    for key in keys {
      if let value = given.keys[key.path] {
        record[key.path] = ValueReading.read(
          value, as: key.type, at: DottedPath.joined(path, key.path), &problems)
      } else if key.isRequired {
        missing(key.path, of: given, in: json, at: path, &problems)
      }
    }
    return record
  }

  /// As `read`, and then `check`.
  /// - Returns: nil when anything is wrong.
  func readWhole(
    _ json: PositionedJSON, at path: String, _ problems: inout ProblemList
  ) -> ProfileRecord? {
    let before = problems.count
    guard let record = read(json, at: path, &problems), problems.count == before else { return nil }
    check(record, Places(json, path: path, record: record), &problems)
    return problems.count == before ? record : nil
  }

  /// The values that a file gives, by the paths of keys and groups.
  private struct Given {
    var keys: [String: PositionedJSON] = [:]
    var groups: [String: PositionedJSON] = [:]
  }

  private func missing(
    _ path: String, of given: Given, in json: PositionedJSON, at outer: String,
    _ problems: inout ProblemList
  ) {
    let group = DottedPath.parted(path).group
    if group.isEmpty {
      problems.add(json.position, DottedPath.joined(outer, path), "is missing; every \(noun) has it")
    } else if let around = given.groups[group] {
      problems.add(
        around.position, DottedPath.joined(outer, path), "is missing; every \"\(group)\" has it")
    }
  }

  private func collect(
    _ members: [PositionedJSON.Member], of json: PositionedJSON, in group: String, at outer: String,
    _ given: inout Given, _ problems: inout ProblemList
  ) {
    var known: [PositionedJSON.Member] = []
    for member in members {
      let path = DottedPath.joined(group, member.key)
      let shown = DottedPath.joined(outer, path)
      // A dot in the key itself does not stand for an object.
      let isPlain = !member.key.utf8.contains(0x2E) && !member.key.isEmpty
      let key = isPlain ? key(path) : nil
      let inner = isPlain ? self.group(path) : nil
      switch (key, inner, member.value.content) {
      case (_, .some, .object(let members)):
        given.groups[path] = member.value
        collect(members, of: member.value, in: path, at: outer, &given, &problems)
      case (.some(let key), .some, let content):
        if case .text = content {
          given.keys[path] = member.value
        } else {
          let choices = key.type.words.map { "\"\($0)\"" }.joined(separator: ", ")
          problems.add(
            member.value.position, shown, "must be \(choices) or an object, not \(member.value.kindName)")
        }
      case (.some, nil, _): given.keys[path] = member.value
      case (nil, .some, _):
        problems.add(member.value.position, shown, "must be an object, not \(member.value.kindName)")
      case (nil, nil, _):
        problems.add(member.keyPosition, shown, unknown(member.key, path, at: outer))
        continue
      }
      known.append(member)
    }
    if let rule = self.group(group) {
      count(known, of: members.count, rule, at: json.position, outer, &problems)
    }
  }

  private func unknown(_ name: String, _ path: String, at outer: String) -> String {
    if name.utf8.contains(0x2E), key(name) != nil {
      return "is not a key with dots; write it inside \"\(DottedPath.parted(name).group)\": {}"
    }
    let nearest = nearest(to: path).map { DottedPath.joined(outer, $0) }
    return "is not a key" + (nearest.map { "; nearest key \"\($0)\"" } ?? "")
  }

  /// How many members of a group stand there, and which beside which.
  private func count(
    _ known: [PositionedJSON.Member], of all: Int, _ group: KeyGroup, at position: TextPosition,
    _ outer: String, _ problems: inout ProblemList
  ) {
    let shown = DottedPath.joined(outer, group.path)
    let names = members(of: group.path).joined(separator: ", ")
    // Beside a misspelled key, a missing one is the same mistake told twice.
    if known.count < group.members.lowerBound, known.count == all {
      problems.add(position, shown, "is empty; it has one of \(names)")
    }
    if known.count > group.members.upperBound, let first = known.first {
      for extra in known.dropFirst(group.members.upperBound) {
        problems.add(
          extra.keyPosition, DottedPath.joined(shown, extra.key),
          "stands beside \"\(first.key)\"; one alone of \(names) fits")
      }
    }
    let alternatives = known.filter { group.alternatives.contains($0.key) }
    if let first = alternatives.first {
      for extra in alternatives.dropFirst() {
        problems.add(
          extra.keyPosition, DottedPath.joined(shown, extra.key),
          "stands beside \"\(first.key)\"; one alone of \(group.alternatives.joined(separator: ", ")) fits")
      }
    }
  }
}

/// Where the values of an object stand in its file.
struct Places {
  private let json: PositionedJSON
  private let path: String
  private let record: ProfileRecord

  init(_ json: PositionedJSON, path: String, record: ProfileRecord) {
    self.json = json
    self.path = path
    self.record = record
  }

  func keyPath(_ inner: String) -> String { DottedPath.joined(path, inner) }

  /// Whether the file gives the key a value that could be read, or none.
  func isSound(_ path: String) -> Bool { record[path] != nil || find(path) == nil }

  func isGiven(_ path: String) -> Bool { find(path) != nil }

  /// The place of the value at a key path, or of the innermost object around it that is there.
  func position(_ path: String) -> TextPosition {
    var at = json
    for name in path.split(separator: ".") {
      guard let next = Places.member(String(name), of: at) else { break }
      at = next
    }
    return at.position
  }

  /// The places of an element of an array.
  func element(_ index: Int, of array: String) -> Places {
    guard case .array(let elements) = find(array)?.content, elements.indices.contains(index) else {
      return self
    }
    return Places(elements[index], path: "\(keyPath(array))[\(index)]", record: ProfileRecord())
  }

  private func find(_ path: String) -> PositionedJSON? {
    var at = json
    for name in path.split(separator: ".") {
      guard let next = Places.member(String(name), of: at) else { return nil }
      at = next
    }
    return at
  }

  private static func member(_ name: String, of json: PositionedJSON) -> PositionedJSON? {
    guard case .object(let members) = json.content else { return nil }
    return members.first { $0.key == name }?.value
  }
}
