import Foundation
import Testing

@testable import ProviderModel

// docs/conditions.md against the model: its tables are read, and every cell is tried.

private enum Page {
  static let path =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/docs/conditions.md"

  /// The rows of the table below a heading, by the titles of its columns.
  static func table(below heading: String) throws -> [[String: String]] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: heading), "\(path) has no \"\(heading)\"")
    let rows = lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.map { line in
      line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let titles = try #require(rows.first)
    return rows.dropFirst(2).map { Dictionary(zip(titles, $0), uniquingKeysWith: { first, _ in first }) }
  }
}

/// A provider in a condition, with what an access may have from before it: names are known, files are open.
private struct Stage {
  let harness: ModelHarness
  let file: NodeID
  let far: NodeID
  let local: HandleID
  let dataless: HandleID

  init(_ kind: ProviderKind, _ condition: ProviderCondition) throws {
    harness = ModelHarness(["local": 1_000, "dataless": 10_000, "far/y": 1]) {
      $0.kind = kind
      $0.items.initial = kind == .volume ? .local : .dataless
      $0.items.local = ["local", "far/**"].compactMap { Glob($0) }
      $0.items.datalessFolders = ["far"].compactMap { Glob($0) }
      $0.download.bandwidth = 10_000
      $0.conditions.throttledBandwidth = 1_000
    }
    harness.openGate()
    file = try harness.node("local")
    far = try harness.node("far")
    local = try harness.handle("local")
    dataless = try harness.handle("dataless")
    harness.ask(.setCondition(condition, for: nil))
  }
}

/// How each kind of access turns out in a condition.
private struct Trial {
  let kind: ProviderKind
  let condition: ProviderCondition

  /// - Parameter comesBack: the provider is online again after ten seconds.
  private func reply(
    _ operation: (Stage) -> ProviderModel.Operation, comesBack: Bool
  ) throws -> (Reply?, after: Span) {
    let stage = try Stage(kind, condition)
    let start = stage.harness.now
    let request = stage.harness.request(operation(stage))
    stage.harness.run(to: start + .seconds(10))
    if comesBack { stage.harness.ask(.setCondition(.online, for: nil)) }
    stage.harness.run(to: start + .seconds(200))
    return (stage.harness.replies[request], (stage.harness.answered(request) ?? start) - start)
  }

  private func plain(_ operation: (Stage) -> ProviderModel.Operation) throws -> String {
    let (reply, after) = try reply(operation, comesBack: false)
    guard case .error(let error) = reply else {
      return reply == nil ? "no answer" : after > .seconds(1) ? "served slowly" : "served"
    }
    if after == .zero { return error.errno.rawValue }
    #expect(after == .seconds(60))
    // It was worth the wait, had the provider come back.
    guard case .some(let later) = try self.reply(operation, comesBack: true).0 else { return "no answer" }
    return later == reply ? "waits in vain" : "waits, \(error.errno.rawValue)"
  }

  private func answer(_ command: Command, asApp: Bool, comesBack: Bool) throws -> (Answer?, isSoon: Bool) {
    let stage = try Stage(kind, condition)
    let actor = asApp ? stage.harness.app : stage.harness.client
    let number = stage.harness.begin(command, by: actor)
    stage.harness.run(to: stage.harness.now + .seconds(1))
    let isSoon = stage.harness.answer(number, of: actor) != nil
    if comesBack { stage.harness.ask(.setCondition(.online, for: nil)) }
    stage.harness.run(to: stage.harness.now + .seconds(200))
    return (stage.harness.answer(number, of: actor), isSoon)
  }

  private func client(_ command: Command, asApp: Bool) throws -> String {
    let (answer, isSoon) = try answer(command, asApp: asApp, comesBack: false)
    switch answer {
    case .failure(.provider(let name), _): return "\(name.rawValue) \(name.code)"
    case .failure(.cocoa(let name), _): return "\(name.rawValue) \(name.code)"
    case .failure(let error, _): return error.errno.rawValue
    case .some: return isSoon ? "granted" : "granted slowly"
    case nil:
      guard case .some(let later) = try self.answer(command, asApp: asApp, comesBack: true).0 else {
        return "no answer"
      }
      if case .failure = later { return "waits in vain" }
      return "waits"
    }
  }

  /// The cells of the condition's row.
  func cells() throws -> [String: String] {
    func read(_ path: ItemPath) -> Command { .coordinate([Intent(path: path, kind: .read)], purpose: "") }
    var cells = [
      "stat": try plain { .getAttributes($0.file) },
      "list": try plain { _ in .openDirectory(.root) },
      "open local": try plain { .open($0.file, writes: false) },
      "read open": try plain { .read($0.local, offset: 0, length: 9) },
      "make a folder": try plain { _ in .change(.root, .makeDirectory("new")) },
      "coordinated, local": try client(read("local"), asApp: true),
    ]
    // A volume has its files whole.
    let isWhole = kind == .volume
    cells["dataless folder"] = isWhole ? "-" : try plain { .lookup(parent: $0.far, name: "y") }
    cells["read dataless"] = isWhole ? "-" : try plain { .read($0.dataless, offset: 0, length: 9) }
    cells["coordinated, dataless"] = isWhole ? "-" : try client(read("dataless"), asApp: true)
    cells["`download`"] = isWhole ? "-" : try client(.download(["dataless"]), asApp: false)
    return cells
  }
}

@Suite struct `The page of conditions` {
  @Test func `has a row for every kind in every condition, and what it stands on`() throws {
    let rows = try Page.table(below: "## What each access gets")
    let pairs = rows.map { "\($0["kind"] ?? "") \($0["condition"] ?? "")" }
    #expect(
      pairs
        == ProviderKind.allCases.flatMap { kind in
          ProviderCondition.allCases.map { "\(kind.rawValue) \($0.rawValue)" }
        })
    for row in rows {
      #expect(Basis.Standing(rawValue: row["standing"] ?? "") != nil, "\(row)")
      #expect(row["sources"]?.contains("https://") == true || row["standing"] == "synthetic", "\(row)")
    }
  }

  @Test(arguments: ProviderKind.allCases, ProviderCondition.allCases)
  func `says what each access gets`(kind: ProviderKind, condition: ProviderCondition) throws {
    let row = try #require(
      Page.table(below: "## What each access gets").first {
        $0["kind"] == kind.rawValue && $0["condition"] == condition.rawValue
      })
    let cells = try Trial(kind: kind, condition: condition).cells()
    for (title, cell) in cells.sorted(by: { $0.key < $1.key }) {
      #expect(row[title] == cell, "\(kind.rawValue), \(condition.rawValue): \(title)")
    }
    #expect(Set(row.keys) == Set(cells.keys).union(["kind", "condition", "standing", "sources"]))
  }

  @Test func `has every error with its code, errno and what becomes of a download`() throws {
    let rows = try Page.table(below: "## From a provider's error to an errno").map { row in
      ["error", "code", "errno", "a download that fails with it"].map { row[$0] ?? "" }
    }
    let expected = FileProviderErrorName.allCases.map { name in
      let recovery =
        switch ProviderError.provider(name).recovery {
        case .none: "is over"
        case .resolvable: "is tried again for plain readers"
        case .transient: "is tried again for everyone"
        }
      return ["`\(name.rawValue)`", "\(name.code)", name.errno.rawValue, recovery]
    }
    #expect(
      rows == expected, "\(expected.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n"))")
  }
}
