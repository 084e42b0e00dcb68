package import ProviderModel

// From the bytes of a file to a profile, or to everything that is wrong with the file.

package enum ProfileReader {
  /// - Parameter file: what messages call the file.
  /// - Throws: all problems, in the file's order; of a file that is not JSON, the first.
  package static func read(_ bytes: [UInt8], file: String) throws(ProfileProblems) -> Profile {
    var problems = ProblemList(file: file)
    let root: PositionedJSON
    do throws(JSONProblem) {
      root = try PositionedJSON.parse(bytes)
    } catch {
      problems.add(error.position, "", error.message)
      throw problems.result
    }
    var profile = Profile(name: "")
    if case .object(let members) = root.content {
      var given: Set<String> = []
      read(members, in: "", into: &profile, &given, &problems)
      for key in ProfileKeys.all where key.isRequired && !given.contains(key.path) {
        problems.add(root.position, key.path, "is missing; every profile has it")
      }
    } else {
      problems.add(root.position, "", "a profile is an object in braces, not \(root.kindName)")
    }
    if problems.isEmpty { return profile }
    throw problems.result
  }

  /// One object: `group` is its path with a dot after it, or empty for the file's own.
  private static func read(
    _ members: [PositionedJSON.Member], in group: String, into profile: inout Profile,
    _ given: inout Set<String>, _ problems: inout ProblemList
  ) {
    for member in members {
      let path = group + member.key
      // A dot in the key itself does not stand for an object.
      let isPlain = !member.key.utf8.contains(0x2E)
      if isPlain, let key = ProfileKeys.key(path) {
        given.insert(path)
        let value = ValueReading.read(member.value, as: key.type, at: path, &problems)
        if let value, !key.set(value, &profile) {
          problems.add(member.value.position, path, "is not what a profile can hold there")
        }
      } else if isPlain, ProfileKeys.isGroup(path) {
        if case .object(let inner) = member.value.content {
          read(inner, in: path + ".", into: &profile, &given, &problems)
        } else {
          problems.add(member.value.position, path, "must be an object, not \(member.value.kindName)")
        }
      } else if !isPlain, let key = ProfileKeys.key(member.key) {
        let group = ProfileKeys.parted(key.path).group
        problems.add(
          member.keyPosition, path, "is not a key with dots; write it inside \"\(group)\": {}")
      } else {
        problems.add(
          member.keyPosition, path,
          "is not a key" + (ProfileKeys.nearest(to: path).map { "; nearest key \"\($0)\"" } ?? ""))
      }
    }
  }
}

/// Collects problems up to a limit: a file can have a million.
struct ProblemList {
  private let file: String
  private var problems: [ProfileProblem] = []
  private var omitted = 0

  init(file: String) { self.file = file }

  var isEmpty: Bool { problems.isEmpty }

  /// The message is not made for a problem that is only counted.
  mutating func add(_ position: TextPosition, _ keyPath: String, _ message: @autoclosure () -> String) {
    guard problems.count < ProfileProblems.limit else {
      omitted += 1
      return
    }
    problems.append(ProfileProblem(file: file, position: position, keyPath: keyPath, message: message()))
  }

  var result: ProfileProblems {
    // Stable, so that two problems of one place stay as they were found.
    let sorted = problems.enumerated().sorted {
      ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
    }
    return ProfileProblems(problems: sorted.map(\.element), omitted: omitted)
  }
}
