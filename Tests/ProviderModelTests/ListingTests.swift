import Testing

@testable import ProviderModel

@Suite struct `A listing` {
  private func folder(_ harness: ModelHarness, _ path: ItemPath = ItemPath()) throws -> HandleID {
    let reply = harness.reply(.openDirectory(try harness.node(path)))
    guard case .opened(let handle) = reply else { throw ModelHarness.Missing(path: path, reply: reply) }
    return handle
  }

  /// Reads a directory to its end, a piece at a time.
  private func rows(
    _ harness: ModelHarness, _ handle: HandleID, capacity: Int, plus: Bool
  ) throws -> [[DirectoryRow]] {
    var pieces: [[DirectoryRow]] = []
    var cookie: Int64 = 0
    while pieces.count < 10_000 {
      let reply = harness.reply(.readDirectory(handle, cookie: cookie, capacity: capacity, plus: plus))
      guard case .directory(let rows, plus) = reply else {
        throw ModelHarness.Missing(path: ItemPath(), reply: reply)
      }
      guard let last = rows.last else { return pieces }
      pieces.append(rows)
      cookie = last.next
    }
    return pieces
  }

  @Test func `keeps names of any bytes, and the two forms of one name apart`() throws {
    let names: [[UInt8]] = [
      Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8), [0xFF, 0xFE], [0x01], Array(" ".utf8),
      Array(repeating: 0x61, count: 255), Array(repeating: 0xF0, count: 254), Array("A".utf8),
      Array("a".utf8),
      Array("...".utf8), Array("\\".utf8), Array("\n".utf8),
    ]
    var files: [ItemPath: Int64] = [:]
    for (index, bytes) in names.enumerated() {
      files[ItemPath([try #require(Name(bytes))])] = Int64(index + 1)
    }
    let harness = ModelHarness(files)
    var ids: Set<ItemID> = []
    for (index, bytes) in names.enumerated() {
      let attributes = try harness.attributes(ItemPath([try #require(Name(bytes))]))
      #expect(attributes.size == Int64(index + 1))
      ids.insert(attributes.id)
    }
    #expect(ids.count == names.count)
    let listed = try rows(harness, folder(harness), capacity: 1 << 16, plus: false).flatMap { $0 }
    #expect(Set(listed.map(\.name)) == Set(names + [[0x2E], [0x2E, 0x2E]]))
    #expect(harness.reply(.lookup(parent: .root, name: "B")) == .error(.noSuchItem))
  }

  @Test(arguments: [true, false], [160, 200, 333, 420, 4_096])
  func `gives each entry exactly once however small the pieces`(plus: Bool, capacity: Int) throws {
    var files: [ItemPath: Int64] = [:]
    for number in 0..<500 {
      files[ItemPath([try #require(Name("file \(number)" + String(repeating: "x", count: number % 7)))])] = 1
    }
    let harness = ModelHarness(files)
    let pieces = try rows(harness, folder(harness), capacity: capacity + (plus ? 128 : 0), plus: plus)
    let names = pieces.flatMap { $0.map(\.name) }
    #expect(names.count == 502)
    #expect(Set(names).count == 502)
    #expect(pieces.count > 1)
    for piece in pieces {
      let bytes = piece.reduce(0) { $0 + ((24 + $1.name.count + 7) / 8 * 8) + (plus ? 128 : 0) }
      #expect(bytes <= capacity + (plus ? 128 : 0))
    }
    #expect(harness.lookups.values.reduce(0, +) == (plus ? 500 : 0))
  }

  @Test func `goes on after an entry in a directory that it shows twice`() throws {
    let harness = ModelHarness(["a": 1, "b": 1, "c": 1])
    let handle = try folder(harness)
    let all = try rows(harness, handle, capacity: 4_096, plus: false).flatMap { $0 }
    for (index, row) in all.enumerated() {
      let reply = harness.reply(.readDirectory(handle, cookie: row.next, capacity: 4_096, plus: false))
      #expect(reply == .directory(Array(all[(index + 1)...]), plus: false))
    }
    // Rewound.
    #expect(try rows(harness, handle, capacity: 4_096, plus: false).flatMap { $0 } == all)
  }

  @Test func `counts lookups, and forgets them in batches`() throws {
    let harness = ModelHarness(["a": 1, "b": 1])
    _ = try rows(harness, folder(harness), capacity: 4_096, plus: true)
    let (a, b) = (try harness.node("a"), try harness.node("b"))
    _ = try harness.node("a")
    for node in [a, b] { #expect(harness.lookupCount(node) == harness.lookups[node]) }
    #expect(harness.lookupCount(a) == 3)
    harness.tell(.notice(.forget([Forgotten(node: a, lookups: 2), Forgotten(node: b, lookups: 2)])))
    #expect(harness.lookupCount(a) == 1)
    #expect(harness.lookupCount(b) == 0)
    // Too many, and nobody's: nothing traps.
    harness.tell(
      .notice(.forget([Forgotten(node: a, lookups: 99), Forgotten(node: NodeID(rawValue: 0), lookups: 1)])))
    #expect(harness.lookupCount(a) == 0)
    #expect(try harness.node("a") == a)
  }

  @Test func `is asked of the source once, and everyone waits for it`() throws {
    let harness = ModelHarness(["a": 1, "d/b": 1])
    harness.isPrompt = false
    let handle = try folder(harness)
    let reading = harness.request(.readDirectory(handle, cookie: 0, capacity: 4_096, plus: false))
    let lookups = [
      harness.request(.lookup(parent: .root, name: "a")),
      harness.request(.lookup(parent: .root, name: "none")),
    ]
    let status = harness.begin(.status(["d/b"]))
    #expect(harness.listings.map(\.path) == ["."])
    #expect(harness.unanswered == [reading, lookups[0], lookups[1]])
    harness.answerListings()
    #expect(harness.unanswered.isEmpty)
    #expect(harness.replies[lookups[1]] == .error(.noSuchItem))
    guard case .items(let items) = harness.answer(status) else {
      Issue.record("no status")
      return
    }
    #expect(items.map(\.path) == ["d/b"])
  }

  @Test func `that fails reaches everyone who waits, and is tried again later`() throws {
    let harness = ModelHarness(["a": 1])
    harness.isPrompt = false
    let lookups = [
      harness.request(.lookup(parent: .root, name: "a")), harness.request(.lookup(parent: .root, name: "b")),
    ]
    let status = harness.begin(.status(["a"]))
    let killed = harness.request(.lookup(parent: .root, name: "a"))
    harness.interrupt(killed)
    harness.answerListings(failing: .EIO)
    for lookup in lookups { #expect(harness.replies[lookup] == .error(.source(.EIO))) }
    #expect(harness.replies[killed] == .error(.interrupted))
    #expect(harness.answer(status) == .failure(.source(.EIO), "."))
    harness.isPrompt = true
    #expect(try harness.attributes("a").size == 1)
  }

  @Test func `is of directories alone`() throws {
    let harness = ModelHarness(["a": 1, "d/b": 1])
    #expect(harness.reply(.openDirectory(try harness.node("a"))) == .error(.notADirectory))
    #expect(harness.reply(.lookup(parent: try harness.node("a"), name: "x")) == .error(.notADirectory))
    harness.openGate()
    #expect(try harness.openReply("d") == .error(.isADirectory))
    #expect(harness.reply(.readLink(try harness.node("a"))) == .error(.notASymbolicLink))
    // "." and ".." know their places.
    let rows = try rows(harness, folder(harness, "d"), capacity: 4_096, plus: true).flatMap { $0 }
    #expect(rows[0].attributes.id == (try harness.attributes("d").id))
    #expect(rows[1].attributes.id == .root)
    #expect(rows[0].node == nil && rows[1].node == nil)
  }

  @Test func `gives the same identifiers in every run`() throws {
    let first = ModelHarness(["a": 1, "d/a": 1])
    let second = ModelHarness(["0": 9, "d/a": 2, "a": 3])
    for path in ["a", "d/a", "d"] as [ItemPath] {
      #expect(try first.attributes(path).id == second.attributes(path).id)
    }
    #expect(try first.attributes("a").id != first.attributes("d/a").id)
  }

  @Test func `of a node that never was is stale`() {
    let harness = ModelHarness(["a": 1])
    for node in [NodeID(rawValue: 0), NodeID(rawValue: 77), NodeID(rawValue: 1 | 5 << 32)] {
      #expect(harness.reply(.getAttributes(node)) == .error(.sourceChanged))
    }
    #expect(harness.reply(.read(HandleID(99), offset: 0, length: 1)) == .error(.badHandle))
  }
}
