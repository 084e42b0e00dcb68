// Carrying out what was decided for kernel requests, and what the kernel only tells.

extension Provider {
  mutating func park(_ asked: Parked, _ wait: Parked.Wait) {
    noteLock(of: asked.request)
    var asked = asked
    asked.wait = wait
    if parked[asked.request.id] == nil {
      fillWaits(asked.request)
      if let process = asked.request.caller.process {
        parkedByProcess[process, default: []].append(asked.request.id)
      }
    }
    parked[asked.request.id] = asked
  }

  /// Takes a request out of whatever it waits in.
  @discardableResult
  mutating func unpark(_ id: RequestID) -> Parked? {
    guard let asked = parked.remove(id) else { return nil }
    noteLock(of: asked.request)
    fillNoLongerWaits(asked.request)
    if let process = asked.request.caller.process {
      parkedByProcess[process]?.removeAll { $0 == id }
      if parkedByProcess[process]?.isEmpty == true { parkedByProcess.remove(process) }
    }
    switch asked.wait {
    case .nothing, .delay, .pause, .opening, .blob: break
    case .reopening(let handle): handles[handle]?.reopening?.removeAll { $0 == id }
    case .hold: holds.unpark(.request(id))
    case .listing(let slot): listingWaiters[slot]?.removeAll { $0 == .request(id) }
    case .content(let slot): contentWaiters[slot]?.removeAll { $0 == .request(id) }
    case .provider: providerWaiters.removeAll { $0 == id }
    case .pages(let slot): pageWaiters[slot]?.removeAll { $0 == id }
    }
    return asked
  }

  /// Decides a parked request again, now that what it waited for is there.
  mutating func resume(_ id: RequestID, delayed: Bool = false) {
    guard var asked = unpark(id) else { return }
    asked.wait = .nothing
    if delayed { asked.isDelayed = true }
    decide(asked)
  }

  /// The one place where a request gets its answer.
  mutating func finish(_ asked: Parked, _ reply: Reply) {
    unpark(asked.request.id)
    let reply = if case .error(let error) = reply { Reply.error(translated(error)) } else { reply }
    switch reply {
    case .entry(let node, _): items[node.slot].lookups += 1
    case .directory(let rows, let plus):
      if plus { for row in rows { if let node = row.node { items[node.slot].lookups += 1 } } }
    case .error(let error): noteFailedFill(asked.request, error)
    case .content(let id, _, let length, _, _):
      if length > 0 { handles[id]?.wasRead = true }
      if let slot = fill(asked.request) { noteFill(of: slot) }
    case .bytes: if let slot = fill(asked.request) { noteFill(of: slot) }
    default: break
    }
    effects.append(.reply(asked.request.id, reply))
    emitOperation(asked, reply)
    dropPagesIfDue(after: asked.request)
  }

  /// Only what was done to this read on purpose: the rest is asked again with the same outcome, or by nobody.
  private mutating func noteFailedFill(_ request: KernelRequest, _ error: ProviderError) {
    guard request.fillsCache, case .released = error,
      case .read(let id, let offset, let length) = request.operation
    else { return }
    let range = offset..<max(offset + 1, offset + length)
    if handles[id]?.failedFills.contains(where: { $0.range == range }) == true { return }
    handles[id]?.failedFills.append((range, error))
  }

  mutating func fail(_ id: RequestID, _ error: ProviderError) {
    if let asked = parked[id] { finish(asked, .error(error)) }
  }

  // MARK: Opening

  mutating func open(_ slot: Slot, for asked: Parked, app: AppID?) {
    if let made = items.madeBytes(of: slot) { return open(slot, made, for: asked, app: app) }
    guard let content = items.content(of: slot) else { return finish(asked, .error(.noSuchItem)) }
    items[slot].handles += 1
    items.noteUse(of: slot)
    items.blobs.use(content.reference.blob)
    let handle = handles.add(
      OpenHandle(
        slot: slot, process: asked.request.caller.process, app: app, reads: content,
        attempt: attempt(of: .read, on: slot), content: asked.strike?.content, opening: asked.request.id))
    park(asked, .opening(handle))
    effects.append(.open(handle, content.reference))
  }

  /// A stub or a pointer, whose bytes are here.
  private mutating func open(_ slot: Slot, _ made: [UInt8], for asked: Parked, app: AppID?) {
    items[slot].handles += 1
    items.noteUse(of: slot)
    let handle = OpenHandle(
      slot: slot, process: asked.request.caller.process, app: app, made: made,
      attempt: attempt(of: .read, on: slot), content: asked.strike?.content)
    let id = handles.add(handle)
    finish(asked, .opened(id, lane(for: slot, handle)))
  }

