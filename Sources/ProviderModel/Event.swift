// What happened, as values: the journal is a list of these.

package struct Event: Hashable, Sendable {
  /// One more than the event before it.
  package var sequence: UInt64
  package var at: Instant
  package var name: EventName
  package var path: ItemPath?
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

package enum EventName: String, Sendable, CaseIterable {
  /// An open, read, listing or change was answered; `error` tells how, absent when it was served.
  case operation
  case downloadStarted, downloadFinished, downloadFailed
  /// Nothing of it arrives, for a while or for ever; `offset` bytes have.
  case downloadStalled
  case evicted
  case granted, revoked, restored
  case scopeStarted, scopeRefused, scopeStopped
  case held, holdReleased
  case claimGranted, claimFinished, claimFailed
  case sourceChanged
  case ruleAdded, ruleRemoved
  case processEnded
  case stopping
  case dropped
}
