// What the provider as a whole is up to, and what that means for each kind of provider. docs/conditions.md has it as
// a table, which a test compares with this.

struct Conditions {
  var provider = ProviderCondition.online
  /// Counts the changes, to tell an end that was planned for one from those of others.
  var changes: UInt64 = 0
  /// Files are protected with a key that the device has not got while it is locked.
  var isDeviceLocked = false
  /// Processes that were stopped, and not resumed or ended since.
  var suspended: [ProcessID] = []
}

extension ProviderCondition {
  /// Why nothing can be fetched; nil: it can.
  func fetchError(of kind: ProviderKind) -> ProviderError? {
    switch (kind, self) {
    case (_, .online), (_, .throttled), (_, .outOfQuota): nil
    case (.volume, .offline): .unreachable(.ENOTCONN)
    case (.volume, .signedOut): .unreachable(.EACCES)
    case (.volume, .disabled): .unreachable(.ENXIO)
    case (.volume, .rootGone): .unreachable(.ENOENT)
    case (.volume, .crashed), (.replicated, .crashed): .provider(.providerDomainTemporarilyUnavailable)
    // Nobody starts a legacy extension again while it is asked for something.
    case (.legacy, .crashed): .cocoa(.xpcConnectionInvalid)
    case (_, .offline): .provider(.serverUnreachable)
    case (_, .signedOut): .provider(.notAuthenticated)
    case (_, .disabled): .provider(.domainDisabled)
    case (_, .rootGone): .provider(.noSuchItem)
    }
  }

  /// The same for what is on its way when it begins.
  func interruption(of kind: ProviderKind) -> ProviderError? {
    switch (kind, self) {
    case (.volume, .offline): .unreachable(.ECONNRESET)
    case (.legacy, .crashed): .cocoa(.xpcConnectionInterrupted)
    default: fetchError(of: kind)
    }
  }

  /// Why nothing can be coordinated, whether its content is here or not: a legacy extension takes part in it.
  func coordinationError(of kind: ProviderKind) -> ProviderError? {
    kind == .legacy && self == .crashed ? .cocoa(.xpcConnectionInvalid) : nil
  }

  /// What a request of the kernel meets before anything else; nil: what it would meet online.
  func outcome(of operation: Operation, byHandle: Bool, on kind: ProviderKind) -> Outcome? {
    if operation.isAboutSimulation { return nil }
    switch (kind, self) {
    case (_, .online), (_, .throttled): return nil
    case (.volume, .offline): return .fail(.unreachable(.ENOTCONN))
    case (.volume, .signedOut): return .fail(.unreachable(.EACCES))
    case (.volume, .disabled): return .fail(.unreachable(byHandle ? .ENXIO : .ENOENT))
    case (.volume, .rootGone): return .fail(.unreachable(byHandle ? .ESTALE : .ENOENT))
    case (.volume, .crashed): return .awaitProvider
    case (.volume, .outOfQuota): return operation.needsSpace ? .fail(.provider(.insufficientQuota)) : nil
    case (_, .rootGone): return byHandle ? nil : .fail(.noSuchItem)
    case (_, .offline), (_, .signedOut), (_, .disabled), (_, .crashed), (_, .outOfQuota): return nil
    }
  }
}

extension Operation {
  /// What the simulation itself is asked or told.
  fileprivate var isAboutSimulation: Bool {
    switch self {
    case .getAttribute(_, let name, _), .setAttribute(_, let name, _): AttributeAction.Name(name) != nil
    default: false
    }
  }

  fileprivate var needsSpace: Bool {
    guard case .change(_, let change) = self else { return false }
    return ["create", "link", "mkdir", "mknod", "symlink"].contains(change.name)
  }
}