  /// Nothing of what it was opened with was ever here, and the item's content is another by now: it reads that.
  mutating func reopen(_ id: HandleID, for asked: Parked) {
    guard let handle = handles[id], let content = items.content(of: handle.slot) else {
      return finish(asked, .error(.badHandle))
    }
    park(asked, .reopening(id))
    if handle.reopening != nil {
      handles[id]?.reopening?.append(asked.request.id)
      return
    }
    items.blobs.use(content.reference.blob)
    items.blobs.release(handle.reads?.reference.blob)
    handles[id]?.reads = content
    handles[id]?.reopening = [asked.request.id]
    effects.append(.open(id, content.reference))
  }

  mutating func openDirectory(_ slot: Slot, for asked: Parked) {
    let handle = handles.add(
      OpenHandle(
        slot: slot, process: asked.request.caller.process, reads: nil,
        attempt: attempt(of: .list, on: slot)))
    finish(asked, .opened(handle, .pageCache))
  }

  /// Every read is to be seen; but where that would refuse shared maps, only where something
  /// is to befall its reads.
  private func lane(for slot: Slot, _ handle: OpenHandle?) -> Lane {
    if mapsDirectReads || handle?.content != nil || sizeCourses[slot] != nil { return .direct }
    let isWatched =
      rules.mayConcern(.read, on: slot)
      || holds.all.contains { $0.operation == .read && items.isCovered(slot, by: $0.slot) }
    return isWatched ? .direct : .pageCache
  }

  mutating func opened(_ id: HandleID, _ result: Result<OpenedContent, ErrnoName>) {
    guard let handle = handles[id], let content = handle.reads else { return }
    let error: ProviderError?
    switch result {
    case .success(.blob): error = nil
    case .success(.source(let found)) where found.stamp == content.stamp: error = nil
    case .success(.source(let found)):
      // Another file by now: ESTALE makes the kernel look again.
      sourceChanged(under: handle.slot, content, to: found)
      error = .sourceChanged
    case .failure(let name): error = .source(name)
    }
    if let waiting = handle.reopening { return reopened(id, waiting, error) }
    guard let request = handle.opening else { return }
    handles[id]?.opening = nil
    guard let asked = parked[request], error == nil else {
      closeHandle(id)
      if let error { fail(request, error) }
      return
    }
    finish(asked, .opened(id, lane(for: handle.slot, handles[id])))
  }

  private mutating func reopened(_ id: HandleID, _ waiting: [RequestID], _ error: ProviderError?) {
    handles[id]?.reopening = nil
    // Released meanwhile.
    if handles[id]?.isReleased == true { return closeHandle(id) }
    if error != nil { handles[id]?.isStale = true }
    for request in waiting {
      if let error { fail(request, error) } else { resume(request) }
    }
  }

  mutating func closeHandle(_ id: HandleID) {
    // Its file is being opened: what comes of that would have nowhere to go.
    if handles[id]?.reopening != nil {
      handles[id]?.isReleased = true
      return
    }
    guard let handle = handles.remove(id) else { return }
    guard handle.isFile else { return }
    if let content = handle.reads {
      effects.append(.close(id))
      items.blobs.release(content.reference.blob)
    }
    items[handle.slot].handles -= 1
    guard items[handle.slot].handles == 0 else { return }
    evictIfOutOfDate(handle.slot)
    turnIfDue(handle.slot)
    retryEvictions()
    freeIfUnused(handle.slot)
  }

  /// The file in the source is another than the one that an open was to get.
  private mutating func sourceChanged(under slot: Slot, _ content: Content, to found: SourceItem) {
    if content.version != items[slot].version || items[slot].isRemoved {
      // What was kept of an older content is gone, and there is no getting it again.
      if items[slot].copy == .stale, content.version == items.shownVersion(of: slot) {
        items.becomeDataless(slot)
        invalidate(slot)
        emitItem(.sourceChanged, slot)
        if transfers[slot] != nil { items.beginDownload(of: slot) }
        downloadIfPinned(slot)
      }
    } else if found.kind != items[slot].kind {
      // Something that is no file took its place; what was listed is not mixed with what that is.
      announceChange(of: slot, from: items[slot].stamp)
    } else {
      noteChange(of: slot, to: found)
    }
  }

  private mutating func noteChange(of slot: Slot, to found: SourceItem) {
    let before = items[slot].stamp
    if before == found.stamp { return }
    items.followSource(slot, found)
    // Open files have the older one, which is nowhere any more.
    for (id, handle) in handles.all where handle.slot == slot && handle.reads?.stamp == before {
      handles[id]?.isStale = true
    }
    invalidate(slot)
    dropPages(of: slot)
    if announcedChanges.remove(slot) != before { emitItem(.sourceChanged, slot) }
    if items[slot].copy == .downloading { restartDownload(of: slot) }
  }

  /// A read found the change before an open did: its event comes now, and only once however many descriptors
  /// meet it.
  private mutating func announceChange(of slot: Slot, from stamp: SourceStamp) {
    guard items[slot].stamp == stamp, announcedChanges[slot] != stamp else { return }
    announcedChanges[slot] = stamp
    emitItem(.sourceChanged, slot)
  }

