/// One thing that is wrong with a profile's file, and where.
package struct ProfileProblem: Hashable, Sendable, CustomStringConvertible {
  package let file: String
  package let position: TextPosition
  /// Empty for what is not JSON at all, and for the file as a whole.
  package let keyPath: String
  package let message: String

  /// `file:line:column: key.path: what is wrong`, on one line.
  package var description: String {
    let path = keyPath.isEmpty ? "" : Printable.text(keyPath, limit: 200) + ": "
    return "\(Printable.text(file, limit: 4_096)):\(position): \(path)\(message)"
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
