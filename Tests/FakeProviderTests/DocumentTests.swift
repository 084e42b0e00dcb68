import Foundation
import ProviderProfiles
import Testing

@testable import fakeprovider

/// The documents against the code.
private enum Documents {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  static func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
  }

  static let names: [String] = ["", "docs/"].flatMap { folder in
    let found = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
    return found.filter { $0.hasSuffix(".md") }.sorted().map { folder + $0 }
  }

  /// The lines below a heading, up to the next one.
  static func section(_ heading: String, of name: String) throws -> [Substring] {
    let lines = try text(name).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: heading[...]), "\(name) has no \"\(heading)\"")
    return lines[(start + 1)...].prefix { !$0.hasPrefix("#") }.map { $0 }
  }

  /// A line of a shell taken apart: quotes, no expansions; a comment and what follows an operator are left out.
  static func words(_ line: some StringProtocol) -> [String] {
    var words: [String] = []
    var word = ""
    var isWord = false
    var quote: Character?
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
        continue
      }
      switch character {
      case "'", "\"": (quote, isWord) = (character, true)
      case " ":
        if isWord { words.append(word) }
        (word, isWord) = ("", false)
      case "#" where !isWord, "&", "|", ";": return isWord ? words + [word] : words
      default:
        word.append(character)
        isWord = true
      }
    }
    return isWord ? words + [word] : words
  }
}

@Suite struct `The documents` {
  @Test(arguments: Documents.names)
  func `show only commands that are valid`(name: String) throws {
    let text = try Documents.text(name)
    for line in text.split(separator: "\n") where line.hasPrefix("    fakeprovider ") {
      let words = Documents.words(line.drop { $0 == " " }).dropFirst()
      guard case .problem(let problem) = CommandLineReading(words.map { Argument($0) }) else { continue }
      Issue.record("\(line): \(problem.message)")
    }
    // In running text a command may be cut short, but no verb or option is made up.
    for match in text.matches(of: /`fakeprovider ([^`]+)`/) {
      let words = Documents.words(match.1).filter { $0 != "…" }
      guard case .problem(let problem) = CommandLineReading(words.map { Argument($0) }) else { continue }
      if words.first == "VERB" { continue }
      #expect(problem.message.contains(": needs "), "\(match.0): \(problem.message)")
    }
  }

  @Test(arguments: Documents.names)
  func `link only to what exists`(name: String) throws {
    let folder = URL(fileURLWithPath: "\(Documents.root)/\(name)").deletingLastPathComponent().path
    for match in try Documents.text(name).matches(of: /\]\(([^)#]+)(#[^)]*)?\)/) {
      let target = String(match.1)
      if target.contains("://") || target.hasPrefix("mailto:") { continue }
      #expect(FileManager.default.fileExists(atPath: "\(folder)/\(target)"), "\(name): \(target)")
    }
  }

  @Test func `name every page of docs in the README`() throws {
    let readme = try Documents.text("README.md")
    for name in Documents.names where name != "README.md" { #expect(readme.contains("(\(name))"), "\(name)") }
  }
}

@Suite struct `The design's page` {
  private static let page = "docs/design.md"

  /// A section whose list is made from the code; what it should be is in the message.
  private func expect(_ heading: String, has lines: [String]) throws {
    let list = try Documents.section(heading, of: Self.page).filter { $0.hasPrefix("- ") }.map(String.init)
    #expect(
      list == lines,
      "the section \"\(heading)\" of \(Self.page) should list:\n\(lines.joined(separator: "\n"))")
  }

  @Test func `lists every verb`() throws {
    try expect("## Verbs", has: VerbTable.all.map { "- `\($0.name)`: \($0.summary)" })
  }

  @Test func `lists every key of a profile`() throws {
    let lines = ProfileKeys.all.map { key in
      let words = if case .word(let words) = key.type { " (\(words.joined(separator: ", ")))" } else { "" }
      return "- `\(key.path)`\(words): \(key.summary)"
    }
    try expect("## Profile keys", has: lines)
  }

  @Test func `lists every exit code`() throws {
    let list = try Documents.section("## Exit codes", of: Self.page).filter { $0.hasPrefix("- ") }
    let codes = list.compactMap { $0.firstMatch(of: #/^- \*\*(\d+)\*\*: /#).flatMap { Int32($0.1) } }
    #expect(codes.count == list.count)
    #expect(
      codes == [
        FakeProvider.Exit.done, FakeProvider.Exit.failed, FakeProvider.Exit.usage, 3, Access.neverRan,
      ])
    let overview = Help.overview(of: VerbTable.all)
    #expect(
      overview.contains(
        "Exit codes: 0 done, 1 what was asked for failed, 2 the command line is wrong, 3 findings."))
  }

  @Test func `has the package's targets and their imports`() throws {
    let package = try Documents.text("Package.swift")
    var targets: [String: Set<String>] = [:]
    let pattern = /\.(?:executableTarget|target)\(\s*name: "([\w-]+)"([^)]*)/
    for match in package.matches(of: pattern) where !match.2.contains("path: \"Tests/") {
      let list = match.2.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
      targets[String(match.1)] = Set(list.matches(of: /"([\w-]+)"/).map { String($0.1) })
    }
    #expect(targets.count >= 11)
    var rows: [String: Set<String>] = [:]
    for line in try Documents.section("## Modules", of: Self.page) where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let name = cells.first?.prefix(while: { $0 != " " }), cells.count == 3,
        !["target", "---"].contains(name)
      else { continue }
      let imports = cells[1].split(separator: ", ").map(String.init)
      // What is not of this package (libfuse3, Foundation) is no target.
      rows[String(name)] =
        cells[1] == "all of the provider's"
        ? targets[String(name)] : Set(imports.filter { targets[$0] != nil })
    }
    #expect(rows == targets)
  }
}
