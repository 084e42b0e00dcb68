// What happened, as values: the journal is a list of these.

package struct Event: Hashable, Sendable {
  /// One more than the event before it.
  package var sequence: UInt64
  package var at: Instant
  package var name: EventName
  package var path: ItemPath?
  /// Where an item was that has another place or name now.
  package var from: ItemPath?
  package var app: AppID?
  package var process: Int32?
  package var thread: Int32?
  package var operation: String?
  /// The item's copy state when the operation came in.
  package var copy: CopyState?
  /// Whether a started scope of the process covered it; nil where none is needed.
  package var scoped: Bool?
  package var claim: ClaimID?
  package var error: ProviderError?
  /// Provider time from the request to its outcome.
  package var waited: Span?
  package var offset: Int64?
  package var bytes: Int64?
  package var hold: String?
  /// The rule that struck it.
  package var rule: String?
  /// Events that the journal had to drop here.
  package var dropped: UInt64?
  package var detail: EventDetail?

  /// The model numbers and dates it when it happens.
  package init(
    _ name: EventName, path: ItemPath? = nil, app: AppID? = nil, process: Int32? = nil,
    error: ProviderError? = nil
  ) {
    sequence = 0
    at = .start
    self.name = name
    self.path = path
    self.app = app
    self.process = process
    self.error = error
  }
}

/// What only a few events have; apart from the rest, so that the others stay small.
package indirect enum EventDetail: Hashable, Sendable {
  case started(ProviderHeader)
  case condition(ProviderCondition)
  /// A file outside of the provider.
  case file([UInt8])
}

/// Whose journal it is: what its first event says.
package struct ProviderHeader: Hashable, Sendable {
  package var profile: String
  package var seed: UInt64
  package var mode: Profile.Access.Mode
  package var version: String
  package init(profile: String, seed: UInt64, mode: Profile.Access.Mode, version: String) {
    self.profile = profile
    self.seed = seed
    self.mode = mode
    self.version = version
  }
}

package enum EventName: String, Sendable, CaseIterable {
  /// The provider's first; the rules of its profile follow, each as `ruleAdded`.
  case started
  /// A kernel request was answered; `error` tells how, absent when it was served.
  case operation
  case downloadStarted, downloadFinished, downloadFailed
  /// Nothing of it arrives, for a while or for ever; `offset` bytes have.
  case downloadStalled
  case evicted
  case pinned, unpinned
  case granted, revoked, restored
  /// The picker has made a copy of a file for an app, and the system has taken it away again.
  case copyMade, copyPurged
  case scopeStarted, scopeRefused, scopeStopped
  /// A stop without a start to balance; it did nothing.
  case scopeUnmatched
  case held, holdReleased
  case claimGranted, claimFinished, claimFailed
  case sourceChanged
  case ruleAdded, ruleRemoved
  /// The provider as a whole is something else from here on.
  case providerChanged
  case deviceLocked, deviceUnlocked
  /// One for each process of the app.
  case appSuspended, appResumed, appKilled
  /// What another device did.
  case remoteCreated, remoteChanged, remoteMoved, remoteDeleted, remoteConflict
  /// A remote change that waited could no longer be made.
  case remoteFailed
  /// Another item has taken its name.
  case replaced
  /// A stub became its file, or a file its stub; `from` is where it was.
  case renamed
  case processEnded
  /// Whoever waits is being answered.
  case stopping
  /// The last one: nothing is missing after it.
  case stopped
  case dropped
}