  // MARK: Completions

  mutating func take(_ completion: Completion) {
    switch completion {
    case .opened(let id, let result): opened(id, result)
    case .listed(let slot, let result): listed(slot, result)
    case .pagesDropped(let slot): pagesDropped(slot)
    case .answered(let id, let error): confirm(id, error)
    case .blobMade(let blob, let result): blobMade(blob, result)
    case .copied(let id, let result): copied(id, result)
    case .mirrored(let change, let error): mirrored(change, error)
    case .changed(let id):
      guard let handle = handles[id], !handle.isStale else { return }
      handles[id]?.isStale = true
      dropPages(of: handle.slot)
      if let stamp = handle.reads?.stamp { announceChange(of: handle.slot, from: stamp) }
    }
  }

  mutating func list(_ slot: Slot) {
    guard items[slot].listing == .unlisted, let origin = items.origin(of: slot) else { return }
    items[slot].listing = .underWay
    effects.append(.list(slot, origin))
  }

  private mutating func listed(_ slot: Slot, _ result: Result<[ListedItem], ErrnoName>) {
    let waiting = listingWaiters.remove(slot) ?? []
    let path = items.path(of: slot)
    switch result {
    case .success(let entries):
      let initial = profile.items
      let bounced = items.fill(slot, with: entries) { name, item in
        guard item.kind == .file else { return .local }
        let itemPath = ItemPath(path.names + [name])
        if initial.pointers.contains(where: { $0.matches(itemPath) }) { return .pointer }
        if item.stamp.size == 0 || initial.initial == .local { return .local }
        let isKept = initial.local.contains { $0.matches(itemPath) } || pins.matches(itemPath)
        return isKept ? .local : .dataless
      }
      for (slot, wanted) in bounced { bouncedNames[slot] = wanted }
      downloadPinned(in: slot)
      applyChangesToCome()
      for waiter in waiting { wake(waiter) }
    case .failure(let name):
      items[slot].listing = .unlisted
      for waiter in waiting { fail(waiter, .source(name), path) }
    }
    freeIfUnused(slot)
  }

  mutating func wake(_ waiter: Waiter) {
    switch waiter {
    case .request(let id): resume(id)
    case .question(let key): ask(again: key)
    case .claim(let id): grantIfMaterialized(id)
    }
  }

  mutating func fail(_ waiter: Waiter, _ error: ProviderError, _ path: ItemPath) {
    switch waiter {
    case .request(let id): fail(id, error)
    case .question(let key): finish(key, .failure(error, path))
    case .claim(let id): failClaim(id, error, path)
    }
  }

  // MARK: Notices

  mutating func take(_ notice: KernelNotice) {
    switch notice {
    case .forget(let nodes):
      for forgotten in nodes {
        guard let slot = items.slot(of: forgotten.node) else { continue }
        items[slot].lookups -= min(forgotten.lookups, items[slot].lookups)
        freeIfUnused(slot)
      }
    case .release(let id): closeHandle(id)
    case .interrupted(let id):
      // An open that is under way ends by itself, and its reader sees the signal then.
      guard let asked = parked[id], !asked.isBeingOpened else { return }
      finish(asked, .error(.interrupted))
    }
  }

  // MARK: Ends

  mutating func endProcess(_ process: ProcessID) {
    for id in parkedByProcess[process] ?? [] {
      if parked[id]?.isBeingOpened != true { fail(id, .interrupted) }
    }
    conditions.suspended.removeAll { $0 == process }
    let scopes = gate.processEnded(process)
    for session in sessions.keys where sessions[session]?.process == process { closeSession(session) }
    if scopes > 0 { emit(Event(.processEnded, process: process.number)) }
  }

  mutating func stop() {
    isStopping = true
    emit(Event(.stopping))
    resumeSuspended()
    for id in parked.keys { fail(id, .stopping) }
    for key in questions.keys { finish(key, .failure(.stopping, nil)) }
    // Their clients have just been told; nothing may grant them later.
    for claim in arbiter.claims where claim.phase != .granted { dropClaim(claim.id) }
  }

  // MARK: Attributes that act

  mutating func perform(_ action: AttributeAction, on slot: Slot, for asked: Parked) {
    guard let process = asked.request.caller.process else {
      return finish(asked, .error(.callerNotVisible))
    }
    let app = asked.request.caller.app ?? AppID("")
    switch action {
    case .download: finish(asked, .done)
    case .evict where isPackage(slot):
      finish(asked, evict(package: slot).map { .error($0.error) } ?? .done)
    case .evict:
      if let error = evictionRefusal(of: slot) { return finish(asked, .error(error)) }
      evict(slot)
      finish(asked, .done)
    case .start:
      let error = startScope(on: slot, by: process, app: app, covers: .process)
      finish(asked, error.map(Reply.error) ?? .done)
    case .stop:
      stopScope(on: slot, by: process, app: app)
      finish(asked, .done)
    }
  }
}
