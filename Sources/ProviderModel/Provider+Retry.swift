// Downloads that fail: who is told at once, who waits for another attempt, and for how long.

/// What becomes of a download that fails with an error.
enum Recovery {
  /// It is over, for everyone who waits for it.
  case none
  /// It is tried again for plain readers; who asked in coordination, or for the download itself, is told at once.
  case resolvable
  /// It is tried again for everyone: it will pass.
  case transient
}

extension ProviderError {
  /// - Source: NSFileProviderReplicatedExtension.h on fetchContents, and FileProviderErrors: the resolvable ones
  ///   are those that a person or the provider has to settle; a provider that is missing for a while passes.
  var recovery: Recovery {
    switch self {
    case .provider(let name):
      switch name {
      case .notAuthenticated, .insufficientQuota, .serverUnreachable, .cannotSynchronize, .domainDisabled,
        .providerNotFound, .providerDomainNotFound, .applicationExtensionNotFound:
        .resolvable
      case .providerDomainTemporarilyUnavailable, .pageExpired: .transient
      case .noSuchItem, .versionNoLongerAvailable, .filenameCollision, .deletionRejected, .directoryNotEmpty,
        .nonEvictableChildren, .unsyncedEdits, .nonEvictable, .excludedFromSync:
        .none
      }
    // An errno was asked for by its name: whoever asked for it wants to see it.
    case .accessNotGranted, .accessRevoked, .callerNotVisible, .tooManyScopes, .noSuchItem, .notADirectory,
      .isADirectory, .notASymbolicLink, .readOnly, .sourceChanged, .source, .cocoa, .fault, .released,
      .unreachable, .translated, .deviceLocked, .materializationForbidden, .interrupted, .canceled, .stopping,
      .busy, .nonEvictableChild, .badHandle, .noSuchAttribute, .resultTooLarge, .notSupported, .content,
      .invalid:
      .none
    }
  }
}

extension Provider {
  /// An attempt has failed. It is made again later as long as somebody waits for that, or the item is pinned; the
  /// others get the error.
  mutating func transferFailed(_ slot: Slot, _ error: ProviderError) {
    guard let transfer = transfers[slot] else { return }
    holds.unpark(transfer: slot)
    let path = items.path(of: slot)
    var event = Event(.downloadFailed, path: path, error: error)
    event.offset = transfers.arrived(slot)
    event.rule = transfer.phase == .struck ? transfer.strike?.name : nil
    emit(event)
    let waiting = contentWaiters.remove(slot) ?? []
    let patient = waiting.filter { isPatient($0, error.recovery) }
    if patient.isEmpty, error.recovery == .none || !isPinned(slot) {
      transfers.cancel(slot)
      items.endDownload(of: slot)
      turnIfDue(slot)
    } else {
      contentWaiters[slot] = patient.isEmpty ? nil : patient
      scheduleRetry(of: transfer, after: error)
      for case .request(let id) in patient { limitPatience(of: id) }
    }
    // Last: whom it fails may let another go on that asks for this very item.
    for waiter in waiting where !patient.contains(waiter) { fail(waiter, error, path) }
    freeIfUnused(slot)
  }

  private func isPatient(_ waiter: Waiter, _ recovery: Recovery) -> Bool {
    switch (recovery, waiter) {
    case (.none, _), (.resolvable, .question), (.resolvable, .claim): false
    case (.transient, .question), (.transient, .claim): true
    case (_, .request(let id)): parked[id]?.givesUpAt.map { $0 > now } ?? true
    }
  }

  private mutating func scheduleRetry(of transfer: Transfer, after error: ProviderError) {
    var trouble = transfer.trouble ?? Transfer.Trouble(error: error)
    trouble.error = error
    trouble.failures += 1
    let at = now + profile.download.pause(after: trouble.failures)
    transfers.retry(transfer.slot, at: at, after: trouble)
    deadlines.schedule(.retry(transfer.slot), at: at)
  }

  /// Claims that waited for an item wait for the one that has replaced it.
  ///
  /// That is fetched at once the first time. What is replaced whenever it is fetched comes as after a failure, so that
  /// no moment lasts for ever.
  mutating func fetch(_ slot: Slot, for claims: [Waiter], inPlaceOf transfer: Transfer?) {
    if claims.isEmpty { return }
    if isCurrent(slot) {
      for claim in claims { wake(claim) }
      return
    }
    contentWaiters[slot, default: []] += claims
    let error = ProviderError.provider(.versionNoLongerAvailable)
    guard let transfer, transfer.trouble != nil else {
      var trouble = Transfer.Trouble(error: error)
      trouble.failures = 1
      return attemptDownload(of: slot, after: trouble)
    }
    let next = Transfer(
      slot: slot, size: items[slot].stamp.size, latency: transfer.latency, limit: transfer.limit,
      trouble: transfer.trouble)
    items.beginDownload(of: slot)
    transfers.start(next)
    scheduleRetry(of: next, after: error)
  }

  mutating func retryDownload(of slot: Slot) {
    if dropIfUnwanted(slot) { return }
    materialize(slot, isUrgent: true)
  }

  /// Nobody is left who waits for a download that has failed: it is not tried again for its own sake.
  @discardableResult
  private mutating func dropIfUnwanted(_ slot: Slot) -> Bool {
    guard case .retrying = transfers[slot]?.phase, contentWaiters[slot]?.isEmpty ?? true, !isPinned(slot)
    else { return false }
    contentWaiters.remove(slot)
    transfers.cancel(slot)
    items.endDownload(of: slot)
    turnIfDue(slot)
    freeIfUnused(slot)
    return true
  }

  // MARK: Patience

  /// From now on the request waits no longer than the profile says.
  mutating func limitPatience(of id: RequestID) {
    guard let timeout = profile.download.timeout, let asked = parked[id], asked.givesUpAt == nil else {
      return
    }
    let end = now + timeout
    parked[id]?.givesUpAt = end
    deadlines.schedule(.patience(id), at: end)
  }

  mutating func losePatience(_ id: RequestID) {
    switch parked[id]?.wait {
    case .content(let slot):
      guard let transfer = transfers[slot], let trouble = transfer.trouble else { return }
      // Its content has begun to come after all: the end of this attempt decides.
      if transfer.isUnderWay { return }
      fail(id, trouble.error)
      dropIfUnwanted(slot)
    case .listing(let slot):
      if items[slot].listing == .unlisted, let error = fetchError { fail(id, error) }
    case .provider: fail(id, .unreachable(.EIO))
    default: break
    }
  }
}

extension Profile.Download {
  /// From a failure to the next attempt.
  func pause(after failures: Int) -> Span {
    let longest = max(retryInterval, Profile.Download.longestRetry)
    // Thirty doublings of a nanosecond are a second; more do not matter, and would overflow.
    let (pause, overflow) = retryInterval.nanoseconds.multipliedReportingOverflow(
      by: 1 << Int64(min(failures - 1, 40)))
    return overflow ? longest : min(Span(nanoseconds: pause), longest)
  }
}
