import CLinux
import Glibc
import ProviderModel
import Synchronization

/// A connection to one provider, for any number of threads at once.
///
/// One thread of its own (started with the first request) receives and hands each reply to whoever waits for
/// it. Waiting blocks the calling thread; never call it from Swift's cooperative pool. When the connection is
/// lost every waiter gets the reason, and so does every later call: make a new client then.
///
/// The lock of `Core.state` is a leaf: nothing is sent, received or waited for while it is held.
package final class Client: Sendable {
  private let core: Core

  /// - Throws: what ``LineSocket/connect(path:timeout:)`` throws.
  package convenience init(
    connectingTo socket: [UInt8], timeout: Duration = .seconds(10)
  ) throws(ConnectionProblem) {
    self.init(try LineSocket.connect(path: socket, timeout: timeout))
  }

  package init(_ socket: LineSocket) { core = Core(socket) }

  // The reader keeps only the core alive; the shutdown is what ends it.
  deinit { core.end(.closed) }

  /// Whether the connection still stood when it was last heard of.
  package var isConnected: Bool { core.isConnected }

  package var peer: (process: Int32, user: UInt32)? { core.socket.peer }

  /// Ends the connection; whoever waits gets `.closed`.
  package func close() { core.end(.closed) }

  /// Sends a request without waiting. Its `id` is chosen here.
  package func begin(_ request: RequestLine) throws(ConnectionProblem) -> PendingReply {
    let waiter = Mailbox<ReplyLine>(limit: 1)
    let id = try core.send(request, replies: waiter, events: nil)
    return PendingReply(id: id, waiter: waiter, core: core)
  }

  /// Sends a request and waits for its reply, which may say that it failed.
  /// - Parameter timeout: real time; nil waits as long as the provider does. A request that timed out is
  ///   canceled, and a claim that it is given nevertheless is handed back.
  package func send(
    _ request: RequestLine, timeout: Duration? = nil
  ) throws(ConnectionProblem) -> ReplyLine {
    try begin(request).wait(timeout: timeout)
  }

  /// As ``send(_:timeout:)``, and a refusal is thrown.
  /// - Throws: ``ConnectionProblem`` or, from the provider, ``ErrorLine``.
  @discardableResult package func call(
    _ request: RequestLine, timeout: Duration? = nil
  ) throws -> ReplyLine {
    try send(request, timeout: timeout).checked()
  }

  /// Subscribes to what happens from now on, or after the event number `since`.
  /// - Throws: as ``call(_:timeout:)``.
  package func subscribe(since: UInt64? = nil, timeout: Duration? = nil) throws -> EventStream {
    var request = RequestLine(verb: "events")
    request.follow = true
    request.since = since
    let events = Mailbox<EventLine>(limit: EventStream.limit)
    let waiter = Mailbox<ReplyLine>(limit: 1)
    let id = try core.send(request, replies: waiter, events: events)
    let stream = EventStream(id: id, events: events, core: core)
    _ = try PendingReply(id: id, waiter: waiter, core: core).wait(timeout: timeout).checked()
    return stream
  }

  /// What has happened until now, after the event number `since`.
  /// - Throws: as ``call(_:timeout:)``.
  package func pastEvents(since: UInt64? = nil, timeout: Duration? = nil) throws -> [EventLine] {
    var events: [EventLine] = []
    try forEachPastEvent(since: since, timeout: timeout) { events.append($0) }
    return events
  }

  /// As ``pastEvents(since:timeout:)``, each as it arrives: a journal may be larger than this machine's memory.
  /// - Parameter timeout: real time that the provider may let pass without a further event.
  package func forEachPastEvent(
    since: UInt64? = nil, timeout: Duration? = nil, _ body: (EventLine) throws -> Void
  ) throws {
    var request = RequestLine(verb: "events")
    request.since = since
    // What the provider's journal can hold bounds it.
    let mailbox = Mailbox<EventLine>(limit: .max)
    let waiter = Mailbox<ReplyLine>(limit: 1)
    let id = try core.send(request, replies: waiter, events: mailbox, eventsEndWithReply: true)
    defer { core.giveUp(id, .canceled) }
    while true {
      switch mailbox.take(until: RealDeadline(in: timeout)) {
      case .value(let event): try body(event)
      case .timedOut: throw ConnectionProblem.timedOut
      case .ended:
        // After the last event comes the reply, which says whether they are all.
        _ = try PendingReply(id: id, waiter: waiter, core: core).wait(timeout: timeout).checked()
        return
      }
    }
  }
}

extension ReplyLine {
  /// The reply, if it says that the request was done.
  package func checked() throws -> ReplyLine {
    if ok { return self }
    guard let error else { throw ConnectionProblem.malformed("a refusal without an error") }
    throw error
  }
}

/// A request that is on its way.
package struct PendingReply: Sendable {
  package let id: Int
  fileprivate let waiter: Mailbox<ReplyLine>
  fileprivate let core: Core

  /// Blocks the calling thread until the reply is here. To be called once.
  package func wait(timeout: Duration? = nil) throws(ConnectionProblem) -> ReplyLine {
    switch waiter.take(until: RealDeadline(in: timeout)) {
    case .value(let reply): return reply
    case .ended(let problem): throw problem
    case .timedOut:
      guard core.giveUp(id, .timedOut) else {
        // The reply came between the two; it counts.
        return try wait()
      }
      throw .timedOut
    }
  }

  /// Makes `wait` throw `.canceled` at once unless the reply is already here, and tells the provider.
  /// Returns at once. Any thread.
  package func cancel() { core.giveUp(id, .canceled) }
}

