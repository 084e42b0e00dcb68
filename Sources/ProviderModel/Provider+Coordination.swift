// Coordinated access: from intents to a claim, its content, and its end.

extension Provider {
  mutating func coordinate(
    _ intents: [Intent], purpose: String, _ session: Session, _ key: QuestionKey
  ) {
    var parts: [Claim.Part] = []
    var caller = Caller(thread: 0, process: session.process, app: session.app)
    caller.ancestors = questions[key]?.request.ancestors ?? []
    for intent in intents {
      let (claimed, guarded): (ClaimKey, Slot)
      switch resolve(intent.path) {
      case .found(let slot): (claimed, guarded) = (.item(slot), slot)
      case .missing(let parent, let name): (claimed, guarded) = (items.claimKey(of: name, in: parent), parent)
      case .noSuchFolder: return finish(key, .failure(.noSuchItem, intent.path))
      case .unlisted(let slot): return wait(forListing: slot, key)
      }
      if !intent.options.contains(.immediatelyAvailableMetadataOnly),
        case .failure(let error) = gate.check(caller, on: guarded, in: items)
      {
        emit(
          Event(
            .claimFailed, path: intent.path, app: session.app, process: session.process.number, error: error))
        return finish(key, .failure(error, intent.path))
      }
      if isDisturbed(key, .coordinate, on: guarded, session) { return }
      if let error = conditions.provider.coordinationError(of: profile.kind) {
        return refuse(key, error, on: guarded)
      }
      parts.append(Claim.Part(key: claimed, intent: intent))
    }
    let claim = arbiter.schedule(
      session: key.session, process: session.process, number: key.number, purpose: purpose, parts: parts,
      at: now)
    questions[key]?.wait = .claim(claim)
    grantReadyClaims()
  }

  /// Claims that wait for no other get their content, and then their grant.
  mutating func grantReadyClaims() {
    for id in arbiter.takeReady() { grantIfMaterialized(id) }
  }

  /// Folders that must be listed, and files that must be here.
  private func missingContent(of id: ClaimID) -> (unlisted: [Slot], files: [Slot]) {
    var missing: (unlisted: [Slot], files: [Slot]) = ([], [])
    func takes(_ slot: Slot) -> Bool { isHere(slot) && arbiter[id]?.takesStale.contains(slot) == true }
    for part in arbiter[id]?.parts ?? [] {
      guard part.intent.kind == .read,
        !part.intent.options.contains(.immediatelyAvailableMetadataOnly), case .item(let slot) = part.key
      else { continue }
      if isPackage(slot) {
        let gaps = gaps(inPackage: slot)
        missing.unlisted += gaps.unlisted
        missing.files += gaps.files.filter { !takes($0) }
      } else if items[slot].kind == .file, !isCurrent(slot), !items[slot].isRemoved,
        !takes(slot)
      {
        missing.files.append(slot)
      }
    }
    return missing
  }

  mutating func grantIfMaterialized(_ id: ClaimID) {
    guard let claim = arbiter[id], claim.phase == .materializing else { return }
    let missing = missingContent(of: id)
    // Every time anew: what was there may have been evicted while the claim waited for the rest.
    for folder in missing.unlisted where listingWaiters[folder]?.contains(.claim(id)) != true {
      if let error = fetchError, isDataless(folder: folder) {
        return failClaim(id, error, items.path(of: folder))
      }
      listingWaiters[folder, default: []].append(.claim(id))
      list(folder)
    }
    for slot in missing.files where contentWaiters[slot]?.contains(.claim(id)) != true {
      contentWaiters[slot, default: []].append(.claim(id))
      materialize(slot, isUrgent: true)
    }
    guard missing.unlisted.isEmpty, missing.files.isEmpty else { return }
    arbiter.markGranted(id)
    let paths = claim.parts.map { part in
      if case .item(let slot) = part.key { return items.path(of: slot) }
      return part.intent.path
    }
    emitClaim(.claimGranted, claim, error: nil)
    finish(QuestionKey(session: claim.session, number: claim.number), .claim(id, paths))
  }

  mutating func finishClaim(_ id: ClaimID, _ key: QuestionKey) {
    guard let claim = arbiter[id], claim.session == key.session, claim.phase == .granted else {
      return finish(key, .failure(.invalid("claim \(id.rawValue) is not one that this session holds"), nil))
    }
    dropClaim(id)
    emitClaim(.claimFinished, claim, error: nil)
    finish(key, .done)
    grantReadyClaims()
  }

  mutating func failClaim(_ id: ClaimID, _ error: ProviderError, _ path: ItemPath?) {
    guard let claim = dropClaim(id) else { return }
    emitClaim(.claimFailed, claim, error: error)
    finish(QuestionKey(session: claim.session, number: claim.number), .failure(error, path))
    grantReadyClaims()
  }

  @discardableResult
  mutating func dropClaim(_ id: ClaimID) -> Claim? {
    guard let claim = arbiter.remove(id) else { return nil }
    for part in claim.parts {
      guard case .item(let slot) = part.key else { continue }
      contentWaiters[slot]?.removeAll { $0 == .claim(id) }
      if items[slot].kind == .directory { withdraw(id) }
      freeIfUnused(slot)
    }
    return claim
  }

  /// It waits for nothing in a package any more.
  private mutating func withdraw(_ id: ClaimID) {
    for slot in contentWaiters.keys where contentWaiters[slot]?.contains(.claim(id)) == true {
      contentWaiters[slot]?.removeAll { $0 == .claim(id) }
      freeIfUnused(slot)
    }
    for slot in listingWaiters.keys where listingWaiters[slot]?.contains(.claim(id)) == true {
      listingWaiters[slot]?.removeAll { $0 == .claim(id) }
      freeIfUnused(slot)
    }
  }

  private mutating func emitClaim(_ name: EventName, _ claim: Claim, error: ProviderError?) {
    let app = sessions[claim.session]?.app
    for part in claim.parts {
      var event = Event(name, path: part.intent.path, app: app, process: claim.process.number, error: error)
      event.operation = part.intent.kind.rawValue
      event.claim = claim.id
      event.waited = now - claim.scheduled
      emit(event)
    }
  }
}
