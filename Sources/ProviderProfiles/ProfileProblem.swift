/// One thing that is wrong with a profile's file or remarkable about it, and where.
package struct ProfileProblem: Hashable, Sendable, CustomStringConvertible {
  package enum Weight: String, Sendable {
    /// The file is refused.
    case error
    /// It is read, though it can hardly be meant so.
    case warning
    case note
  }

  package let file: String
  package let position: TextPosition
  /// Empty for what is not JSON at all, and for the file as a whole.
  package let keyPath: String
  package let message: String
  package var weight = Weight.error

  /// `file:line:column: key.path: what is wrong`, on one line.
  package var description: String {
    let path = keyPath.isEmpty ? "" : Printable.text(keyPath, limit: 200) + ": "
    let weight = weight == .error ? "" : "\(weight.rawValue): "
    return "\(Printable.text(file, limit: 4_096)):\(position): \(path)\(weight)\(message)"
  }
}

/// Everything that is wrong with a profile's file, in the file's order.
package struct ProfileProblems: Error, Hashable, CustomStringConvertible {
  /// More are counted, not kept.
  package static let limit = 100

  package let problems: [ProfileProblem]
  package let omitted: Int

  package var description: String {
    var lines = problems.map(\.description)
    if omitted > 0 { lines.append("… and \(omitted) more") }
    return lines.joined(separator: "\n")
  }
}

/// Collects problems up to a limit: a file can have a million.
struct ProblemList {
  /// What messages call the files, by the numbers that positions have.
  var files: [String]
  private var problems: [ProfileProblem] = []
  private var omitted = 0
  private var remarks: [ProfileProblem] = []
  private var remarksOmitted = 0
  /// By the path of an array of objects: which of its elements had no problem.
  var sound: [String: [Int]] = [:]

  init(file: String) { files = [file] }
  init(files: [String]) { self.files = files }

  var isEmpty: Bool { problems.isEmpty }
  var count: Int { problems.count + omitted }

  /// The message is not made for a problem that is only counted.
  mutating func add(_ position: TextPosition, _ keyPath: String, _ message: @autoclosure () -> String) {
    guard problems.count < ProfileProblems.limit else {
      omitted += 1
      return
    }
    problems.append(
      ProfileProblem(
        file: file(of: position), position: position, keyPath: keyPath, message: message()))
  }

  mutating func add(_ places: Places, _ path: String, _ message: @autoclosure () -> String) {
    add(places.position(path), places.keyPath(path), message())
  }

  /// What is no mistake, and should be known.
  mutating func remark(
    _ weight: ProfileProblem.Weight, _ places: Places, _ path: String, _ message: @autoclosure () -> String
  ) {
    guard remarks.count < ProfileProblems.limit else {
      remarksOmitted += 1
      return
    }
    let position = places.position(path)
    remarks.append(
      ProfileProblem(
        file: file(of: position), position: position, keyPath: places.keyPath(path), message: message(),
        weight: weight))
  }

  /// Takes over what another list has and this one does not.
  mutating func absorb(_ other: ProblemList) {
    for problem in other.problems where !problems.contains(problem) {
      if problems.count < ProfileProblems.limit { problems.append(problem) } else { omitted += 1 }
    }
    omitted += other.omitted
  }

  private func file(of position: TextPosition) -> String {
    files.indices.contains(position.file) ? files[position.file] : ""
  }

  var result: ProfileProblems { ProfileProblems(problems: sorted(problems), omitted: omitted) }
  var remarked: ProfileProblems { ProfileProblems(problems: sorted(remarks), omitted: remarksOmitted) }

  /// Stable, so that two problems of one place stay as they were found.
  private func sorted(_ problems: [ProfileProblem]) -> [ProfileProblem] {
    let sorted = problems.enumerated().sorted {
      ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
    }
    return sorted.map(\.element)
  }
}