/// Events, as they come. At most 65,536 wait to be taken; beyond that one event named `dropped` says how many
/// are missing.
package final class EventStream: Sendable {
  static let limit = 65_536
  private let id: Int
  private let events: Mailbox<EventLine>
  private let core: Core

  fileprivate init(id: Int, events: Mailbox<EventLine>, core: Core) {
    self.id = id
    self.events = events
    self.core = core
  }

  deinit { stop() }

  /// Blocks the calling thread until the next event.
  /// - Returns: nil once the subscription was stopped.
  /// - Throws: `.timedOut`, or why the connection was lost.
  package func next(timeout: Duration? = nil) throws(ConnectionProblem) -> EventLine? {
    let dropped = events.takeOverflow()
    if dropped > 0 {
      // Its place in the order is not known: what was queued before it is still to come.
      return EventLine(sequence: 0, atNanoseconds: 0, name: "dropped", dropped: dropped)
    }
    switch events.take(until: RealDeadline(in: timeout)) {
    case .value(let event): return event
    case .ended(.canceled): return nil
    case .ended(let problem): throw problem
    case .timedOut: throw .timedOut
    }
  }

  /// Any thread; who waits in `next` gets nil.
  package func stop() { core.giveUp(id, .canceled) }
}

/// What the client and its reading thread share.
private final class Core: Sendable {
  let socket: LineSocket
  private let state = Mutex(State())

  private struct State {
    var nextID = 1
    var waiters: [Int: Mailbox<ReplyLine>] = [:]
    var streams: [Int: Mailbox<EventLine>] = [:]
    /// Streams that are over when their request is answered.
    var pastStreams: Set<Int> = []
    var ended: ConnectionProblem?
    var reading = false
  }

  init(_ socket: LineSocket) { self.socket = socket }

  var isConnected: Bool { state.withLock { $0.ended == nil } }

  func send(
    _ request: RequestLine, replies: Mailbox<ReplyLine>?, events: Mailbox<EventLine>?,
    eventsEndWithReply: Bool = false
  ) throws(ConnectionProblem) -> Int {
    let begun: Result<(id: Int, startReader: Bool), ConnectionProblem> = state.withLock { state in
      if let ended = state.ended { return .failure(ended) }
      let id = state.nextID
      state.nextID += 1
      state.waiters[id] = replies
      state.streams[id] = events
      if eventsEndWithReply { state.pastStreams.insert(id) }
      defer { state.reading = true }
      return .success((id, !state.reading))
    }
    let (id, startReader) = try begun.get()
    if startReader { try startReading() }
    var request = request
    request.id = id
    do {
      // A provider reads its socket always; one that has not for so long is stopped or stuck.
      try socket.send(request, timeout: .seconds(30))
    } catch {
      forget(id)
      if error == .closed { end(.closed) }
      throw error
    }
    return id
  }

  /// Ends the wait for `id`, with this reason, and tells the provider.
  /// - Returns: false when there is nothing to wait for: the reply is here, or the connection is lost.
  @discardableResult func giveUp(_ id: Int, _ problem: ConnectionProblem) -> Bool {
    let (waiter, stream) = take(id)
    let waited = waiter?.finish(problem) ?? false
    let streamed = stream?.finish(.canceled) ?? false
    guard waited || streamed else { return false }
    var request = RequestLine(verb: "cancel")
    request.request = id
    // Whether it arrives matters to nobody here.
    _ = try? send(request, replies: nil, events: nil)
    return true
  }

  func forget(_ id: Int) { _ = take(id) }

  private func take(_ id: Int) -> (Mailbox<ReplyLine>?, Mailbox<EventLine>?) {
    state.withLock { state in
      state.pastStreams.remove(id)
      return (state.waiters.removeValue(forKey: id), state.streams.removeValue(forKey: id))
    }
  }

  func end(_ problem: ConnectionProblem) {
    let (waiters, streams) = state.withLock { state in
      defer { (state.waiters, state.streams) = ([:], [:]) }
      if state.ended == nil { state.ended = problem }
      return (Array(state.waiters.values), Array(state.streams.values))
    }
    for waiter in waiters { waiter.finish(problem) }
    for stream in streams { stream.finish(problem) }
    socket.shutDown()
  }

  // MARK: The reading thread

  private func startReading() throws(ConnectionProblem) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    // The signals of the app are none of this thread's business: it inherits a mask that blocks them all.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let result = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        clinux_set_thread_name("provider-client")
        Unmanaged<Core>.fromOpaque(context).takeRetainedValue().read()
        return nil
      }, context.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard result == 0 else {
      context.release()
      let problem = ConnectionProblem.system(ErrnoName(number: result), call: "pthread_create")
      end(problem)
      throw problem
    }
    pthread_detach(thread)
  }

  private func read() {
    do {
      while let reply = try socket.receive(ReplyLine.self) { dispatch(reply) }
      end(.closed)
    } catch {
      end(error)
    }
  }

  private func dispatch(_ reply: ReplyLine) {
    guard let id = reply.id else { return }
    if let event = reply.event {
      state.withLock { $0.streams[id] }?.put(event)
      return
    }
    let (waiter, past) = state.withLock { state in
      let past = state.pastStreams.remove(id).flatMap { state.streams.removeValue(forKey: $0) }
      if !reply.ok { state.streams[id] = nil }
      return (state.waiters.removeValue(forKey: id), past)
    }
    let isTaken = waiter?.put(reply) == true
    past?.finish(.closed)
    if isTaken { return }
    // Granted to someone who has given up in the meantime: nobody else would ever end it.
    guard let claim = reply.claim else { return }
    var request = RequestLine(verb: "finish")
    request.claim = claim
    _ = try? send(request, replies: nil, events: nil)
  }
}
