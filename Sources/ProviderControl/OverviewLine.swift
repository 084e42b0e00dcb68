package import ProviderModel

/// What goes on in a provider: the reply to `top`.
package struct OverviewLine: Codable, Hashable, Sendable {
  package struct Counts: Codable, Hashable, Sendable {
    /// Items that are open or on their way.
    package var moving: Int
    package var items: Int
    package var holds: Int
    package var waiting: Int
    package var scopes: Int
    package var claims: Int
    package var rules: Int
  }
  package struct Waiting: Codable, Hashable, Sendable {
    package var operation: String
    package var path: WirePath
    package var app: String?
    package var process: Int32?
    /// "hold", "delay", "listing", "content", "provider" or "source".
    package var reason: String
    package var hold: String?
    /// Provider time; nil for a transfer.
    package var sinceNanoseconds: Int64?
  }
  package struct Scope: Codable, Hashable, Sendable {
    package var path: WirePath
    package var app: String
    package var process: Int32
    package var count: Int
    package var covers: String
  }
  package struct Claim: Codable, Hashable, Sendable {
    package var id: UInt64
    package var intents: [IntentLine]
    package var app: String?
    package var process: Int32
    /// "waiting", "materializing" or "granted".
    package var phase: String
    package var sinceNanoseconds: Int64
  }
  package struct Rule: Codable, Hashable, Sendable {
    package var name: String
    package var operations: [String]
    package var hits: UInt64
  }

  package var nowNanoseconds: Int64
  /// In ProviderCondition's words.
  package var condition: String
  /// The device is.
  package var locked: Bool
  package var folder: WirePath
  package var items: [ItemLine]
  package var holds: [HoldLine]
  package var waiting: [Waiting]
  package var scopes: [Scope]
  package var claims: [Claim]
  package var rules: [Rule]
  package var counts: Counts
}

extension OverviewLine {
  package init(_ overview: Overview) {
    let counts = overview.counts
    self.init(
      nowNanoseconds: overview.now.nanoseconds, condition: overview.condition.rawValue,
      locked: overview.isDeviceLocked, folder: WirePath(overview.folder),
      items: overview.items.map(ItemLine.init), holds: overview.holds.map(HoldLine.init),
      waiting: overview.waiting.map(Waiting.init), scopes: overview.scopes.map(Scope.init),
      claims: overview.claims.map(Claim.init),
      rules: overview.rules.map {
        Rule(name: $0.name, operations: $0.operations.map(\.rawValue), hits: $0.hits)
      },
      counts: Counts(
        moving: counts.moving, items: counts.items, holds: counts.holds, waiting: counts.waiting,
        scopes: counts.scopes, claims: counts.claims, rules: counts.rules))
  }
}

extension OverviewLine.Waiting {
  fileprivate init(_ status: WaitingStatus) {
    self.init(
      operation: status.operation, path: WirePath(status.path), app: status.app?.name,
      process: status.process, reason: status.reason.rawValue, hold: status.hold,
      sinceNanoseconds: status.since?.nanoseconds)
  }
}

extension OverviewLine.Scope {
  fileprivate init(_ status: ScopeStatus) {
    self.init(
      path: WirePath(status.path), app: status.app.name, process: status.process, count: status.count,
      covers: status.covers.rawValue)
  }
}

extension OverviewLine.Claim {
  fileprivate init(_ status: ClaimStatus) {
    self.init(
      id: status.id.rawValue,
      intents: status.intents.map {
        IntentLine(
          path: WirePath($0.path), kind: $0.kind.rawValue, options: $0.options.map(\.rawValue).sorted())
      }, app: status.app?.name, process: status.process, phase: status.phase.rawValue,
      sinceNanoseconds: status.since.nanoseconds)
  }
}
