import Testing

@testable import ProviderModel

/// Someone who uses the provider: a process of an app, with a connection to the control socket.
struct Actor {
  var session: SessionID
  var process: ProcessID
  var app: AppID
  var caller: Caller { Caller(thread: process.number, process: process, app: app) }

  init(_ number: Int32, _ app: String) {
    session = SessionID(UInt64(number))
    process = ProcessID(number: number, serial: UInt64(number))
    self.app = AppID(app)
  }
}

/// Stands for the shells around the model: does what effects say from a source in memory, and keeps count.
///
/// What no provider may do is an issue, whatever the test is about: a reply or answer that nobody waits for, a
/// second one, a gap in the numbers of events, a file closed that is not open, a deadline that has passed.
final class ModelHarness {
  var provider: Provider
  var source: SourceTree
  /// Said with every issue: a seed, mostly.
  var label = ""
  private(set) var now = Instant.start

  private(set) var replies: [RequestID: Reply] = [:]
  var unanswered: Set<RequestID> = []
  private var requests: UInt64 = 0
  /// In the order of their replies.
  private(set) var replied: [RequestID] = []
  private var answeredAt: [RequestID: Instant] = [:]
  private var failing: [ItemPath: ProviderError] = [:]

  private(set) var answers: [SessionID: [Int: [Answer]]] = [:]
  /// How often each number of a session waits.
  private(set) var asked: [SessionID: [Int: Int]] = [:]
  private var numbers = 0

  private(set) var events: [Event] = []
  private(set) var sourceFiles: Set<HandleID> = []
  private(set) var killed: [ProcessID] = []
  private(set) var suspended: [ProcessID] = []
  private(set) var invalidated: [NodeID] = []
  private(set) var limits: [(session: SessionID, number: Int)] = []
  /// What the kernel has not forgotten yet.
  var lookups: [NodeID: UInt64] = [:]
  private(set) var seenNodes: Set<NodeID> = []

  /// Whether listings and opens of the source come back at once; else they wait in the two lists.
  var isPrompt = true
  /// What the source answers to reads, links and attributes; nil when all goes well.
  var sourceError: ErrnoName?
  var listings: [(slot: Slot, path: ItemPath)] = []
  var openings: [(handle: HandleID, content: ContentReference)] = []
  /// What the mount's child was told to do, and whether it does it at once.
  var mirrors: [(id: RemoteID, action: MountAction)] = []
  var hasPromptChild = true
  /// With which error the child fails; nil: it does what it is told.
  var childError: ErrnoName?
  private(set) var blobs: [BlobID: NewContent] = [:]
  private(set) var blobBases: [BlobID: Content] = [:]
  /// Whether the shell keeps new bytes at once.
  var keepsPromptly = true
  var blobsToMake: [BlobID] = []
  /// What the picker was to copy, with which error that fails, and what of it was taken away.
  private(set) var copies: [(id: CopyID, content: Content)] = []
  var copyError: ProviderError?
  private(set) var removedCopies: [[UInt8]] = []
  /// The reference that a handle's file was opened by last.
  private(set) var contents: [HandleID: ContentReference] = [:]

  let client = Actor(1, "client")
  /// The app that most tests are about.
  let app = Actor(2, "app")

