// What clients of the control socket ask of the model, and what it answers. The same grammar on the
// command line, on the wire and in Swift: docs/control-protocol.md.

/// Where in a file or transfer a hold waits.
package enum HoldPoint: Hashable, Sendable {
  /// From 0 to 1,000,000 millionths of its length.
  case millionths(Int64)
  case bytes(Int64)

  package func offset(in length: Int64) -> Int64 {
    switch self {
    case .millionths(let count): Int64((Int128(length) * Int128(count)) / 1_000_000)
    case .bytes(let count): min(count, length)
    }
  }
}

/// Whom a started scope covers.
package enum ScopeCoverage: String, Sendable, CaseIterable { case process, descendants }

/// One intent of a coordinated access (Apple: NSFileAccessIntent).
package struct Intent: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable { case read, write }
  /// Apple's option names; which are legal depends on the kind.
  package enum Option: String, Sendable, CaseIterable {
    case withoutChanges, resolvesSymbolicLink, immediatelyAvailableMetadataOnly, forUploading
    case forDeleting, forMoving, forMerging, forReplacing, contentIndependentMetadataOnly
  }
  package var path: ItemPath
  package var kind: Kind
  package var options: Set<Option>
  package init(path: ItemPath, kind: Kind, options: Set<Option> = []) {
    self.path = path
    self.kind = kind
    self.options = options
  }
}

/// What `wait` waits for.
package enum Condition: Hashable, Sendable {
  /// Something is parked at the hold of this name.
  case hold(String)
  case state(ItemPath, CopyState)
  /// The next event of this name, from now on.
  case event(String)
}

package enum Command: Hashable, Sendable {
  case status([ItemPath])
  case pick([ItemPath], app: AppID?)
  case start(ItemPath, covers: ScopeCoverage)
  case stop(ItemPath)
  case download([ItemPath])
  case evict([ItemPath])
  case revoke([ItemPath], app: AppID?, byUser: Bool, reads: Bool)
  case restore([ItemPath], app: AppID?)
  case hold(OperationName, ItemPath, at: HoldPoint?, name: String?)
  case holds
  case release(String, error: ErrnoName?)
  case wait(Condition)
  /// `purpose`: claims of one purpose never wait for each other (Apple: purposeIdentifier).
  case coordinate([Intent], purpose: String)
  /// The accessor has returned.
  case finish(ClaimID)
  /// `for`: then it is online again; nil: until somebody changes it.
  case setCondition(ProviderCondition, for: Span?)
  case setDeviceLock(Bool)
  /// Something that happens to all processes of an app.
  case signal(AppID, AppAction)
  case addRule(Rule)
  case removeRule(String)
  case clearRules
  case rules
  /// What would happen to this operation of this app (nil: of the client's) now.
  case explain(ItemPath, OperationName, app: AppID?, at: HoldPoint?)
  /// What goes on, with what this folder holds; at most so many of each kind.
  case top(ItemPath, limit: Int)
  /// Gives up an earlier request of this session that is not answered yet.
  case cancel(request: Int)
  /// Evicts what was opened longest ago, until so many bytes are free.
  case relieve(Int64)
  /// A change made on another device, at this moment of the wall clock.
  case remote(RemoteChange, at: FileTime)
}

/// What the system does with an app.
package enum AppAction: String, Sendable, CaseIterable { case suspend, resume, kill }

/// A client's question, and where its answer goes.
package struct ControlRequest: Hashable, Sendable {
  package var session: SessionID
  /// The client's own number for it.
  package var number: Int
  package var command: Command
  /// Of the client's process, as for a ``Caller``; asked for only where the command passes the gate.
  package var ancestors: [ProcessID]
  package init(session: SessionID, number: Int, command: Command, ancestors: [ProcessID] = []) {
    self.session = session
    self.number = number
    self.command = command
    self.ancestors = ancestors
  }
}

/// How an item's download is going.
package struct TransferStatus: Hashable, Sendable {
  package enum Phase: String, Sendable, CaseIterable {
    /// Others have to end first.
    case queued
    /// Asked for; no byte has come yet.
    case waiting
    case streaming
    /// Nothing arrives, though nothing has failed.
    case stalled
    /// At a hold.
    case held
    /// It failed, and begins again later.
    case retrying
  }
  package var phase: Phase
  /// What arrives now; 0 in every phase but `streaming`, nil without a limit.
  package var bytesPerSecond: Int64?
}

package struct ItemStatus: Hashable, Sendable {
  package var path: ItemPath
  package var id: ItemID
  package var kind: ItemKind
  package var copy: CopyState
  package var upload: UploadState
  /// Of what an open gets.
  package var size: Int64
  /// Bytes of the download that have arrived; nil when none is under way.
  package var arrived: Int64?
  /// nil when no download is under way.
  package var transfer: TransferStatus?
  /// The server's.
  package var version: UInt64
  /// Of what an open gets, where that is older.
  package var localVersion: UInt64?
  /// Versions of other devices that nobody has chosen from yet.
  package var conflicts: Int
  package var openHandles: Int
  package var scopes: [ProcessID]
  package var claims: [ClaimID]
}

package struct GrantStatus: Hashable, Sendable {
  package var path: ItemPath
  /// nil: every app.
  package var app: AppID?
}

package struct HoldStatus: Hashable, Sendable {
  package var name: String
  package var operation: OperationName
  package var path: ItemPath
  package var at: HoldPoint?
  /// Operations that wait here now.
  package var parked: Int
}

package struct RuleStatus: Hashable, Sendable {
  package var rule: Rule
  /// User actions that it was asked about, and those that it struck.
  package var considered: UInt64
  package var hits: UInt64
}

package struct RevocationSummary: Hashable, Sendable {
  package var grants = 0
  package var scopes = 0
  /// Open descriptors that go on reading, or with `reads`, that were cut off.
  package var descriptors = 0
  package var processesKilled = 0
}

package enum Answer: Hashable, Sendable {
  case done
  case items([ItemStatus])
  case grants([GrantStatus])
  case started(Bool)
  case revoked(RevocationSummary)
  case hold(String)
  case holds([HoldStatus])
  case released(Int)
  case processes([ProcessID])
  case rules([RuleStatus])
  case explanation(Explanation)
  /// What was evicted, and how many bytes that has freed.
  case relieved([ItemStatus], bytes: Int64)
  case remote(RemoteResult)
  case overview(Overview)
  /// The claim, and the item's path now for each intent (it may have moved while waiting).
  case claim(ClaimID, [ItemPath])
  case failure(ProviderError, ItemPath?)
}
