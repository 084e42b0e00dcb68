// Clients' requests. One that must wait is asked again, whole, when what it waits for is there.

struct Session {
  var process: ProcessID
  var app: AppID
}

struct QuestionKey: Hashable, Comparable {
  var session: SessionID
  var number: Int
  static func < (a: QuestionKey, b: QuestionKey) -> Bool {
    (a.session, a.number) < (b.session, b.number)
  }
}

struct Question {
  enum Wait: Equatable {
    case nothing
    case listing(Slot)
    case content([Slot])
    case eviction
    case condition(Condition)
    case claim(ClaimID)
    /// For a moment of provider time.
    case delay
    /// At a hold, until it is released.
    case hold(HoldID)
    /// For the shell to have its content.
    case blob(BlobID)
    /// For its change to be in force.
    case remote(RemoteID)
    /// For the shell to make copies.
    case copies([CopyID])
    /// For pages to go before it is answered.
    case pages([Slot], Answer)
  }
  /// The content that came with it.
  struct Made {
    var content: GivenContent
    /// Which version it was added to.
    var base: UInt64?
  }
  var request: ControlRequest
  var since: Instant
  var wait = Wait.nothing
  /// Items on which the rules have had their say.
  var judged: [Slot] = []
  var strike: Strike?
  /// Items of which it takes what is here, although the server has something newer.
  var takesStale: [Slot] = []
  /// Copies that were made for it.
  var copies: [PickedCopy] = []
  var made: Made?
  var key: QuestionKey { QuestionKey(session: request.session, number: request.number) }
}

extension Provider {
  mutating func answer(_ question: Question) {
    let key = question.key
    guard !isStopping, let session = sessions[key.session] else {
      return effects.append(.answer(key.session, number: key.number, .failure(.stopping, nil)))
    }
    guard questions[key] == nil else {
      let problem = ProviderError.invalid("request \(key.number) is still waiting; give each its own id")
      return effects.append(.answer(key.session, number: key.number, .failure(problem, nil)))
    }
    questions[key] = question
    run(question, session)
  }

  mutating func ask(again key: QuestionKey) {
    guard var question = questions[key], let session = sessions[key.session] else { return }
    // It still stands with the other items that it waits for, and would stand there twice.
    forget(question)
    question.wait = .nothing
    questions[key] = question
    run(question, session)
  }

  /// The one place where a client's request gets its answer.
  mutating func finish(_ key: QuestionKey, _ answer: Answer) {
    guard let question = questions.remove(key) else { return }
    forget(question)
    items.blobs.release(question.made?.content.reference.blob)
    var answer = answer
    if case .failure(let error, let path) = answer { answer = .failure(translated(error), path) }
    effects.append(.answer(key.session, number: key.number, answer))
  }

  private mutating func forget(_ question: Question) {
    switch question.wait {
    case .nothing, .eviction, .condition, .claim, .delay, .pages, .blob, .remote, .copies: break
    case .hold: holds.unpark(.question(question.key))
    case .listing(let slot): listingWaiters[slot]?.removeAll { $0 == .question(question.key) }
    case .content(let slots):
      for slot in slots { contentWaiters[slot]?.removeAll { $0 == .question(question.key) } }
    }
  }

