import Glibc
import ProviderControl

/// Whether assertions hold for a journal.
enum Expect {
  /// What came of it.
  struct Result: Codable, Hashable, Sendable {
    var expectations: [Verdict]
    /// Why the journal proves nothing; nil when it is whole.
    var incomplete: String?
    var passes: Bool { incomplete == nil && expectations.allSatisfy(\.holds) }
  }

  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let expectations = try Expectation.list(arguments.positionals.map(\.text))
      let result =
        if let file = arguments.values["--journal"]?.first {
          try result(of: expectations, journal: file)
        } else {
          try result(of: expectations, ProviderConnection(to: try Providers.chosen(arguments)))
        }
      if arguments.has("--json") {
        Console.json(result)
      } else {
        Console.out(Render.harmlessLines(table(result.expectations)))
      }
      if let incomplete = result.incomplete { Console.err("journal incomplete: \(incomplete)\n") }
      return result.passes ? FakeProvider.Exit.done : FakeProvider.Exit.failed
    }
  }

  /// Of a provider's journal so far.
  static func result(
    of expectations: [Expectation], _ connection: ProviderConnection
  ) throws -> Result {
    var check = JournalCheck(expectations)
    do {
      try connection.client.forEachPastEvent { check.take($0) }
    } catch let problem as ConnectionProblem {
      throw VerbFailure(connection.lost(problem))
    }
    return Result(expectations: check.verdicts, incomplete: check.incompleteness(needsEnd: false))
  }

  static func result(of expectations: [Expectation], journal file: Argument) throws -> Result {
    var check = JournalCheck(expectations)
    do {
      let broken = try JournalReading.read(file.bytes) { check.take($0) }
      var incomplete = check.incompleteness(needsEnd: true)
      if let broken { incomplete = "line \(broken) is cut off, or is no event" }
      return Result(expectations: check.verdicts, incomplete: incomplete)
    } catch {
      throw VerbFailure(Render.harmless(error.description))
    }
  }

  /// A line for each; with why it does not hold, and what broke it.
  static func table(_ verdicts: [Verdict]) -> String {
    verdicts.map { verdict in
      if verdict.holds { return "holds   \(verdict.assertion)\n" }
      return "broken  \(verdict.assertion)\n" + explanation(verdict).map { "        \($0)\n" }.joined()
    }.joined()
  }

  static func explanation(_ verdict: Verdict) -> [String] {
    [verdict.reason, verdict.event?.sentence].compactMap { $0 }
  }
}
