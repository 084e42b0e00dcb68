import FakeServer
import Foundation
@testable import ProviderControl
@testable import ProviderModel
import Testing

/// Events in a row, numbered, as a provider's journal has them.
private struct Story {
  var events: [EventLine] = []

  init() {
    var started = Event(.started)
    started.detail = .started(ProviderHeader(profile: "p", seed: 1, mode: .device, version: "0"))
    add(started)
  }

  private mutating func add(_ event: Event) {
    var event = event
    event.sequence = UInt64(events.count + 1)
    event.at = Instant(nanoseconds: Int64(events.count) * 1_000_000)
    events.append(EventLine(event))
  }

  mutating func did(
    _ operation: String, _ path: String, error: ProviderError? = nil, scoped: Bool? = nil, bytes: Int64? = nil
  ) {
    var event = Event(.operation, path: ItemPath(path), app: AppID("/bin/cat"), process: 7, error: error)
    event.operation = operation
    event.scoped = scoped ?? (operation == "open" ? error == nil : nil)
    event.bytes = bytes
    add(event)
  }

  mutating func happened(
    _ name: EventName, _ path: String? = nil, process: Int32? = nil, app: String? = nil, rule: String? = nil,
    error: ProviderError? = nil
  ) {
    var event = Event(
      name, path: path.flatMap { ItemPath($0) }, app: app.map(AppID.init), process: process, error: error)
    event.rule = rule
    add(event)
  }

  mutating func dropped(_ count: UInt64) {
    var event = Event(.dropped)
    event.dropped = count
    add(event)
    events[events.count - 1].sequence += count - 1
  }

  func verdict(_ text: String) throws -> Verdict {
    var check = JournalCheck([try Expectation(text)])
    for event in events { check.take(event) }
    return try #require(check.verdicts.first)
  }

  func holds(_ text: String) throws -> Bool { try verdict(text).holds }
}

@Suite struct `An assertion` {
  @Test func `is read from one word or two`() throws {
    let list = try Expectation.list([
      "opened-once a b.pdf", "no-errors", "read", "**/*.pdf", "event evicted=2",
    ])
    #expect(list.map(\.text) == ["opened-once a b.pdf", "no-errors", "read **/*.pdf", "event evicted=2"])
    #expect(list[3].kind == .event(.evicted, nil, count: 2))
    let glob = try #require(Glob("d/[=]=3"))
    #expect(try Expectation("event evicted:d/[=]=3=0").kind == .event(.evicted, glob, count: 0))
  }

