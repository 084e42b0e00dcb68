import ProviderModel

// A profile that extends another: its own keys win, objects merge, arrays replace.

/// The file of a profile that another extends.
package struct ProfileBase: Sendable {
  /// What messages call it.
  package let file: String
  /// The same for the same file, whatever way led there.
  package let identity: String
  package let bytes: [UInt8]

  package init(file: String, identity: String, bytes: [UInt8]) {
    self.file = file
    self.identity = identity
    self.bytes = bytes
  }
}

/// From what `extends` says, and the file that says it, to the file that is meant.
package typealias ProfileBaseFinder = (_ name: String, _ file: String) throws(ProfileLoadError) -> ProfileBase

/// A profile's file, those that it extends one after the other, and what they say together.
struct ProfileChain {
  /// Bases that may follow one another.
  static let limit = 8
  /// What a profile says of itself, so that another does not take it over.
  static let own: Set<String> = ["$schema", "schemaVersion", "name", "summary", "basis", "extends"]

  private(set) var files: [String]
  /// The trees of the files, the profile's own first; one fewer than `files` where the last is not JSON.
  private(set) var roots: [PositionedJSON] = []
  private var identities: [String]

  /// - Parameter identity: Of the profile's own file, as its finder has it.
  init(file: String, identity: String?) {
    files = [file]
    identities = [identity ?? file]
  }

  /// Reads the file and all that it extends; stops at the first that is not there or is not JSON.
  mutating func read(
    _ bytes: [UInt8], _ find: ProfileBaseFinder?, _ problems: inout ProblemList
  ) {
    var bytes = bytes
    while true {
      let number = roots.count
      do throws(JSONProblem) {
        roots.append(try PositionedJSON.parse(bytes, file: number))
      } catch {
        problems.add(error.position, "", error.message)
        return
      }
      guard let (name, position) = extended(by: roots[number]) else { return }
      guard let base = base(name, position, find, &problems) else { return }
      files.append(base.file)
      identities.append(base.identity)
      problems.files = files
      bytes = base.bytes
    }
  }

  /// What the files say together.
  var merged: PositionedJSON? {
    guard var merged = roots.first else { return nil }
    for root in roots.dropFirst() {
      guard case .object(let members) = root.content else { return merged }
      let inherited = members.filter { !ProfileChain.own.contains($0.key) }
      merged = ProfileChain.merge(merged, over: inherited, in: "")
    }
    return merged
  }

  /// Nil also for a value of a wrong type, which the reading of the keys complains of.
  private func extended(by root: PositionedJSON) -> (name: String, position: TextPosition)? {
    guard case .object(let members) = root.content,
      let value = members.first(where: { $0.key == "extends" })?.value, case .text(let name) = value.content,
      !name.isEmpty
    else { return nil }
    return (name, value.position)
  }

  private func base(
    _ name: String, _ position: TextPosition, _ find: ProfileBaseFinder?, _ problems: inout ProblemList
  ) -> ProfileBase? {
    guard let find else {
      problems.add(position, "extends", "can be followed only where the profile is read from a file")
      return nil
    }
    guard roots.count <= ProfileChain.limit else {
      problems.add(
        position, "extends",
        "at most \(ProfileChain.limit) profiles may follow one another, and here \(shown(files + [name]))")
      return nil
    }
    do throws(ProfileLoadError) {
      let base = try find(name, files[files.count - 1])
      guard let first = identities.firstIndex(of: base.identity) else { return base }
      problems.add(
        position, "extends", "goes in a circle: \(shown(files[first...] + [files[first]]))")
    } catch {
      problems.add(position, "extends", "\(error)")
    }
    return nil
  }

  private func shown(_ files: some Sequence<String>) -> String {
    files.map { Printable.text($0, limit: 1_000) }.joined(separator: " → ")
  }

  private static func merge(
    _ json: PositionedJSON, over inherited: [PositionedJSON.Member], in group: String
  ) -> PositionedJSON {
    guard case .object(var members) = json.content else { return json }
    var places: [String: Int] = [:]
    for (index, member) in members.enumerated() { places[member.key] = index }
    for base in inherited {
      guard let index = places[base.key] else {
        members.append(base)
        continue
      }
      let path = DottedPath.joined(group, base.key)
      guard ProfileKeys.table.outline.group(path) != nil, case .object(let inner) = base.value.content else {
        continue
      }
      let own = members[index]
      members[index] = PositionedJSON.Member(
        key: own.key, keyPosition: own.keyPosition, value: merge(own.value, over: inner, in: path))
    }
    return PositionedJSON(position: json.position, content: .object(members))
  }
}
