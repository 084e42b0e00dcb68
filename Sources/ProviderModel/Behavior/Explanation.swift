/// What would happen to an operation now, and why.
package struct Explanation: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case served
    case fails(ProviderError)
    /// Parked at a hold until somebody releases it.
    case held(String)
    /// Nothing that is due would ever answer it.
    case waits
  }

  package struct NearMiss: Hashable, Sendable {
    package var rule: String
    /// Why it would not strike, each in words.
    package var reasons: [String]
  }

  package var outcome: Outcome
  /// Provider time that it would take, if nobody does anything else meanwhile.
  package var takes: Span
  /// Rules that would strike on the way.
  package var rules: [String]
  /// What would happen on the way, in words.
  package var steps: [String]
  package var nearMisses: [NearMiss]
}
