import ProviderControl
import ProviderModel

/// Why a verb could not do what it was asked for: words for standard error, and the exit code.
struct VerbFailure: Error, Hashable, Sendable {
  var message: String
  var exitCode = FakeProvider.Exit.failed
  /// The command line was wrong in itself: the usage is said, too.
  var showsUsage = false

  init(_ message: String, exitCode: Int32 = FakeProvider.Exit.failed) {
    self.message = message
    self.exitCode = exitCode
  }

  static func usage(_ message: String) -> VerbFailure {
    var failure = VerbFailure(message, exitCode: FakeProvider.Exit.usage)
    failure.showsUsage = true
    return failure
  }

  /// What the provider refused.
  /// - Parameter name: how the item is called for the person, from its path in the provider.
  init(_ refusal: ErrorLine, name: (WirePath) -> String = { $0.text }) {
    guard let path = refusal.path else {
      self.init(refusal.message)
      return
    }
    self.init("\(Render.harmless(name(path))): \(refusal.message) (\(refusal.errno))")
  }

  /// From anything that the control library throws.
  init(any error: any Error) {
    switch error {
    case let failure as VerbFailure: self = failure
    case let refusal as ErrorLine: self.init(refusal)
    case let problem as RequestProblem: self = .usage(problem.message)
    default: self.init("\(error)")
    }
  }
}

extension ParsedArguments {
  /// Runs a verb; what it throws becomes a line on standard error and an exit code.
  func carryOut(_ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      let failure = VerbFailure(any: error)
      Console.err("fakeprovider \(verb): \(failure.message)\n")
      if failure.showsUsage, let spec = VerbTable.spec(of: verb) { Console.err(spec.usage + "\n") }
      return failure.exitCode
    }
  }
}
