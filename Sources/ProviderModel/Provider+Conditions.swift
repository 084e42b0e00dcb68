// Conditions: the provider as a whole, and the device.

extension Provider {
  package var condition: ProviderCondition { conditions.provider }
  package var isDeviceLocked: Bool { conditions.isDeviceLocked }

  /// Why nothing can be fetched now; nil: it can.
  var fetchError: ProviderError? { conditions.provider.fetchError(of: profile.kind) }

  mutating func setCondition(_ condition: ProviderCondition, for duration: Span?, _ key: QuestionKey) {
    set(condition, for: duration)
    answer(key, .done, afterPagesOf: openFiles)
  }

  /// - Parameter duration: then the provider is online again; nil: when somebody changes it.
  mutating func set(_ condition: ProviderCondition, for duration: Span?) {
    conditions.changes += 1
    if let duration, condition != .online {
      deadlines.schedule(.conditionEnds(conditions.changes), at: now + duration)
    }
    if condition == conditions.provider { return }
    conditions.provider = condition
    var event = Event(.providerChanged)
    event.detail = .condition(condition)
    emit(event)
    transfers.throttle(to: condition == .throttled ? profile.conditions.throttledBandwidth : nil)
    if let error = condition.interruption(of: profile.kind) { interrupt(error) } else { goOn() }
    // What the kernel has of open files could be read without us.
    if profile.kind == .volume { for slot in openFiles { dropPages(of: slot) } }
    let waiting = providerWaiters
    providerWaiters = []
    for waiter in waiting { resume(waiter) }
  }

  /// What is on its way comes to an end; what waits for a place meets the condition when it gets one.
  private mutating func interrupt(_ error: ProviderError) {
    for slot in transfers.slots where transfers[slot]?.hasPlace == true { transferFailed(slot, error) }
    guard conditions.provider.coordinationError(of: profile.kind) != nil else { return }
    for claim in arbiter.claims where claim.phase != .granted { failClaim(claim.id, error, nil) }
  }

  /// The system no longer backs off from what has been settled.
  private mutating func goOn() {
    for slot in transfers.slots {
      if case .retrying = transfers[slot]?.phase { retryDownload(of: slot) }
    }
    for slot in listingWaiters.keys where listingWaiters[slot]?.isEmpty == false { list(slot) }
  }

  private var openFiles: [Slot] {
    var slots: [Slot] = []
    for (_, handle) in handles.all where handle.isFile && slots.last != handle.slot {
      slots.append(handle.slot)
    }
    return slots
  }

  // MARK: Requests

  func condition(of asked: Parked, on subject: Subject) -> Outcome? {
    if conditions.provider == .online { return nil }
    let isByHandle = if case .handle = subject { true } else { false }
    return conditions.provider.outcome(
      of: asked.request.operation, byHandle: isByHandle, on: profile.kind)
  }

  mutating func awaitProvider(_ asked: Parked) {
    park(asked, .provider)
    providerWaiters.append(asked.request.id)
    limitPatience(of: asked.request.id)
  }

  /// Parks the request until the folder's contents are known.
  mutating func awaitListing(of folder: Slot, for asked: Parked) {
    let error = isDataless(folder: folder) ? fetchError : nil
    if let error, error.recovery == .none { return finish(asked, .error(error)) }
    park(asked, .listing(folder))
    listingWaiters[folder, default: []].append(.request(asked.request.id))
    if error == nil { list(folder) } else { limitPatience(of: asked.request.id) }
  }

  /// Whether only the server knows what the folder holds.
  func isDataless(folder slot: Slot) -> Bool {
    guard slot != .root, items[slot].kind == .directory, items[slot].listing == .unlisted,
      !profile.items.datalessFolders.isEmpty
    else { return false }
    let path = items.path(of: slot)
    return profile.items.datalessFolders.contains { $0.matches(path) }
  }

  /// Whether the process that asks may have content brought here by reading it.
  ///
  /// The policy is one of the process, which its children inherit: the app whose scope it uses counts as well.
  func mayMaterialize(_ asked: Parked, app: AppID?) -> Bool {
    if profile.process.materialize == .forbid { return false }
    if profile.process.forbid.isEmpty { return true }
    return ![app, asked.request.caller.app].contains { app in
      app.map { profile.process.forbid.contains($0.name) } ?? false
    }
  }

  /// With the errno that the profile has for it, where that is another.
  func translated(_ error: ProviderError) -> ProviderError {
    let name: FileProviderErrorName
    switch error {
    case .provider(let known): name = known
    case .nonEvictableChild: name = .nonEvictableChildren
    default: return error
    }
    guard let errno = profile.errors[name], errno != name.errno else { return error }
    return .translated(name, errno)
  }

  // MARK: The device

  mutating func setDeviceLock(_ isLocked: Bool, _ key: QuestionKey) {
    if isLocked != conditions.isDeviceLocked {
      conditions.isDeviceLocked = isLocked
      emit(Event(isLocked ? .deviceLocked : .deviceUnlocked))
      if isLocked { for slot in openFiles { dropPages(of: slot) } }
    }
    answer(key, .done, afterPagesOf: isLocked ? openFiles : [])
  }

  /// Whether the file's key is gone: then it can be neither opened nor read.
  func isKeyGone(_ operation: Operation) -> Bool {
    switch operation {
    case .open, .read: conditions.isDeviceLocked
    default: false
    }
  }

  /// In force when it is answered: no page that is still there may be read.
  mutating func answer(_ key: QuestionKey, _ answer: Answer, afterPagesOf slots: [Slot]) {
    let dropping = slots.filter { items[$0].isDroppingPages }
    if dropping.isEmpty { finish(key, answer) } else { questions[key]?.wait = .pages(dropping, answer) }
  }
}
