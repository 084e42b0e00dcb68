import FakeServer
import Foundation
@testable import ProviderControl
import ProviderHost
import ProviderModel
import Synchronization
import Testing

private func event(_ number: Int, app: String? = nil, path: ItemPath? = nil) -> Event {
  var event = Event(.evicted, path: path, app: app.map(AppID.init))
  event.sequence = UInt64(number)
  event.at = Instant(nanoseconds: Int64(number))
  return event
}

private func key(_ number: Int) -> Journal.Key { Journal.Key(session: SessionID(9), number: number) }

/// A reader that takes events while it has room.
private final class Reader: Sendable {
  let events = Mailbox<EventLine>(limit: .max)
  private let room = Atomic(Int.max)

  init(_ journal: Journal, number: Int = 1, since: UInt64 = 0, follows: Bool = false, room: Int = .max) {
    self.room.store(room, ordering: .relaxed)
    journal.read(
      key(number), since: since, follows: follows,
      push: { [self] line in
        guard self.room.load(ordering: .relaxed) > 0 else { return false }
        self.room.subtract(1, ordering: .relaxed)
        // What is no line of JSON shows as an event that nobody wrote.
        let event = try? LineCoding.message(EventLine.self, from: line)
        events.put(event ?? EventLine(sequence: 0, atNanoseconds: 0, name: "broken"))
        return true
      },
      finished: { [events] in events.finish(.closed) })
  }

  func makeRoom(_ journal: Journal) {
    room.store(.max, ordering: .relaxed)
    journal.notify()
  }

  func all() async throws -> [EventLine] {
    try await blocking { [events] in
      var all: [EventLine] = []
      while case .value(let event) = events.take(until: .never) { all.append(event) }
      return all
    }
  }

  func next(_ count: Int) async throws -> [EventLine] {
    try await blocking { [events] in
      try (0..<count).map { _ in
        guard case .value(let event) = events.take(until: .never) else { throw ConnectionProblem.closed }
        return event
      }
    }
  }
}

extension Journal {
  fileprivate func append(_ range: ClosedRange<Int>, path: ItemPath? = nil) {
    for number in range { append(event(number, path: path)) }
    notify()
  }

  fileprivate func written() async throws { try await blocking { self.flush() } }
}

/// A path of 2.5 kB, so that a few events make a large file.
private let longPath = ItemPath((0..<10).compactMap { _ in Name(String(repeating: "n", count: 250)) })

@Suite struct `The journal` {
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/journal" }
  init() throws { directory = try TemporaryDirectory() }

