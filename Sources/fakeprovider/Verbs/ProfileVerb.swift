import ProviderControl
import ProviderModel
import ProviderProfiles

/// Lists, shows and checks profiles, and prints their schema.
enum ProfileVerb {
  struct Check: Hashable, Sendable, Encodable {
    struct Problem: Hashable, Sendable, Encodable {
      var file: String
      var line: Int?
      var column: Int?
      var keyPath: String?
      /// "warning" or "note"; absent for what is wrong.
      var weight: String?
      var message: String
    }
    var profile: String
    var ok: Bool
    var problems: [Problem]
    /// What is no mistake, and should be known.
    var remarks: [Problem]
    /// How a person reads it.
    var text: String

    private enum CodingKeys: CodingKey { case profile, ok, problems, remarks }
  }

  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let profiles = arguments.positionals.dropFirst().map(\.text)
      let action = arguments.positionals.first?.text
      let json = arguments.has("--json")
      for (option, itsAction) in [("--effective", "show"), ("--reference", "schema")]
      where arguments.has(option) && action != itsAction {
        throw VerbFailure.usage("\(option) goes with \(itsAction)")
      }
      if action == "list" || action == "schema", let extra = profiles.first {
        throw VerbFailure.usage("\"\(extra)\": \(action ?? "") takes no profile")
      }
      switch action {
      case "list": return try list(json: json)
      case "show": return try show(profiles, effective: arguments.has("--effective"))
      case "schema":
        Console.out(arguments.has("--reference") ? ProfileReference.text : ProfileSchema.text)
        return FakeProvider.Exit.done
      default: return try check(profiles, json: json)
      }
    }
  }

  private struct Summary: Encodable {
    var name: String
    var summary: String
  }

  private static func list(json: Bool) throws -> Int32 {
    let summaries = try ProfileLibrary.summaries()
    if json {
      Console.json(["profiles": summaries.map { Summary(name: $0.name, summary: $0.summary) }])
    } else {
      Console.out(Render.table(["PROFILE", "SUMMARY"], summaries.map { [$0.name, $0.summary] }))
    }
    return FakeProvider.Exit.done
  }

  /// A profile is JSON in any case.
  private static func show(_ profiles: [String], effective: Bool) throws -> Int32 {
    guard profiles.count == 1 else { throw VerbFailure.usage("show takes one profile") }
    let text =
      effective
      ? ProfileWriter.json(try ProfileLibrary.load(nameOrPath: profiles[0]))
      : String(decoding: try ProfileLibrary.bytes(nameOrPath: profiles[0]), as: UTF8.self)
    Console.out(text.hasSuffix("\n") ? text : text + "\n")
    return FakeProvider.Exit.done
  }

  private static func check(_ profiles: [String], json: Bool) throws -> Int32 {
    if profiles.isEmpty { throw VerbFailure.usage("check takes at least one profile") }
    let checks = profiles.map(check)
    if json {
      Console.json(["checks": checks])
    } else {
      for check in checks { Console.out(check.text + "\n") }
    }
    return checks.allSatisfy(\.ok) ? FakeProvider.Exit.done : FakeProvider.Exit.failed
  }

  static func check(_ profile: String) -> Check {
    do {
      let remarks = try ProfileLibrary.examine(nameOrPath: profile).remarks
      let lines = remarks.problems.isEmpty ? "" : "\(remarks)\n"
      return Check(
        profile: profile, ok: true, problems: [], remarks: remarks.problems.map(problem),
        text: "\(lines)\(profile): ok")
    } catch {
      guard case .invalid(let found) = error else {
        let problem = Check.Problem(file: profile, message: "\(error)")
        return Check(profile: profile, ok: false, problems: [problem], remarks: [], text: "\(error)")
      }
      return Check(
        profile: profile, ok: false, problems: found.problems.map(problem), remarks: [], text: "\(found)")
    }
  }

  private static func problem(_ found: ProfileProblem) -> Check.Problem {
    Check.Problem(
      file: found.file, line: found.position.line, column: found.position.column, keyPath: found.keyPath,
      weight: found.weight == .error ? nil : found.weight.rawValue, message: found.message)
  }
}
