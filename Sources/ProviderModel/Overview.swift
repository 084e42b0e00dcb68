// What goes on in a provider at one moment, as `top` shows it: some of each kind, and how many there are.

package struct Overview: Hashable, Sendable {
  /// What stands in each list at the very most.
  package static let limits = 1...1_000

  package struct Counts: Hashable, Sendable {
    /// In motion: open, or on their way.
    package var moving = 0
    package var items = 0
    package var holds = 0
    package var waiting = 0
    package var scopes = 0
    package var claims = 0
    package var rules = 0
  }

  package var now: Instant
  package var condition: ProviderCondition
  package var isDeviceLocked: Bool
  package var folder: ItemPath
  /// What is in motion, then what the folder holds.
  package var items: [ItemStatus] = []
  package var holds: [HoldStatus] = []
  /// Those who have waited longest come first.
  package var waiting: [WaitingStatus] = []
  package var scopes: [ScopeStatus] = []
  package var claims: [ClaimStatus] = []
  package var rules: [RuleHits] = []
  package var counts = Counts()
}

/// An operation that has no answer yet.
package struct WaitingStatus: Hashable, Sendable {
  package enum Reason: String, Sendable, CaseIterable {
    case hold, delay, listing, content
    /// The provider to be itself again.
    case provider
    /// The source has to be asked, or pages have to go: moments.
    case source
  }
  package var operation: String
  package var path: ItemPath
  package var app: AppID?
  package var process: Int32?
  package var reason: Reason
  /// The hold's name.
  package var hold: String?
  /// nil for a transfer.
  package var since: Instant?
}

package struct ScopeStatus: Hashable, Sendable {
  package var path: ItemPath
  package var app: AppID
  package var process: Int32
  /// Starts that no stop has balanced yet.
  package var count: Int
  package var covers: ScopeCoverage
}

package struct ClaimStatus: Hashable, Sendable {
  package enum Phase: String, Sendable, CaseIterable {
    /// For claims that were scheduled earlier.
    case waiting
    /// For content.
    case materializing
    case granted
  }
  package var id: ClaimID
  package var intents: [Intent]
  package var app: AppID?
  package var process: Int32
  package var phase: Phase
  package var since: Instant
}

package struct RuleHits: Hashable, Sendable {
  package var name: String
  package var operations: [OperationName]
  /// User actions that it struck.
  package var hits: UInt64
}