  @Test(
    arguments: [
      ("", "one of"), ("opnd x", "\"opened\""), ("opened", "needs GLOB"), ("no-errors x", "takes nothing"),
      ("opened /x", "without a slash"), ("opened [x", "[ without its ]"), ("event evict", "\"evicted\""),
      ("event evicted:/x", "without a slash"), ("rule-fired", "needs NAME"), ("event evicted=-1", "no event"),
    ])
  func `that makes no sense is refused in words`(text: String, words: String) {
    #expect {
      _ = try Expectation(text)
    } throws: { error in
      (error as? RequestProblem)?.message.contains(words) == true
    }
  }

  @Test func `of downloads is broken by one`() throws {
    var story = Story()
    story.happened(.downloadStarted, "d/a.mov")
    #expect(try story.holds("never-materialized *.mov"))
    let verdict = try story.verdict("never-materialized **/*.mov")
    #expect(!verdict.holds && verdict.event?.path?.text == "d/a.mov")
  }

  @Test func `of opens counts those that went well`() throws {
    var story = Story()
    story.did("lookup", "a")
    story.did("open", "a", error: .accessNotGranted)
    #expect(try !story.holds("opened a") && story.holds("not-opened a") && !story.holds("opened-once a"))
    #expect(try story.verdict("opened a").event?.errno == "EPERM")
    story.did("open", "a")
    story.did("open", "b")
    #expect(try story.holds("opened a") && story.holds("opened-once *") && !story.holds("not-opened *"))
    story.did("open", "a")
    let verdict = try story.verdict("opened-once *")
    #expect(!verdict.holds && verdict.event?.sequence == 6)
    #expect(try story.holds("opened-once b"))
  }

  @Test func `of reads wants bytes`() throws {
    var story = Story()
    story.did("read", "a", bytes: 0)
    story.did("read", "a", error: .source(.EIO), bytes: 10)
    #expect(try !story.holds("read a"))
    #expect(try story.verdict("read a").event?.sequence == 3)
    story.did("read", "a", bytes: 1)
    #expect(try story.holds("read a") && !story.holds("read b"))
  }

  @Test func `of rules wants each to strike, and one to be there`() throws {
    var story = Story()
    #expect(try !story.holds("every-rule-fired"))
    #expect(try story.verdict("rule-fired x").reason?.contains("none") == true)
    story.happened(.ruleAdded, rule: "x")
    story.happened(.ruleAdded, rule: "y")
    story.happened(.operation, "a", rule: "x", error: .fault(.EIO))
    story.happened(.ruleRemoved, rule: "y")
    #expect(try story.holds("rule-fired x") && !story.holds("rule-fired y"))
    #expect(try story.verdict("every-rule-fired").reason?.contains("\"y\"") == true)
    #expect(try story.verdict("rule-fired z").reason?.contains("\"x\", \"y\"") == true)
    story.happened(.downloadFailed, "a", rule: "y")
    #expect(try story.holds("every-rule-fired"))
  }

  @Test func `of access is broken by asking without a scope, and by not being asked`() throws {
    var story = Story()
    story.did("open", "a")
    #expect(try story.holds("no-read-outside-scope"))
    story.did("open", "a", error: .accessNotGranted, scoped: false)
    #expect(try story.verdict("no-read-outside-scope").event?.sequence == 3)
    var other = Story()
    other.happened(.claimFailed, "a", error: .accessRevoked)
    #expect(try !other.holds("no-read-outside-scope"))
    var simulator = Story()
    simulator.did("open", "a")
    simulator.events[1].scoped = nil
    #expect(try simulator.verdict("no-read-outside-scope").reason?.contains("nothing can be told") == true)
  }

  @Test func `of scopes pairs each process's starts and stops`() throws {
    var story = Story()
    for process in [1, 2] as [Int32] { story.happened(.scopeStarted, "a", process: process) }
    story.happened(.scopeStarted, "a", process: 1)
    story.happened(.scopeStopped, "a", process: 1)
    story.happened(.scopeStopped, "a", process: 2)
    #expect(try story.verdict("scopes-balanced").event?.process == 1)
    #expect(try story.verdict("scopes-balanced").reason == "it was never stopped")
    story.happened(.scopeStopped, "a", process: 1)
    #expect(try story.holds("scopes-balanced"))
    story.happened(.scopeUnmatched, "a", process: 1)
    #expect(try story.verdict("scopes-balanced").event?.name == "scopeUnmatched")
  }

  @Test func `of scopes is broken by a process that ends with one`() throws {
    var story = Story()
    story.happened(.scopeStarted, "a", process: 1)
    story.happened(.processEnded, process: 1)
    #expect(try story.verdict("scopes-balanced").reason?.contains("ended") == true)
  }

  @Test func `of scopes takes a stop after a revocation for its stop`() throws {
    var story = Story()
    story.happened(.scopeStarted, "d/a", process: 1, app: "x")
    story.happened(.revoked, "d", app: "y")
    #expect(try !story.holds("scopes-balanced"))
    story.happened(.revoked, "d", app: "x")
    #expect(try story.holds("scopes-balanced"))
    story.happened(.scopeUnmatched, "d/a", process: 1, app: "x")
    #expect(try story.holds("scopes-balanced"))
    story.happened(.scopeUnmatched, "d/a", process: 1, app: "x")
    #expect(try !story.holds("scopes-balanced"))
  }

  @Test func `of errors spares those who look for what is not there`() throws {
    var story = Story()
    story.did("lookup", "none", error: .noSuchItem)
    story.did("getxattr", "a", error: .noSuchAttribute)
    story.did("listxattr", "a", error: .resultTooLarge)
    story.happened(.holdReleased, "a", error: .released(.EIO))
    #expect(try story.holds("no-errors"))
    story.did("read", "a", error: .released(.EIO))
    #expect(try story.verdict("no-errors").event?.operation == "read")
  }

  @Test func `of an event counts it`() throws {
    var story = Story()
    #expect(try !story.holds("event evicted") && story.holds("event evicted=0"))
    for path in ["a", "d/b", "a"] { story.happened(.evicted, path) }
    #expect(try story.holds("event evicted") && story.holds("event evicted=3"))
    #expect(try story.holds("event evicted:d/*=1") && !story.holds("event evicted:d/*=2"))
    #expect(try story.verdict("event evicted=2").event?.sequence == 4)
    #expect(try story.verdict("event evicted=0").event?.sequence == 2)
    #expect(try story.verdict("event evicted:x").reason == "it never came")
  }
}