  /// - Parameter files: paths and sizes.
  convenience init(_ files: [ItemPath: Int64], _ change: (inout Profile) -> Void = { _ in }) {
    var source = SourceTree()
    for (path, size) in files.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      source.add(path, size: size)
    }
    self.init(source, change)
  }

  init(_ source: SourceTree, _ change: (inout Profile) -> Void = { _ in }) {
    var profile = Profile(name: "test")
    change(&profile)
    self.source = source
    provider = Provider(profile: profile, root: source.root)
    for actor in [client, app] { join(actor) }
  }

  // MARK: Telling

  func tell(_ input: Input) {
    take(provider.handle(input, at: now))
    if !failing.isEmpty { failAttempts() }
  }

  /// What nothing outside can ask for.
  private func perform(_ change: (inout Provider) -> Void) {
    change(&provider)
    take(provider.handle(.tick, at: now))
  }

  private func take(_ effects: [Effect]) {
    // As the host does: events under the lock, the rest after it, when completions may bring new ones.
    for case .event(let event) in effects { take(event) }
    for effect in effects { perform(effect) }
    if let due = provider.nextDeadline, due <= now { fail("a deadline at \(due) has passed at \(now)") }
  }

  func join(_ actor: Actor) { tell(.sessionOpened(actor.session, actor.process, actor.app)) }

  func leave(_ actor: Actor) {
    asked[actor.session] = nil
    tell(.sessionClosed(actor.session))
  }

  /// Its session ends in another way than by `leave`: nothing is answered to it any more.
  func forget(_ actor: Actor) { asked[actor.session] = nil }

  func end(_ process: ProcessID) { tell(.processEnded(process)) }

  func tick(to moment: Instant) {
    now = max(now, moment)
    tell(.tick)
  }

  func pass(_ span: Span) { tick(to: now + span) }

  var nextDeadline: Instant? { provider.nextDeadline }

  /// Lets time pass as the timer thread does: from deadline to deadline.
  func run(to moment: Instant) {
    while let due = provider.nextDeadline, due <= moment { tick(to: due) }
    tick(to: moment)
  }

  // MARK: The kernel's side

  @discardableResult
  func request(
    _ operation: ProviderModel.Operation, by caller: Caller, fillsCache: Bool = false, isOurs: Bool = false
  ) -> RequestID {
    requests += 1
    let id = RequestID(requests)
    unanswered.insert(id)
    tell(
      .request(
        KernelRequest(id: id, operation: operation, caller: caller, fillsCache: fillsCache, isOurs: isOurs)))
    return id
  }

  @discardableResult
  func request(_ operation: ProviderModel.Operation, by actor: Actor? = nil) -> RequestID {
    request(operation, by: (actor ?? app).caller)
  }

  func reply(_ operation: ProviderModel.Operation, by actor: Actor? = nil) -> Reply? {
    let id = request(operation, by: actor)
    return replies[id]
  }

  /// Looks the names up one after another, as the kernel does.
  func node(_ path: ItemPath) throws -> NodeID {
    var node = NodeID.root
    for name in path.names {
      let reply = reply(.lookup(parent: node, name: name))
      guard case .entry(let found, _) = reply else {
        throw Missing(path: path, reply: reply)
      }
      node = found
    }
    return node
  }

  struct Missing: Error {
    var path: ItemPath
    var reply: Reply?
  }

  func attributes(_ path: ItemPath) throws -> Attributes {
    let reply = reply(.getAttributes(try node(path)))
    guard case .attributes(let attributes) = reply else { throw Missing(path: path, reply: reply) }
    return attributes
  }

  func open(_ path: ItemPath, by actor: Actor? = nil, writes: Bool = false) throws -> RequestID {
    request(.open(try node(path), writes: writes), by: actor)
  }

  func openReply(_ path: ItemPath, by actor: Actor? = nil, writes: Bool = false) throws -> Reply? {
    let id = try open(path, by: actor, writes: writes)
    return replies[id]
  }

  func handle(_ path: ItemPath, by actor: Actor? = nil) throws -> HandleID {
    try #require(handle(of: open(path, by: actor)))
  }

  func handle(of request: RequestID) -> HandleID? {
    if case .opened(let handle, _) = replies[request] { return handle }
    return nil
  }

  @discardableResult
  func read(
    _ handle: HandleID, _ range: Range<Int64> = 0..<4096, by actor: Actor? = nil, fillsCache: Bool = false
  ) -> RequestID {
    request(
      .read(handle, offset: range.lowerBound, length: Int64(range.count)), by: (actor ?? app).caller,
      fillsCache: fillsCache)
  }

  func readReply(_ handle: HandleID, _ range: Range<Int64> = 0..<4096, by actor: Actor? = nil) -> Reply? {
    let id = read(handle, range, by: actor)
    return replies[id]
  }

  func release(_ handle: HandleID) { tell(.notice(.release(handle))) }

  func interrupt(_ request: RequestID) { tell(.notice(.interrupted(request))) }

  func write(_ value: String, to path: ItemPath, by actor: Actor? = nil) throws -> RequestID {
    request(
      .setAttribute(try node(path), name: Array("user.fakeprovider.do".utf8), value: Array(value.utf8)),
      by: actor)
  }

  func writeReply(_ value: String, to path: ItemPath, by actor: Actor? = nil) throws -> Reply? {
    let id = try write(value, to: path, by: actor)
    return replies[id]
  }

  func attribute(_ name: String, of path: ItemPath) throws -> String? {
    let name = Array("user.fakeprovider.\(name)".utf8)
    guard case .bytes(let bytes) = reply(.getAttribute(try node(path), name: name, capacity: 100)) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: The control socket's side

  /// - Returns: the request's number.
  @discardableResult
  func begin(_ command: Command, by actor: Actor? = nil, number: Int? = nil) -> Int {
    numbers += 1
    let session = (actor ?? client).session
    let number = number ?? numbers
    asked[session, default: [:]][number, default: 0] += 1
    tell(.control(ControlRequest(session: session, number: number, command: command)))
    return number
  }

  /// The answer if it is here.
  @discardableResult
  func ask(_ command: Command, by actor: Actor? = nil) -> Answer? {
    let number = begin(command, by: actor)
    return answer(number, of: actor)
  }

  func answer(_ number: Int, of actor: Actor? = nil) -> Answer? {
    answers[(actor ?? client).session]?[number]?.last
  }

  func status(_ path: ItemPath) throws -> ItemStatus {
    guard case .items(let items) = ask(.status([path])), let item = items.first else {
      throw Missing(path: path, reply: nil)
    }
    return item
  }

  /// Everything may be picked and is started by the app.
  func openGate() {
    ask(.pick([ItemPath()], app: nil))
    ask(.start(ItemPath(), covers: .process), by: app)
  }

  func events(_ name: EventName) -> [Event] { events.filter { $0.name == name } }

  func arrived(_ path: ItemPath) throws -> Int64? { try status(path).arrived }

  // MARK: The server's side

  /// The attempt that brings the item fails now.
  func fail(_ path: ItemPath, _ error: ProviderError) {
    guard let slot = slot(path) else { return }
    perform { $0.transferFailed(slot, error) }
  }

  /// Every attempt to bring the item fails from now on, as soon as its first byte is due; nil ends that.
  func keepFailing(_ path: ItemPath, _ error: ProviderError?) { failing[path] = error }

  private func failAttempts() {
    for (path, error) in failing.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      guard let slot = slot(path), provider.transfers[slot]?.isUnderWay == true else { continue }
      perform { $0.transferFailed(slot, error) }
    }
  }

  /// When the request was answered.
  func answered(_ request: RequestID) -> Instant? { answeredAt[request] }

  // MARK: The shells' work

  private func perform(_ effect: Effect) {
    switch effect {
    case .reply(let id, let reply):
      // As the shell: the source is asked first.
      if reply.needsSource { tell(.completed(.answered(id, sourceError))) }
      take(reply, for: id)
    case .answer(let session, let number, let answer): take(answer, number, session)
    case .event: break
    case .list(let slot, let path):
      listings.append((slot, path))
      if isPrompt { answerListings() }
    case .open(let handle, let content):
      sourceFiles.insert(handle)
      contents[handle] = content
      if let blob = content.blob, blobs[blob] == nil { fail("\(blob) is opened but not kept") }
      openings.append((handle, content))
      if isPrompt { answerOpenings() }
    case .close(let handle):
      if sourceFiles.remove(handle) == nil { fail("\(handle) is closed but not open") }
    case .makeBlob(let blob, let content, let base):
      blobs[blob] = content
      blobBases[blob] = base
      blobsToMake.append(blob)
      if keepsPromptly { makeBlobs() }
    case .dropBlob(let blob):
      if blobs.removeValue(forKey: blob) == nil { fail("\(blob) is dropped but not kept") }
    case .copyOut(let copy, let content, let name, let folder):
      copies.append((copy, content))
      let made = MadeCopy(
        file: folder + [0x2F] + name.bytes, device: 1, inode: copy.rawValue, modified: FileTime())
      tell(.completed(.copied(copy, copyError.map { .failure($0) } ?? .success(made))))
    case .removeCopy(let copy): removedCopies.append(copy.file)
    case .mirror(let id, let action):
      mirrors.append((id, action))
      if hasPromptChild { runChild() }
    case .invalidate(let node): invalidated.append(node)
    case .dropPages(let slot, let node):
      invalidated.append(node)
      tell(.completed(.pagesDropped(slot)))
    case .kill(let process): killed.append(process)
    case .suspend(let process): suspended.append(process)
    case .resume(let process): suspended.removeAll { $0 == process }
    case .limit(let session, let number, _): limits.append((session, number))
    }
  }

  private func take(_ event: Event) {
    if event.sequence != (events.last?.sequence ?? 0) + 1 {
      fail("event \(event.sequence) after \(events.count)")
    }
    if let last = events.last, event.at < last.at { fail("event \(event.sequence) is before the last") }
    events.append(event)
  }

  private func take(_ reply: Reply, for id: RequestID) {
    guard unanswered.remove(id) != nil else { return fail("reply \(reply) for \(id), which waits for none") }
    replies[id] = reply
    replied.append(id)
    answeredAt[id] = now
    switch reply {
    case .entry(let node, _): see(node)
    case .directory(let rows, true): for row in rows { if let node = row.node { see(node) } }
    default: break
    }
  }

  private func see(_ node: NodeID) {
    lookups[node, default: 0] += 1
    seenNodes.insert(node)
  }

  private func take(_ answer: Answer, _ number: Int, _ session: SessionID) {
    let waiting = asked[session]?[number] ?? 0
    guard waiting > 0 else {
      return fail("answer \(answer) for \(number) of \(session), which waits for none")
    }
    asked[session]?[number] = waiting == 1 ? nil : waiting - 1
    answers[session, default: [:]][number, default: []].append(answer)
  }

  func fail(_ text: String) { Issue.record("\(label) \(text)") }

  /// Nobody may wait any longer.
  func expectNobodyWaits() {
    if !unanswered.isEmpty { fail("without a reply: \(unanswered)") }
    let waiting = asked.filter { !$0.value.isEmpty }
    if !waiting.isEmpty { fail("without an answer: \(waiting)") }
  }
}
