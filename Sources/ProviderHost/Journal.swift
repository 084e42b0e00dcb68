import Glibc
import ProviderControl
package import ProviderModel
import Synchronization

/// Where events go: from a bounded queue into a file of JSON lines, and from there to whoever asks.
///
/// Nobody who makes events waits: when the queue is full they are counted, and an event named `dropped` stands
/// in their place. When the file has reached its limit its older half goes, and a `dropped` event says how many
/// that were. Readers take what they want from the file, each at its own pace.
package final class Journal: Sendable {
  package static let queueLimit = 65_536
  package static let fileLimit_bytes: Int64 = 256 << 20

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
    var flushers: [WakeUp] = []
  }

  private struct Reader {
    var key: Key
    /// In the file, counted without its cuts; nil until its first turn.
    var position: Int64?
    /// Events up to this number are not wanted.
    var since: UInt64
    var follows: Bool
    var push: @Sendable ([UInt8]) -> Bool
    var finished: @Sendable () -> Void
  }

  private let queue = Mutex(Queue())
  private let wakeUp: WakeUp

  /// - Parameter path: nil for a file without a name, which is gone with the provider.
  package init(path: String?, limit_bytes: Int64 = Journal.fileLimit_bytes) throws(SystemError) {
    wakeUp = try WakeUp()
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
  package func notify() { wakeUp.signal() }

  /// Reads the events after `since`, each as one JSON object.
  /// - Parameters:
  ///   - push: takes one event's JSON; false when there is no room now, and ``notify()`` says when there is.
  ///   - finished: called after the last event that there is, unless it follows.
  package func read(
    _ key: Key, since: UInt64, follows: Bool, push: @escaping @Sendable ([UInt8]) -> Bool,
    finished: @escaping @Sendable () -> Void
  ) {
    queue.withLock {
      $0.newReaders.append(
        Reader(key: key, since: since, follows: follows, push: push, finished: finished))
    }
    wakeUp.signal()
  }

  package func stopReading(_ key: Key) {
    queue.withLock { queue in
      queue.newReaders.removeAll { $0.key == key }
      queue.endedReaders.append(key)
    }
    wakeUp.signal()
  }

  package func sessionClosed(_ session: SessionID) {
    queue.withLock { queue in
      queue.newReaders.removeAll { $0.key.session == session }
      queue.endedSessions.append(session)
    }
    wakeUp.signal()
  }

  /// Waits until everything that was appended is in the file.
  package func flush() {
    guard let done = try? WakeUp() else { return }
    defer { done.close() }
    queue.withLock { $0.flushers.append(done) }
    wakeUp.signal()
    done.wait()
  }

  // MARK: - The journal's thread

  private func run(_ file: JournalFile) {
    var readers: [Reader] = []
    while true {
      wakeUp.wait()
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
      for flusher in news.flushers { flusher.signal() }
      readers.removeAll { reader in
        news.endedReaders.contains(reader.key) || news.endedSessions.contains(reader.key.session)
      }
      readers += news.newReaders
      for index in readers.indices.reversed() where serve(&readers[index], file) { readers.remove(at: index) }
    }
  }

  /// - Returns: whether the reader has all that it wants.
  private func serve(_ reader: inout Reader, _ file: JournalFile) -> Bool {
    var offset = reader.position.map(file.offset(ofPosition:)) ?? file.offset(after: reader.since)
    while offset < file.length {
      let lines = file.lines(from: offset)
      if lines.isEmpty { break }
      for line in lines {
        if !isWanted(line, since: reader.since) || reader.push(Array(line)) {
          offset += Int64(line.count) + 1
        } else {
          reader.position = offset + file.cut_bytes
          return false
        }
      }
    }
    reader.position = offset + file.cut_bytes
    if reader.follows { return false }
    reader.finished()
    return true
  }

  private func isWanted(_ line: ArraySlice<UInt8>, since: UInt64) -> Bool {
    if since == 0 { return true }
    guard let event = try? LineCoding.message(EventLine.self, from: Array(line)) else { return false }
    return event.sequence > since
  }
}
