import Glibc
import ProviderControl
package import ProviderModel
import Synchronization

/// Where events go: from a bounded queue into a file of JSON lines, and from there to whoever asks.
///
/// Its thread gathers events for a moment before it writes them: waking it for each would cost every request as
/// much as its answer. Nobody who makes events waits: when the queue is full they are counted, and an event named `dropped` stands
/// in their place. When the file has reached its limit its older half goes, and a `dropped` event says how many
/// that were. Readers take what they want from the file, each at its own pace.
package final class Journal: Sendable {
  package static let queueLimit = 65_536
  package static let fileLimit_bytes: Int64 = 256 << 20
  /// Real time for which events are gathered; who asks for them or waits for the file ends it.
  private static let gathering_ms: Int32 = 2

  /// A reader: the session and the number of its request.
  package struct Key: Hashable, Sendable {
    package var session: SessionID
    package var number: Int
    package init(session: SessionID, number: Int) {
      self.session = session
      self.number = number
    }
  }

  private struct Queue {
    var events: [Event] = []
    var dropped: UInt64 = 0
    var newReaders: [Reader] = []
    var endedReaders: [Key] = []
    var endedSessions: [SessionID] = []
    /// Those with room again.
    var drainedSessions: [SessionID] = []
    var flushers: [WakeUp] = []
  }

  private struct Reader {
    var key: Key
    /// In the file, counted without its cuts; nil until its first turn.
    var position: Int64?
    /// Events up to this number are not wanted.
    var since: UInt64
    /// It may still meet events that it does not want.
    var isBehind: Bool
    /// It takes nothing until its session is drained.
    var isFull = false
    var follows: Bool
    var push: @Sendable ([UInt8]) -> Bool
    var finished: @Sendable () -> Void
  }

  private let queue = Mutex(Queue())
  /// There are events.
  private let gathered: WakeUp
  private let hasEvents = Atomic(false)
  /// Somebody waits.
  private let urgent: WakeUp

  /// - Parameter path: nil for a file without a name, which is gone with the provider.
  package init(path: String?, limit_bytes: Int64 = Journal.fileLimit_bytes) throws(SystemError) {
    gathered = try WakeUp()
    urgent = try WakeUp()
    // Opened here, so that a path that cannot be written is said before anything is mounted.
    let file = HandedOver(try JournalFile(path: path, limit_bytes: limit_bytes))
    Threads.start("journal") { [self] in run(file.value) }
  }

  /// Sound because the maker gives it up: only the journal's thread uses the file.
  private struct HandedOver: @unchecked Sendable {
    let value: JournalFile
    init(_ value: JournalFile) { self.value = value }
  }

  /// Called under the host's lock, so that the order of events is that of their numbers: a few stores.
  package func append(_ event: Event) {
    queue.withLock { queue in
      if queue.events.count < Journal.queueLimit { queue.events.append(event) } else { queue.dropped += 1 }
    }
  }

  /// To be called after ``append(_:)``, outside the host's lock.
  package func notify() {
    if !hasEvents.exchange(true, ordering: .acquiringAndReleasing) { gathered.signal() }
  }

  /// Reads the events after `since`, each as one JSON object.
  /// - Parameters:
  ///   - push: takes one event's JSON; false when there is no room now, and ``sessionDrained(_:)`` says when
  ///     there is.
  ///   - finished: called after the last event that there is, unless it follows.
  package func read(
    _ key: Key, since: UInt64, follows: Bool, push: @escaping @Sendable ([UInt8]) -> Bool,
    finished: @escaping @Sendable () -> Void
  ) {
    queue.withLock {
      $0.newReaders.append(
        Reader(
          key: key, since: since, isBehind: since > 0, follows: follows, push: push, finished: finished))
    }
    urgent.signal()
  }

  package func stopReading(_ key: Key) {
    queue.withLock { queue in
      queue.newReaders.removeAll { $0.key == key }
      queue.endedReaders.append(key)
    }
    urgent.signal()
  }

  package func sessionClosed(_ session: SessionID) {
    queue.withLock { queue in
      queue.newReaders.removeAll { $0.key.session == session }
      queue.endedSessions.append(session)
    }
    urgent.signal()
  }

  /// There is room again for who had none.
  package func sessionDrained(_ session: SessionID) {
    queue.withLock { $0.drainedSessions.append(session) }
    urgent.signal()
  }

  /// Waits until everything that was appended is in the file, and readers with room have it.
  package func flush() {
    guard let done = try? WakeUp() else { return }
    defer { done.close() }
    queue.withLock { $0.flushers.append(done) }
    urgent.signal()
    done.wait()
  }

  // MARK: - The journal's thread

  private func waitForNews() {
    var waiting = [gathered, urgent].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while poll(&waiting, 2, -1) < 0, errno == EINTR {}
    if waiting[1].revents == 0 { poll(&waiting[1], 1, Journal.gathering_ms) }
    if waiting[1].revents != 0 { urgent.wait() }
    guard waiting[0].revents != 0 else { return }
    gathered.wait()
    // Before the queue is taken: what comes after that signals again.
    hasEvents.store(false, ordering: .releasing)
  }

  private func run(_ file: JournalFile) {
    var readers: [Reader] = []
    while true {
      waitForNews()
      let news = queue.withLock { queue in
        defer { queue = Queue() }
        return queue
      }
      var events = news.events
      if news.dropped > 0, let last = events.last {
        var notice = Event(.dropped)
        notice.sequence = last.sequence + news.dropped
        notice.at = last.at
        notice.dropped = news.dropped
        events.append(notice)
      }
      file.append(events)
      readers.removeAll { reader in
        news.endedReaders.contains(reader.key) || news.endedSessions.contains(reader.key.session)
      }
      readers += news.newReaders
      for index in readers.indices.reversed() {
        if news.drainedSessions.contains(readers[index].key.session) { readers[index].isFull = false }
        if !readers[index].isFull, serve(&readers[index], file) { readers.remove(at: index) }
      }
      for flusher in news.flushers { flusher.signal() }
    }
  }

  /// - Returns: whether the reader has all that it wants.
  private func serve(_ reader: inout Reader, _ file: JournalFile) -> Bool {
    var offset = reader.position.map(file.offset(ofPosition:)) ?? file.offset(after: reader.since)
    defer { reader.position = offset + file.cut_bytes }
    while offset < file.length {
      let lines = file.lines(from: offset)
      if lines.isEmpty { break }
      for line in lines {
        guard push(line, to: &reader) else { return false }
        offset += Int64(line.count) + 1
      }
    }
    if let notice = missing(file, for: reader) {
      guard push(notice[...], to: &reader) else { return false }
      // The file tells it, too, as soon as the disk has room.
      reader.since = file.given.sequence
      reader.isBehind = true
    }
    if reader.follows { return false }
    reader.finished()
    return true
  }

  /// What the file could not take, for who has read to its end.
  private func missing(_ file: JournalFile, for reader: Reader) -> [UInt8]? {
    let known = max(file.last, reader.since)
    guard file.given.sequence > known else { return nil }
    var notice = Event(.dropped)
    notice.sequence = file.given.sequence
    notice.at = file.given.at
    notice.dropped = file.given.sequence - known
    return EventLine(notice).json
  }

  /// - Returns: false when the reader has no room.
  private func push(_ line: ArraySlice<UInt8>, to reader: inout Reader) -> Bool {
    var wanted = Array(line)
    if reader.isBehind {
      guard var event = try? LineCoding.message(EventLine.self, from: wanted), event.sequence > reader.since
      else { return true }
      // Not those that it knows to be missing.
      if let dropped = event.dropped, dropped > event.sequence - reader.since {
        event.dropped = event.sequence - reader.since
        wanted = event.json
      }
    }
    guard reader.push(wanted) else {
      reader.isFull = true
      return false
    }
    reader.isBehind = false
    return true
  }
}
