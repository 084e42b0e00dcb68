// The provider: one value that is told what happens and says what to do. It waits for nothing and touches
// nothing; the arrow that every request follows is `outcome(of:)`:
//
//     kernel request → gate → behavior → items → content → reply

package struct Provider {
  let profile: Profile
  /// Whether the kernel can share maps of files whose every read comes to us (6.6).
  let mapsDirectReads: Bool
  var now = Instant.start
  var items: ItemTable
  var handles = HandleTable()
  var gate: Gate
  var rules: Rules
  var holds = Holds()
  var transfers: Transfers
  var pins: Pins
  var arbiter = Arbiter()
  var deadlines = Deadlines()

  /// Requests that nobody has answered yet.
  var parked = Table<RequestID, Parked>()
  var parkedByProcess = Table<ProcessID, [RequestID]>()
  /// Who waits for a directory's listing, and who for an item's content.
  var listingWaiters = Table<Slot, [Waiter]>()
  var contentWaiters = Table<Slot, [Waiter]>()
  /// Opens that wait for the item's pages to be dropped.
  var pageWaiters = Table<Slot, [RequestID]>()
  var attempts = Attempts()
  var conditions = Conditions()
  /// Requests that wait until the provider answers again, in the order of their coming.
  var providerWaiters: [RequestID] = []
  /// Contents whose end was said before what follows them is known.
  var announcedChanges = Table<Slot, SourceStamp>()

  /// Files whose size changes as time goes by, by a rule.
  var sizeCourses = Table<Slot, SizeCourse>()
  /// Changes of other devices on their way into the mount.
  var remote = RemoteSteps()
  var blobsUnderWay = Table<BlobID, BlobUnderWay>()
  /// What items were to be called whose name the provider made.
  var bouncedNames = Table<Slot, Name>()
  /// Versions of other devices that nobody has chosen from yet.
  var conflicts = Table<Slot, [Content]>()
  /// Contents for whatever replaces an item next.
  var prepared = Table<Slot, Content>()
  /// What timed events do to items in folders that are not listed yet.
  var changesToCome: [(RuleChange, ItemPath)] = []
  /// Items that are to come back as others, by the place that they had.
  var recreations = Table<Slot, Recreation>()

  /// What the picker copies out.
  var copies = Copies()

  var sessions = Table<SessionID, Session>()
  var questions = Table<QuestionKey, Question>()

  var isStopping = false
  var eventSequence: UInt64 = 0
  /// Events of requests that the shell is answering from the source.
  var unconfirmed = Table<RequestID, Event>()
  var journalHasEnded = false
  /// Whose looking up leaves no event.
  let ignoredNames: NameSet
  var effects: [Effect] = []

  /// - Parameters:
  ///   - root: the attributes of the source folder itself.
  ///   - mapsDirectReads: false for a kernel that refuses shared maps of direct-I/O files.
  package init(profile: Profile, root: SourceItem, mapsDirectReads: Bool = true) {
    self.profile = profile
    self.mapsDirectReads = mapsDirectReads
    items = ItemTable(root: root, naming: profile.naming, stubs: StubNames(profile.items))
    gate = Gate(profile.access)
    ignoredNames = NameSet(profile.journal.ignore)
    transfers = Transfers(
      bandwidth: Bandwidth(shared: profile.download.bandwidth, slowStart: profile.download.slowStart),
      concurrency: profile.download.concurrency)
    pins = Pins(profile.items.pinned)
    rules = Rules(profile.rules)
    for (index, event) in profile.events.enumerated() {
      deadlines.schedule(.timedEvent(index), at: .start + event.at)
    }
  }

  /// Takes one input at a moment that is not before the last one, and says what to do.
  package mutating func handle(_ input: Input, at moment: Instant) -> [Effect] {
    advance(to: moment)
    switch input {
    case .begin(let version): begin(version)
    case .request(let request):
      let copy = (try? subject(of: request.operation).get().slot).map { items[$0].copy }
      decide(Parked(request: request, since: now, copy: copy))
    case .notice(let notice): take(notice)
    case .control(let request): answer(Question(request: request, since: now))
    case .sessionOpened(let id, let process, let app):
      sessions[id] = Session(process: process, app: app)
    case .sessionNamed(let id, let app): sessions[id]?.app = app
    case .sessionClosed(let id): closeSession(id)
    case .processEnded(let process): endProcess(process)
    case .limitReached(let session, let number): giveUp(QuestionKey(session: session, number: number))
    case .completed(let completion): take(completion)
    case .stop: stop()
    case .end: end()
    case .tick: break
    }
    // What the input made due at this very moment.
    advance(to: now)
    answerConditions()
    if remote.needsAdvance { advanceRemoteChanges() }
    for blob in items.blobs.takeUnused() { effects.append(.dropBlob(blob)) }
    defer { effects.removeAll() }
    return effects
  }

  /// When time alone changes something next.
  package var nextDeadline: Instant? {
    mutating get {
      dropStaleDeadlines()
      return [deadlines.first?.at, transfers.nextChange].compactMap { $0 }.min()
    }
  }

  /// The number of the latest event; 0 before the first.
  package var lastEvent: UInt64 { eventSequence }

  // MARK: The arrow

  /// What happens to a request now. `decide` carries it out.
  func outcome(of asked: Parked) -> Outcome {
    let subject: Subject
    switch self.subject(of: asked.request.operation) {
    case .failure(let error): return .fail(error)
    case .success(let found): subject = found
    }
    if asked.request.isOurs { return outcomeForOurs(of: asked, on: subject) }
    let app: AppID?
    switch passGate(asked.request, on: subject) {
    case .failure(let error): return .fail(error)
    case .success(let allowed): app = allowed
    }
    if isKeyGone(asked.request.operation) { return .fail(.deviceLocked) }
    if let judgement = judgement(of: asked, on: subject) { return .judged(judgement) }
    if let word = condition(of: asked, on: subject) { return word }
    if let disturbance = behavior(of: asked, on: subject) { return disturbance }
    if let missing = missingItem(for: asked, on: subject, app: app) { return missing }
    return content(for: asked, on: subject, app: app)
  }

  mutating func decide(_ asked: Parked) {
    if isStopping { return finish(asked, .error(.stopping)) }
    var asked = asked
    guard takeSteps(&asked) else { return }
    if !asked.request.isOurs { learnPaths(asked) }
    switch outcome(of: asked) {
    case .judged(let judgement): carryOut(judgement, for: asked)
    case .fail(let error): finish(asked, .error(error))
    case .answer(let reply): finish(asked, reply)
    case .delay(let span): delay(asked, by: span)
    case .hold(let hold):
      park(asked, .hold(hold))
      holds.park(.request(asked.request.id), at: hold)
      emitHeld(hold, by: asked)
    case .awaitProvider: awaitProvider(asked)
    case .list(let directory): awaitListing(of: directory, for: asked)
    case .download(let slot): awaitContent(of: slot, for: asked)
    case .open(let slot, _) where mustDropPages(before: asked, of: slot):
      park(asked, .pages(slot))
      pageWaiters[slot, default: []].append(asked.request.id)
      dropPages(of: slot)
    case .open(let slot, let app):
      if let blob = blobUnderWay(of: slot) { return park(asked, .blob(blob)) }
      open(slot, for: asked, app: app)
    case .reopen(let handle):
      if let blob = handles[handle].flatMap({ blobUnderWay(of: $0.slot) }) { return park(asked, .blob(blob)) }
      reopen(handle, for: asked)
    case .openDirectory(let slot): openDirectory(slot, for: asked)
    case .show(let change, let step): show(step, of: change, for: asked)
    case .perform(let action, let slot): perform(action, on: slot, for: asked)
    }
  }
}

