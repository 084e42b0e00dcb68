import FakeServer
import Foundation
import Glibc
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
  private let refused = Atomic(0)
  var refusals: Int { refused.load(ordering: .relaxed) }

  init(_ journal: Journal, number: Int = 1, since: UInt64 = 0, follows: Bool = false, room: Int = .max) {
    self.room.store(room, ordering: .relaxed)
    journal.read(
      key(number), since: since, follows: follows,
      push: { [self] line in
        guard self.room.load(ordering: .relaxed) > 0 else {
          refused.add(1, ordering: .relaxed)
          return false
        }
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
    journal.sessionDrained(SessionID(9))
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

  private func lines() throws -> [EventLine] { try lines(of: path) }

  private func lines(of path: String) throws -> [EventLine] {
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
    // It is not asked again before it says that it has room.
    #expect(slow.refusals == 1)
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

  @Test func `goes on when the disk is full, and says how many events are missing`() async throws {
    let journal = try Journal(path: "/dev/full")
    let follower = Reader(journal, number: 1, follows: true)
    for batch in 0..<2 {
      journal.append(batch * 10 + 1...batch * 10 + 10)
      try await journal.written()
    }
    let past = try await Reader(journal, number: 2).all()
    #expect(past.map(\.name) == ["dropped"])
    #expect(past.first?.sequence == 20 && past.first?.dropped == 20)
    // Each is counted once, however the two batches were met.
    var told: [EventLine] = []
    while told.last?.sequence != 20 { told += try await follower.next(1) }
    #expect(told.allSatisfy { $0.name == "dropped" })
    #expect(told.compactMap(\.dropped).reduce(0, +) == 20)
  }

  @Test(.enabled(if: geteuid() == 0, "a small disk needs root"))
  func `has whole lines only on a full disk, and goes on when there is room`() async throws {
    let disk = directory.path + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    try #require(mount("tmpfs", disk, "tmpfs", 0, "size=64k") == 0)
    defer { umount2(disk, Int32(MNT_DETACH)) }
    let other = disk + "/other"
    try Data(count: 32 << 10).write(to: URL(fileURLWithPath: other))
    let file = disk + "/journal"
    let journal = try Journal(path: file)
    let follower = Reader(journal, follows: true)
    journal.append(1...100, path: longPath)
    try await journal.written()
    let full = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    #expect(full.last == 0x0A && full.count < 32 << 10)
    try FileManager.default.removeItem(atPath: other)
    journal.append(101...105, path: longPath)
    try await journal.written()
    let lines = try lines(of: file)
    #expect(lines.map(\.sequence).suffix(6) == [100, 101, 102, 103, 104, 105])
    let missing = try #require(lines.first { $0.name == "dropped" }?.dropped)
    #expect(UInt64(lines.count) == 105 - missing + 1)
    // The follower was told at once, and not again by the file.
    var told: [EventLine] = []
    while told.last?.sequence != 105 { told += try await follower.next(1) }
    #expect(told.map(\.sequence) == lines.map(\.sequence))
    #expect(told.compactMap(\.dropped) == [missing])
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