  private func lines() throws -> [EventLine] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(bytes.last == 0x0A)
    return try bytes.split(separator: 0x0A).map { try LineCoding.message(EventLine.self, from: Array($0)) }
  }

  @Test func `gives events in their order, and those after a number`() async throws {
    let journal = try Journal(path: nil)
    journal.append(1...2_000)
    #expect(try await Reader(journal).all().map(\.sequence) == Array(1...2_000))
    #expect(try await Reader(journal, since: 1_990).all().map(\.sequence) == Array(1_991...2_000))
    #expect(try await Reader(journal, since: 2_000).all().isEmpty)
  }

  @Test func `gives a follower what comes later too`() async throws {
    let journal = try Journal(path: nil)
    journal.append(1...3)
    let reader = Reader(journal, since: 1, follows: true)
    #expect(try await reader.next(2).map(\.sequence) == [2, 3])
    journal.append(4...5)
    #expect(try await reader.next(2).map(\.sequence) == [4, 5])
  }

  @Test func `waits for a slow reader without slowing another`() async throws {
    let journal = try Journal(path: nil)
    let slow = Reader(journal, number: 1, follows: true, room: 1)
    journal.append(1...500)
    #expect(try await Reader(journal, number: 2).all().count == 500)
    #expect(try await slow.next(1).map(\.sequence) == [1])
    slow.makeRoom(journal)
    #expect(try await slow.next(499).map(\.sequence) == Array(2...500))
  }

  @Test func `counts what its queue cannot take, and goes on`() async throws {
    let journal = try Journal(path: nil)
    // Nobody tells its thread, so the queue fills.
    for number in 1...Journal.queueLimit + 7 { journal.append(event(number)) }
    try await journal.written()
    journal.append(event(Journal.queueLimit + 8))
    let last = try await Reader(journal, since: UInt64(Journal.queueLimit - 1)).all()
    #expect(last.map(\.name) == ["evicted", "dropped", "evicted"])
    #expect(last.map(\.dropped) == [nil, 7, nil])
    #expect(last.map(\.sequence) == [0, 7, 8].map { UInt64(Journal.queueLimit + $0) })
  }

  @Test func `cuts its older half, and says how many events that were`() async throws {
    let journal = try Journal(path: path, limit_bytes: 4 << 20)
    var number = 0
    // Twice over: a second cut counts the first one's too.
    for _ in 0..<40 {
      journal.append(number + 1...number + 100, path: longPath)
      number += 100
      try await journal.written()
    }
    let lines = try lines()
    #expect(lines.first?.name == "dropped")
    #expect(lines.first?.dropped == lines.first?.sequence)
    #expect((lines.first?.dropped ?? 0) > 1_000)
    #expect(lines.dropFirst().allSatisfy { $0.name == "evicted" })
    #expect(lines.map(\.sequence) == Array((lines.first?.sequence ?? 0)...4_000))
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect((size ?? .max) <= 5 << 20)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["journal"])
  }

  @Test func `tells a reader whose place was cut away, in whole lines`() async throws {
    let journal = try Journal(path: path, limit_bytes: 1 << 20)
    let slow = Reader(journal, follows: true, room: 3)
    for batch in 0..<8 {
      journal.append(batch * 100 + 1...batch * 100 + 100, path: longPath)
      try await journal.written()
    }
    slow.makeRoom(journal)
    #expect(try await slow.next(3).map(\.sequence) == [1, 2, 3])
    var events = try await slow.next(1)
    #expect(events.first?.name == "dropped")
    while events.last?.sequence != 800 { events += try await slow.next(1) }
    #expect(events.map(\.sequence) == Array((events.first?.sequence ?? 0)...800))
  }

  @Test func `keeps lines that are longer than a piece, and counts those that are longer than a line`()
    async throws
  {
    let journal = try Journal(path: nil)
    journal.append(event(1, app: String(repeating: "x", count: 300_000)))
    journal.append(event(2, app: String(repeating: "x", count: 2_000_000)))
    journal.append(event(3))
    let events = try await Reader(journal).all()
    #expect(events.map(\.sequence) == [1, 2, 3])
    #expect(events.map(\.dropped) == [nil, 1, nil])
    #expect(events.first?.app?.utf8.count == 300_000)
  }

  @Test func `goes on when the disk is full`() async throws {
    let journal = try Journal(path: "/dev/full")
    journal.append(1...10)
    try await journal.written()
    #expect(try await Reader(journal).all().isEmpty)
  }

  @Test(arguments: ["/nowhere/journal", "/tmp"])
  func `that cannot be written is an error with its path`(path: String) {
    #expect {
      _ = try Journal(path: path)
    } throws: { error in
      (error as? SystemError)?.description.contains(path) == true
    }
  }

  @Test func `has everything in its file after a flush`() async throws {
    let journal = try Journal(path: path)
    for number in 1...20 {
      journal.append(event(number))
      try await journal.written()
      #expect(try lines().count == number)
    }
  }

  @Test func `forgets a reader that left before its turn`() async throws {
    let journal = try Journal(path: nil)
    let readers = (1...50).map { number in
      let reader = Reader(journal, number: number, follows: true)
      if number % 2 == 0 { journal.stopReading(key(number)) } else { journal.sessionClosed(SessionID(9)) }
      return reader
    }
    try await journal.written()
    journal.append(1...3)
    #expect(try await Reader(journal, number: 99).all().count == 3)
    // One more round, so that the last one is over for everybody.
    try await journal.written()
    try await journal.written()
    for reader in readers { reader.events.finish(.closed) }
    for reader in readers { #expect(try await reader.all().isEmpty) }
  }

  @Test func `leaves no descriptor behind at a flush`() async throws {
    // Only what a flush waits on: tests beside this one open sockets by the hundred.
    func count() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        return link?.contains("eventfd") == true
      }
    }
    let journal = try Journal(path: nil)
    let before = try count()
    try await blocking { for _ in 0..<500 { journal.flush() } }
    #expect(try count() < before + 250)
  }
}