/// A kernel request on its way.
struct Parked {
  /// What it waits for.
  enum Wait: Equatable {
    case nothing
    case delay
    /// A rule's delay, which is not the operation's own.
    case pause
    case hold(HoldID)
    case listing(Slot)
    case content(Slot)
    /// For the provider, which does not answer.
    case provider
    case opening(HandleID)
    /// For another content to be opened in place of the handle's.
    case reopening(HandleID)
    /// For the pages of earlier opens to go.
    case pages(Slot)
    /// For the shell to have the bytes of a new version.
    case blob(BlobID)
  }
  var request: KernelRequest
  var since: Instant
  /// Of its item when it came.
  var copy: CopyState?
  var wait = Wait.nothing
  /// It has had its delay.
  var isDelayed = false
  /// When it no longer waits for what the provider does not bring.
  var givesUpAt: Instant?
  var sawPagesDropped = false
  /// It asked for the newest content and was given what is here.
  var takesStale = false
  /// The rules have said what they have to say.
  var isJudged = false
  var strike: Strike?

  /// Its file is being opened by the shell: it ends by itself, soon.
  var isBeingOpened: Bool {
    switch wait {
    case .opening, .reopening: true
    case .nothing, .delay, .pause, .hold, .listing, .content, .pages, .provider, .blob: false
    }
  }
}

enum Waiter: Equatable {
  case request(RequestID)
  case question(QuestionKey)
  case claim(ClaimID)
}

/// What `outcome(of:)` finds.
enum Outcome: Equatable {
  case judged(Judgement)
  case fail(ProviderError)
  case answer(Reply)
  case delay(Span)
  case hold(HoldID)
  case awaitProvider
  case list(Slot)
  case download(Slot)
  case open(Slot, app: AppID?)
  case reopen(HandleID)
  case openDirectory(Slot)
  /// The mount's own child shows a remote change to whoever watches.
  case show(RemoteID, RemoteEffect)
  case perform(AttributeAction, Slot)
}

/// What a request is about.
enum Subject: Equatable {
  case item(Slot)
  case handle(HandleID, Slot)
  case nothing

  var slot: Slot? {
    switch self {
    case .item(let slot), .handle(_, let slot): slot
    case .nothing: nil
    }
  }
}
