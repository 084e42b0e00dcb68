import ProviderControl
import ProviderModel
import ProviderProfiles

/// Lists, shows and checks profiles.
enum ProfileVerb {
  struct Check: Hashable, Sendable, Encodable {
    struct Problem: Hashable, Sendable, Encodable {
      var file: String
      var line: Int?
      var column: Int?
      var keyPath: String?
      var message: String
    }
    var profile: String
    var ok: Bool
    var problems: [Problem]
    /// How a person reads it.
    var text: String

    private enum CodingKeys: CodingKey { case profile, ok, problems }
  }

  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let profiles = arguments.positionals.dropFirst().map(\.text)
      switch arguments.positionals.first?.text {
      case "list":
        if let extra = profiles.first { throw VerbFailure.usage("\"\(extra)\": list takes no profile") }
        return try list(json: arguments.has("--json"))
      case "show": return try show(profiles)
      default: return try check(profiles, json: arguments.has("--json"))
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
  private static func show(_ profiles: [String]) throws -> Int32 {
    guard profiles.count == 1 else { throw VerbFailure.usage("show takes one profile") }
    let text = ProfileWriter.json(try ProfileLibrary.load(nameOrPath: profiles[0]))
    Console.out(text.hasSuffix("\n") ? text : text + "\n")
    return FakeProvider.Exit.done
  }

  private static func check(_ profiles: [String], json: Bool) throws -> Int32 {
    if profiles.isEmpty { throw VerbFailure.usage("check takes at least one profile") }
    let checks = profiles.map(check)
    if json {
      Console.json(["checks": checks])
    } else {
      for check in checks {
        if check.ok { Console.out("\(check.profile): ok\n") } else { Console.out(check.text + "\n") }
      }
    }
    return checks.allSatisfy(\.ok) ? FakeProvider.Exit.done : FakeProvider.Exit.failed
  }

  static func check(_ profile: String) -> Check {
    do {
      _ = try ProfileLibrary.load(nameOrPath: profile)
      return Check(profile: profile, ok: true, problems: [], text: "")
    } catch {
      guard case .invalid(let found) = error else {
        let problem = Check.Problem(file: profile, message: "\(error)")
        return Check(profile: profile, ok: false, problems: [problem], text: "\(error)")
      }
      let problems = found.problems.map { problem in
        Check.Problem(
          file: problem.file, line: problem.position.line, column: problem.position.column,
          keyPath: problem.keyPath, message: problem.message)
      }
      return Check(profile: profile, ok: false, problems: problems, text: "\(found)")
    }
  }
}
