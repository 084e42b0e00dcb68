import ProviderModel

// A table of keys: what it tells of itself (the outline), and the way from a value to its record and back.

/// An object that keys stand in.
package struct KeyGroup: Sendable {
  package let path: String
  package let summary: String
  /// Whether it has to be there: always, or whenever the object that it stands in is.
  package let isRequired: Bool
  /// How many of its own members may stand there.
  package let members: ClosedRange<Int>
  /// Names of members of which one at most may stand there.
  package let alternatives: [String]

  init(
    _ path: String, _ summary: String, isRequired: Bool = false, members: ClosedRange<Int> = 0...Int.max,
    alternatives: [String] = []
  ) {
    self.path = path
    self.summary = summary
    self.isRequired = isRequired
    self.members = members
    self.alternatives = alternatives
  }
}

/// A key without the value that it is a part of.
package struct KeyOutline: Sendable {
  package let path: String
  package let type: ProfileValueType
  package let isRequired: Bool
  package let summary: String
  /// What a file that does not have the key means; nil where it has to, and where there is nothing then.
  package let defaultValue: ProfileValue?
}

/// All that is known of an object without knowing what is made of it.
package struct ProfileOutline: Sendable {
  /// "profile", "rule".
  package let noun: String
  package let keys: [KeyOutline]
  package let groups: [KeyGroup]
  /// Contradictions between keys that are right each for itself.
  let check: @Sendable (ProfileRecord, Places, inout ProblemList) -> Void
  private let keyByPath: [String: KeyOutline]
  private let groupByPath: [String: KeyGroup]
  private let membersByGroup: [String: [String]]

  init(
    noun: String, keys: [KeyOutline], groups: [KeyGroup],
    check: @escaping @Sendable (ProfileRecord, Places, inout ProblemList) -> Void
  ) {
    self.noun = noun
    self.keys = keys
    self.groups = groups
    self.check = check
    keyByPath = Dictionary(keys.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    groupByPath = Dictionary(groups.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    var members: [String: [String]] = [:]
    for key in keys {
      var path = key.path
      while !path.isEmpty {
        let (group, name) = DottedPath.parted(path)
        if members[group]?.contains(name) != true { members[group, default: []].append(name) }
        path = group
      }
    }
    membersByGroup = members
  }

  package func key(_ path: String) -> KeyOutline? { keyByPath[path] }
  package func group(_ path: String) -> KeyGroup? { groupByPath[path] }

  /// Names of the keys and objects in a group, "" being the object itself; each once, in the table's order.
  package func members(of group: String) -> [String] { membersByGroup[group] ?? [] }

  /// The key or group that somebody who wrote `path` may have meant.
  package func nearest(to path: String) -> String? {
    let (group, name) = DottedPath.parted(path)
    // A key in the wrong place is meant, not misspelled.
    if let moved = keys.first(where: { DottedPath.parted($0.path).name == name }) { return moved.path }
    let siblings = (keys.map(\.path) + groups.map(\.path)).filter { DottedPath.parted($0).group == group }
    return Nearest.word(to: path, among: siblings)
  }
}

package struct KeyTable<Owner>: Sendable {
  package let keys: [Key<Owner>]
  package let outline: ProfileOutline
  private let make: @Sendable () -> Owner

  /// - Parameters:
  ///   - make: A value that every key leaves its mark on, with the defaults.
  ///   - check: Contradictions between keys that are right each for itself.
  init(
    noun: String, keys: [Key<Owner>], groups: [KeyGroup],
    make: @escaping @Sendable () -> Owner,
    check: @escaping @Sendable (Owner, Places, inout ProblemList) -> Void = { _, _, _ in }
  ) {
    self.keys = keys
    self.make = make
    let defaults = make()
    // Where something has to stand, what the made value has there is nobody's choice.
    let needed = groups.filter { $0.members.lowerBound > 0 }.map(\.path)
    func standard(_ key: Key<Owner>) -> ProfileValue? {
      if let absent = key.absent { return absent }
      let isChosen = key.isRequired || needed.contains { key.path.hasPrefix($0 + ".") }
      return isChosen ? nil : key.get(defaults)
    }
    outline = ProfileOutline(
      noun: noun,
      keys: keys.map { key in
        KeyOutline(
          path: key.path, type: key.type, isRequired: key.isRequired, summary: key.summary,
          defaultValue: standard(key))
      },
      groups: groups,
      check: { record, places, problems in
        guard let owner = KeyTable.object(record, keys, make()) else { return }
        check(owner, places, &problems)
      })
  }

  package func record(_ owner: Owner) -> ProfileRecord {
    var record = ProfileRecord()
    for key in keys { record[key.path] = key.get(owner) }
    return record
  }

  /// nil when a value is not of its key's type.
  package func object(_ record: ProfileRecord) -> Owner? { KeyTable.object(record, keys, make()) }

  private static func object(_ record: ProfileRecord, _ keys: [Key<Owner>], _ made: Owner) -> Owner? {
    var owner = made
    // In the table's order, so that a row can rely on those before it.
    for key in keys {
      if let value = record[key.path], !key.set(value, &owner) { return nil }
    }
    return owner
  }
}

/// Keys of keys, as people write them: "download.latency", "rules[3].effect".
package enum DottedPath {
  /// "a.b.c" is "c" in "a.b".
  package static func parted(_ path: String) -> (group: String, name: String) {
    guard let dot = path.utf8.lastIndex(of: 0x2E) else { return ("", path) }
    return (String(path[..<dot]), String(path[path.utf8.index(after: dot)...]))
  }

  static func joined(_ outer: String, _ inner: String) -> String {
    outer.isEmpty || inner.isEmpty ? outer + inner : "\(outer).\(inner)"
  }
}
