import Foundation
import ProviderTesting
import Testing

/// docs/failure-classes.md: what it says to type, and what it says that is printed.
struct FailureClass: Sendable, CustomTestStringConvertible {
  var name: String
  var script: String
  var expected: String
  var testDescription: String { name }

  static let page =
    (try? String(contentsOfFile: Bench.repository + "/docs/failure-classes.md", encoding: .utf8)) ?? ""

  /// The block before the first class, which the others stand on.
  static let preamble = blocks("sh", in: page.components(separatedBy: "\n## ").first ?? "").first ?? ""

  static let all: [FailureClass] = sections.compactMap { section in
    let scripts = blocks("sh", in: section)
    let expected = blocks("text", in: section)
    guard let name = section.split(separator: " ").first, scripts.count == 1, expected.count == 1 else {
      return nil
    }
    return FailureClass(name: String(name), script: scripts[0], expected: expected[0])
  }

  static let sections = page.components(separatedBy: "\n## ").dropFirst().filter { $0.hasPrefix("C") }
  static let notYet = page.components(separatedBy: "\n## Not here yet").last ?? ""

  private static func blocks(_ language: String, in text: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }
}

@Suite(.serialized) struct `A failure class` {
  @Test func `has a block that is run, or is said not to be here yet`() {
    for number in 1...30 {
      let name = "C" + (number < 10 ? "0" : "") + "\(number)"
      let isHere = FailureClass.all.contains { $0.name == name }
      #expect(isHere != FailureClass.notYet.contains(name), "\(name)")
    }
    #expect(FailureClass.all.count == FailureClass.sections.count, "each has one script and what it prints")
  }

  @Test(.enabled(if: Bench.isRoot, "a private mount table needs root"), arguments: FailureClass.all)
  func `is met by a program as its page says`(example: FailureClass) async throws {
    try await withBench { bench in
      let said = try await bench.alone(
        """
        mkdir -p '\(bench.path)/session' && cd '\(bench.path)/session'
        \(FailureClass.preamble)
        \(example.script)
        wait
        fakeprovider unmount cloud >&2
        """)
      #expect(said.output == example.expected, "\(example.name): \(said)")
    }
  }
}
