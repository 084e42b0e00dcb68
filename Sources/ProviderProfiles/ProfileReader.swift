package import ProviderModel

// From the bytes of a file to a profile, or to everything that is wrong with the file.

package enum ProfileReader {
  /// - Parameter file: what messages call the file.
  /// - Throws: all problems, in the file's order; of a file that is not JSON, the first.
  package static func read(_ bytes: [UInt8], file: String) throws(ProfileProblems) -> Profile {
    var problems = ProblemList(file: file)
    let root = try parse(bytes, &problems)
    let record = ProfileKeys.table.outline.read(root, at: "", &problems)
    guard problems.isEmpty, let record, let profile = ProfileKeys.table.object(record) else {
      throw problems.result
    }
    return profile
  }

  /// One rule alone, as in `fakeprovider rule add`.
  /// - Throws: as `read`.
  package static func readRule(_ bytes: [UInt8], file: String) throws(ProfileProblems) -> Rule {
    var problems = ProblemList(file: file)
    let root = try parse(bytes, &problems)
    let record = RuleKeys.table.outline.read(root, at: "", &problems)
    guard problems.isEmpty, let record, let rule = RuleKeys.table.object(record) else {
      throw problems.result
    }
    return rule
  }

  private static func parse(
    _ bytes: [UInt8], _ problems: inout ProblemList
  ) throws(ProfileProblems) -> PositionedJSON {
    do throws(JSONProblem) {
      return try PositionedJSON.parse(bytes)
    } catch {
      problems.add(error.position, "", error.message)
      throw problems.result
    }
  }
}

/// Collects problems up to a limit: a file can have a million.
struct ProblemList {
  private let file: String
  private var problems: [ProfileProblem] = []
  private var omitted = 0
  /// By the path of an array of objects: which of its elements had no problem.
  var sound: [String: [Int]] = [:]

  init(file: String) { self.file = file }

  var isEmpty: Bool { problems.isEmpty }
  var count: Int { problems.count + omitted }

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
