import Testing

@testable import ProviderModel

@Suite struct `An overview` {
  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a": 1_000, "b": 1_000, "d/c": 1_000, "d/e": 0]) {
      $0.download.latency = .fixed(.seconds(1))
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func overview(_ harness: ModelHarness, _ folder: ItemPath = ItemPath(), limit: Int = 100) throws
    -> Overview
  {
    guard case .overview(let overview) = harness.ask(.top(folder, limit: limit)) else {
      throw ModelHarness.Missing(path: folder, reply: nil)
    }
    return overview
  }

  @Test func `has what is in motion first, then what the folder holds`() throws {
    let harness = harness()
    #expect(try overview(harness).items.map(\.path) == ["a", "b", "d"])
    harness.begin(.download(["d/c"]))
    _ = try harness.handle("b")
    let moved = try overview(harness)
    #expect(Set(moved.items.map(\.path).prefix(2)) == ["b", "d/c"])
    #expect(moved.items.map(\.path).suffix(2) == ["a", "d"])
    #expect(moved.counts.moving == 2 && moved.counts.items == 4)
    #expect(try overview(harness, "d").items.map(\.path).last == "d/e")
    #expect(harness.ask(.top("a", limit: 9)) == .failure(.notADirectory, "a"))
    #expect(harness.ask(.top("x", limit: 9)) == .failure(.noSuchItem, "x"))
  }

  @Test func `has who waits, for what, and since when`() throws {
    let harness = harness { $0.latency.getattr = .fixed(.seconds(9)) }
    let (a, b) = (try harness.handle("a"), try harness.handle("b"))
    harness.ask(.hold(.read, "b", at: nil, name: "h"))
    harness.ask(.hold(.start, "b", at: nil, name: "s"))
    harness.ask(.hold(.download, "d", at: nil, name: "t"))
    harness.begin(.download(["d/c"]))
    harness.pass(.seconds(1))
    harness.read(a)
    harness.pass(.milliseconds(100))
    harness.read(b, by: harness.client)
    harness.pass(.milliseconds(100))
    harness.request(.getAttributes(.root))
    harness.begin(.start("b", covers: .process), by: harness.app)
    let overview = try overview(harness)
    #expect(overview.waiting.map(\.operation) == ["download", "read", "read", "getattr", "start"])
    #expect(overview.waiting.map(\.path) == ["d/c", "a", "b", ".", "b"])
    #expect(overview.waiting.map(\.reason) == [.hold, .content, .hold, .delay, .hold])
    #expect(overview.waiting.map(\.hold) == ["t", nil, "h", nil, "s"])
    #expect(overview.waiting.map(\.process) == [nil, 2, 1, 2, 2])
    #expect(
      overview.waiting.map { $0.since.map { (overview.now - $0).nanoseconds / 1_000_000 } } == [
        nil, 200, 100, 0, 0,
      ])
    #expect(overview.holds.map(\.parked) == [1, 1, 1])
  }

  @Test func `has scopes, claims and rules`() throws {
    let harness = harness {
      $0.rules = [Rule(name: "r", operations: [.open], effect: RuleEffect(delay: .fixed(.seconds(1))))]
    }
    harness.ask(.start(ItemPath(), covers: .process), by: harness.app)
    harness.begin(.coordinate([Intent(path: "a", kind: .write, options: [])], purpose: ""), by: harness.app)
    harness.pass(.seconds(1))
    harness.begin(.coordinate([Intent(path: "a", kind: .read, options: [])], purpose: ""), by: harness.app)
    _ = try harness.open("b")
    let overview = try overview(harness)
    #expect(overview.scopes.map(\.count) == [2] && overview.scopes.first?.app == harness.app.app)
    #expect(overview.claims.map(\.phase) == [.granted, .waiting])
    #expect(overview.claims.map { $0.intents.map(\.kind) } == [[.write], [.read]])
    #expect(overview.claims.last.map { overview.now - $0.since } == .zero)
    #expect(overview.rules == [RuleHits(name: "r", operations: [.open], hits: 1)])
  }

  @Test func `has no more of each than is asked for, and says how many there are`() throws {
    let harness = harness()
    for number in 0..<20 { harness.ask(.hold(.open, "a", at: nil, name: "h\(number)")) }
    for _ in 0..<3 { harness.request(.open(try harness.node("a"), writes: false)) }
    let overview = try overview(harness, limit: 2)
    #expect(overview.items.count == 2 && overview.holds.count == 2 && overview.waiting.count == 2)
    #expect(overview.counts.items == 3 && overview.counts.holds == 20 && overview.counts.waiting == 3)
  }
}