  private mutating func run(_ question: Question, _ session: Session) {
    let key = question.key
    switch question.request.command {
    case .status(let paths): withSlots(paths, key) { $0.status($1, key) }
    case .pick(let paths, let app): withSlots(paths, key) { $0.pick($1, app: app, key) }
    case .pickCopies(let paths, let folder): withSlots(paths, key) { $0.copyOut($1, into: folder, key) }
    case .start(let path, let covers):
      withSlots([path], key) { provider, slots in
        if provider.isDisturbed(key, .start, on: slots[0], session) { return }
        let error = provider.startScope(
          on: slots[0], by: session.process, app: session.app, covers: covers)
        provider.finish(key, .started(error == nil))
      }
    case .stop(let path):
      withSlots([path], key) { provider, slots in
        if provider.isDisturbed(key, .stop, on: slots[0], session) { return }
        provider.stopScope(on: slots[0], by: session.process, app: session.app)
        provider.finish(key, .done)
      }
    case .download(let paths): withSlots(paths, key) { $0.download($1, key) }
    case .evict(let paths): withSlots(paths, key) { $0.evict($1, key) }
    case .pin(let paths): withSlots(paths, key) { $0.pin($1, key) }
    case .unpin(let paths): withSlots(paths, key) { $0.unpin($1, key) }
    case .revoke(let paths, let app, let byUser, let reads):
      withSlots(paths, key) {
        $0.revoke($1, app: app, byUser: byUser, reads: reads, by: session.process, key)
      }
    case .restore(let paths, let app): withSlots(paths, key) { $0.restore($1, app: app, key) }
    case .hold(let operation, let path, let at, let name):
      withSlots([path], key) { $0.hold(operation, on: $1[0], at: at, name: name, key) }
    case .holds: finish(key, .holds(holdStatuses))
    case .release(let name, let error): release(name, error: error, key)
    case .wait(let condition): wait(for: condition, key)
    case .coordinate(let intents, let purpose): coordinate(intents, purpose: purpose, session, key)
    case .finish(let claim): finishClaim(claim, key)
    case .setCondition(let condition, let duration): setCondition(condition, for: duration, key)
    case .setDeviceLock(let isLocked): setDeviceLock(isLocked, key)
    case .signal(let app, let action): signal(app, action, by: session.process, key)
    case .cancel(let number): cancel(number, key)
    case .addRule(let rule): add(rule, key)
    case .removeRule(let name): removeRule(name, key)
    case .clearRules: clearRules(key)
    case .rules: finish(key, .rules(ruleStatuses))
    case .top(let folder, let limit):
      withSlots([folder], key) { $0.overview(of: $1[0], limit: limit, key) }
    case .explain(let path, let operation, let app, let at):
      withSlots([path], key) { provider, slots in
        if provider.items[slots[0]].kind == .directory, provider.items[slots[0]].listing != .listed {
          return provider.wait(forListing: slots[0], key)
        }
        if provider.isPackage(slots[0]), let inner = provider.gaps(inPackage: slots[0]).unlisted.first {
          return provider.wait(forListing: inner, key)
        }
        let explanation = provider.explanation(
          of: operation, on: slots[0], app: app ?? session.app, at: at)
        provider.finish(key, .explanation(explanation))
      }
    case .relieve(let bytes): relieve(bytes, key)
    case .remote(let change, let moment): self.change(change, at: moment, key)
    }
  }

  // MARK: From paths to items

  enum Resolution: Equatable {
    case found(Slot)
    /// Nothing has this name yet; its folder is there.
    case missing(parent: Slot, Name)
    case noSuchFolder
    case unlisted(Slot)
  }

  func resolve(_ path: ItemPath) -> Resolution {
    var slot = Slot.root
    for (index, name) in path.names.enumerated() {
      guard items[slot].kind == .directory else { return .noSuchFolder }
      if let child = items.child(meant: name, of: slot) {
        slot = child
      } else if items[slot].listing != .listed {
        return .unlisted(slot)
      } else {
        return index == path.names.count - 1 ? .missing(parent: slot, name) : .noSuchFolder
      }
    }
    return .found(slot)
  }

  /// Goes on with the paths' items; waits for listings, and answers with a failure for one that is not there.
  mutating func withSlots(
    _ paths: [ItemPath], _ key: QuestionKey, _ body: (inout Provider, [Slot]) -> Void
  ) {
    var slots: [Slot] = []
    for path in paths {
      switch resolve(path) {
      case .found(let slot): slots.append(slot)
      case .missing, .noSuchFolder: return finish(key, .failure(.noSuchItem, path))
      case .unlisted(let slot): return wait(forListing: slot, key)
      }
    }
    body(&self, slots)
  }

  mutating func wait(forListing slot: Slot, _ key: QuestionKey) {
    questions[key]?.wait = .listing(slot)
    listingWaiters[slot, default: []].append(.question(key))
    list(slot)
  }

  // MARK: Ends

  mutating func closeSession(_ id: SessionID) {
    guard sessions.remove(id) != nil else { return }
    for key in questions.keys where key.session == id {
      guard let question = questions.remove(key) else { continue }
      forget(question)
      items.blobs.release(question.made?.content.reference.blob)
    }
    for claim in arbiter.claims where claim.session == id { dropClaim(claim.id) }
    grantReadyClaims()
  }

  private mutating func cancel(_ number: Int, _ key: QuestionKey) {
    let other = QuestionKey(session: key.session, number: number)
    if other != key, let question = questions[other] {
      if case .claim(let claim) = question.wait {
        failClaim(claim, .canceled, nil)
      } else {
        if case .remote(let change) = question.wait { withdraw(change) }
        finish(other, .failure(.canceled, nil))
      }
    }
    finish(key, .done)
  }

  /// A limit of real time was reached.
  mutating func giveUp(_ key: QuestionKey) {
    guard let question = questions[key] else { return }
    if case .remote(let change) = question.wait { return remoteChangeTakesLong(change) }
    guard question.wait == .eviction, case .evict(let paths) = question.request.command else { return }
    withSlots(paths, key) { $0.evict($1, key, isLate: true) }
  }
}