@Suite struct `A journal that is checked` {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private func incompleteness(_ events: [EventLine], needsEnd: Bool = true) -> String? {
    var check = JournalCheck([])
    for event in events { check.take(event) }
    return check.incompleteness(needsEnd: needsEnd)
  }

  @Test func `is whole from a start to an end`() throws {
    var story = Story()
    story.did("open", "a")
    #expect(incompleteness(story.events)?.contains("no end") == true)
    #expect(incompleteness(story.events, needsEnd: false) == nil)
    story.happened(.stopped)
    #expect(incompleteness(story.events) == nil)
    #expect(incompleteness([]) != nil)
    #expect(incompleteness(Array(story.events.dropFirst())) != nil)
  }

  @Test func `proves nothing when events are missing`() throws {
    var story = Story()
    story.did("open", "a")
    story.dropped(5)
    story.happened(.stopped)
    #expect(incompleteness(story.events)?.contains("5 events are missing") == true)
    var gap = Story()
    for _ in 0..<4 { gap.did("open", "a") }
    gap.events.remove(at: 2)
    #expect(incompleteness(gap.events, needsEnd: false)?.contains("numbered 2") == true)
  }

  @Test func `is read from its file, line by line`() throws {
    let path = Array((directory.path + "/journal").utf8)
    func write(_ bytes: [UInt8]) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: directory.path + "/journal"))
    }
    var story = Story()
    story.did("open", "a\nb")
    let lines = story.events.map { $0.json + [0x0A] }
    try write(lines.flatMap { $0 })
    var read: [EventLine] = []
    #expect(try JournalReading.read(path) { read.append($0) } == nil)
    #expect(read == story.events)
    // Cut at every byte of its last line.
    for count in [0, 1, 20, lines[1].count - 1] {
      try write(lines[0] + lines[1].prefix(count))
      #expect(try JournalReading.read(path) { _ in } == (count == 0 ? nil : 2), "\(count)")
    }
    try write(lines[0] + Array("{}\n".utf8) + lines[1])
    #expect(try JournalReading.read(path) { _ in } == 2)
    for other in ["hello\n", "{\"a\":1}\n"] {
      try write(Array(other.utf8))
      #expect(throws: JournalProblem.self) { _ = try JournalReading.read(path) { _ in } }
    }
    #expect(throws: JournalProblem.self) { _ = try JournalReading.read(Array("/nowhere/x".utf8)) { _ in } }
    #expect(throws: JournalProblem.self) { _ = try JournalReading.read(Array("/tmp".utf8)) { _ in } }
  }
}
