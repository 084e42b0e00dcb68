import Testing

@testable import ProviderModel

@Suite struct `Coordination` {
  /// Four clients with scopes on everything, which is local.
  private struct Stage {
    let harness: ModelHarness
    let actors: [Actor]

    init(dataless: Bool = false) {
      harness = ModelHarness(["a": 1_000, "b": 1_000, "d/c": 1_000]) {
        $0.items.initial = dataless ? .dataless : .local
        $0.download.latency = .fixed(.seconds(1))
      }
      harness.ask(.pick([ItemPath()], app: nil))
      actors = (10..<14).map { Actor($0, "app \($0)") }
      for actor in actors {
        harness.join(actor)
        harness.ask(.start(ItemPath(), covers: .process), by: actor)
      }
    }

    func claim(
      _ kind: Intent.Kind, _ paths: ItemPath..., by index: Int, options: Set<Intent.Option> = [],
      purpose: String = ""
    ) -> Int {
      let intents = paths.map { Intent(path: $0, kind: kind, options: options) }
      return harness.begin(.coordinate(intents, purpose: purpose), by: actors[index])
    }

    func granted(_ number: Int, _ index: Int) -> ClaimID? {
      if case .claim(let id, _) = harness.answer(number, of: actors[index]) { return id }
      return nil
    }

    func finish(_ number: Int, _ index: Int) throws {
      let id = try #require(granted(number, index))
      #expect(harness.ask(.finish(id), by: actors[index]) == .done)
    }
  }

  @Test func `lets readers read together`() {
    let stage = Stage()
    let claims = (0..<4).map { stage.claim(.read, "a", by: $0) }
    #expect(claims.enumerated().allSatisfy { stage.granted($0.element, $0.offset) != nil })
    #expect(stage.harness.events(.claimGranted).count == 4)
  }

  @Test func `has a writer wait for readers, and later readers for the writer`() throws {
    let stage = Stage()
    let (first, writer, late) = (
      stage.claim(.read, "a", by: 0), stage.claim(.write, "a", by: 1), stage.claim(.read, "a", by: 2)
    )
    let elsewhere = stage.claim(.write, "b", by: 3)
    #expect(stage.granted(first, 0) != nil && stage.granted(elsewhere, 3) != nil)
    #expect(stage.granted(writer, 1) == nil && stage.granted(late, 2) == nil)
    stage.harness.pass(.seconds(3))
    try stage.finish(first, 0)
    #expect(stage.granted(writer, 1) != nil && stage.granted(late, 2) == nil)
    try stage.finish(writer, 1)
    #expect(stage.granted(late, 2) != nil)
    let granted = stage.harness.events(.claimGranted)
    #expect(granted.last?.waited == .seconds(3))
    #expect(granted.map(\.operation) == ["read", "write", "write", "read"])
  }

  @Test func `grants a batch as one, when all of it is free`() throws {
    let stage = Stage()
    let (a, b) = (stage.claim(.write, "a", by: 0), stage.claim(.write, "b", by: 1))
    let both = stage.claim(.read, "a", "b", by: 2)
    // It waits for a, so whoever writes b later waits for it.
    let later = stage.claim(.write, "b", by: 3)
    try stage.finish(b, 1)
    #expect(stage.granted(both, 2) == nil && stage.granted(later, 3) == nil)
    try stage.finish(a, 0)
    #expect(
      stage.harness.answer(both, of: stage.actors[2])
        == stage.granted(both, 2).map { .claim($0, ["a", "b"]) })
    #expect(stage.granted(later, 3) == nil)
    try stage.finish(both, 2)
    #expect(stage.granted(later, 3) != nil)
  }

  @Test func `of one purpose never waits for itself`() {
    let stage = Stage()
    let first = stage.claim(.write, "a", by: 0, purpose: "sync")
    let same = stage.claim(.write, "a", by: 1, purpose: "sync")
    let other = stage.claim(.write, "a", by: 2, purpose: "other")
    let none = stage.claim(.read, "a", by: 3)
    #expect(stage.granted(first, 0) != nil && stage.granted(same, 1) != nil)
    #expect(stage.granted(other, 2) == nil && stage.granted(none, 3) == nil)
  }

  @Test func `of no purpose waits for others of none`() {
    let stage = Stage()
    #expect(stage.granted(stage.claim(.write, "a", by: 0), 0) != nil)
    #expect(stage.granted(stage.claim(.write, "a", by: 1), 1) == nil)
  }

  @Test func `fetches the content for a read first, not for metadata or a write`() throws {
    let stage = Stage(dataless: true)
    let metadata = stage.claim(.read, "a", by: 0, options: [.immediatelyAvailableMetadataOnly])
    #expect(stage.granted(metadata, 0) != nil)
    let write = stage.claim(.write, "b", by: 1)
    #expect(stage.granted(write, 1) != nil)
    #expect(stage.harness.events(.downloadStarted).isEmpty)
    let read = stage.claim(.read, "a", "d/c", by: 2)
    #expect(stage.granted(read, 2) == nil)
    #expect(stage.harness.events(.downloadStarted).count == 2)
    stage.harness.pass(.seconds(1))
    #expect(stage.granted(read, 2) != nil)
  }

  @Test func `has metadata reads wait for writers too`() {
    let stage = Stage()
    _ = stage.claim(.write, "a", by: 0)
    let metadata = stage.claim(.read, "a", by: 1, options: [.immediatelyAvailableMetadataOnly])
    #expect(stage.granted(metadata, 1) == nil)
  }

  @Test func `fetches again what was evicted before the rest was there`() throws {
    let stage = Stage(dataless: true)
    stage.harness.ask(.hold(.download, "b", at: nil, name: "h"))
    let claim = stage.claim(.read, "a", "b", by: 0)
    stage.harness.pass(.seconds(1))
    stage.harness.ask(.evict(["a"]))
    stage.harness.ask(.release("h", error: nil))
    #expect(stage.granted(claim, 0) == nil)
    stage.harness.pass(.seconds(1))
    #expect(stage.granted(claim, 0) != nil)
    #expect(try stage.harness.status("a").copy == .local)
  }

  @Test func `of an item that is not there yet goes by its folder and name`() throws {
    let stage = Stage()
    let first = stage.claim(.write, "d/new", by: 0)
    let same = stage.claim(.write, "d/new", by: 1)
    let other = stage.claim(.write, "new", by: 2)
    #expect(stage.granted(first, 0) != nil && stage.granted(other, 2) != nil)
    #expect(stage.granted(same, 1) == nil)
    try stage.finish(first, 0)
    #expect(
      stage.harness.answer(same, of: stage.actors[1]) == stage.granted(same, 1).map { .claim($0, ["d/new"]) })
    let nowhere = stage.claim(.read, "none/new", by: 3)
    #expect(stage.harness.answer(nowhere, of: stage.actors[3]) == .failure(.noSuchItem, "none/new"))
  }

  @Test func `needs a scope but for metadata`() {
    let stage = Stage()
    let stranger = Actor(20, "stranger")
    stage.harness.join(stranger)
    func ask(_ kind: Intent.Kind, _ options: Set<Intent.Option> = []) -> Answer? {
      stage.harness.ask(
        .coordinate([Intent(path: "a", kind: kind, options: options)], purpose: ""), by: stranger)
    }
    #expect(ask(.read) == .failure(.accessNotGranted, "a"))
    #expect(ask(.write) == .failure(.accessNotGranted, "a"))
    #expect(stage.harness.events(.claimFailed).map(\.error) == [.accessNotGranted, .accessNotGranted])
    guard case .claim = ask(.read, [.immediatelyAvailableMetadataOnly]) else {
      Issue.record("metadata is gated")
      return
    }
  }

  @Test func `is finished by its own session, once`() throws {
    let stage = Stage()
    let claim = stage.claim(.write, "a", by: 0)
    let waiting = stage.claim(.write, "a", by: 1)
    let id = try #require(stage.granted(claim, 0))
    for (finished, index) in [(id, 1), (ClaimID(99), 0), (ClaimID(id.rawValue + 1), 1)] {
      guard case .failure(.invalid, nil) = stage.harness.ask(.finish(finished), by: stage.actors[index])
      else {
        Issue.record("\(finished) finished by \(index)")
        continue
      }
    }
    #expect(stage.granted(waiting, 1) == nil)
    try stage.finish(claim, 0)
    #expect(stage.granted(waiting, 1) != nil)
    guard case .failure(.invalid, nil) = stage.harness.ask(.finish(id), by: stage.actors[0]) else {
      Issue.record("finished twice")
      return
    }
  }

  @Test(arguments: [true, false])
  func `lets the next in when its session or process ends`(bySession: Bool) {
    let stage = Stage()
    _ = stage.claim(.write, "a", by: 0)
    _ = stage.claim(.write, "a", by: 1)
    let last = stage.claim(.write, "a", by: 2)
    for index in [1, 0] {
      #expect(stage.granted(last, 2) == nil)
      // The waiting one goes without having had its turn, then the one that holds it.
      if bySession {
        stage.harness.leave(stage.actors[index])
      } else {
        stage.harness.forget(stage.actors[index])
        stage.harness.end(stage.actors[index].process)
      }
    }
    #expect(stage.granted(last, 2) != nil)
  }

  @Test func `that is canceled is answered so and lets the next in`() {
    let stage = Stage()
    let first = stage.claim(.read, "a", by: 0)
    let writer = stage.claim(.write, "a", by: 1)
    let reader = stage.claim(.read, "a", by: 2)
    stage.harness.ask(.cancel(request: writer), by: stage.actors[1])
    #expect(stage.harness.answer(writer, of: stage.actors[1]) == .failure(.canceled, nil))
    #expect(stage.granted(reader, 2) != nil)
    // Too late for one that is granted: that is finished.
    stage.harness.ask(.cancel(request: first), by: stage.actors[0])
    #expect(stage.granted(first, 0) != nil)
  }

  @Test func `fails with the error that its download is released with`() throws {
    let stage = Stage(dataless: true)
    stage.harness.ask(.hold(.download, "a", at: nil, name: "h"))
    let read = stage.claim(.read, "a", "b", by: 0)
    let writer = stage.claim(.write, "a", by: 1)
    stage.harness.pass(.seconds(1))
    stage.harness.ask(.release("h", error: .ETIMEDOUT))
    #expect(stage.harness.answer(read, of: stage.actors[0]) == .failure(.released(.ETIMEDOUT), "a"))
    #expect(stage.granted(writer, 1) != nil)
    #expect(stage.harness.waiterCount == 0)
  }

  @Test func `shows in the status and in the events of who reads under it`() throws {
    let stage = Stage()
    let claim = stage.claim(.read, "a", by: 0)
    let waiting = stage.claim(.write, "a", by: 1)
    let ids = try stage.harness.status("a").claims
    #expect(ids.first == stage.granted(claim, 0) && ids.count == 2)
    #expect(stage.granted(waiting, 1) == nil)
    _ = try stage.harness.handle("a", by: stage.actors[0])
    #expect(stage.harness.events(.operation).last?.claim == ids.first)
    _ = try stage.harness.handle("a", by: stage.actors[1])
    #expect(stage.harness.events(.operation).last?.claim == nil)
  }
}

@Suite struct `Waiting for a condition` {
  private func harness() -> ModelHarness {
    let harness = ModelHarness(["a": 10, "d/b": 10]) { $0.download.latency = .fixed(.seconds(1)) }
    harness.openGate()
    return harness
  }

  @Test func `of a hold ends when something is parked there`() throws {
    let harness = harness()
    // It may be waited for before it is set.
    let number = harness.begin(.wait(.hold("h")))
    harness.ask(.hold(.open, "a", at: nil, name: "h"))
    #expect(harness.answer(number) == nil)
    _ = try harness.open("a")
    #expect(harness.answer(number) == .done)
    #expect(harness.ask(.wait(.hold("h"))) == .done)
  }

  @Test func `of a state ends when the item has it`() throws {
    let harness = harness()
    #expect(harness.ask(.wait(.state("d/b", .dataless))) == .done)
    let number = harness.begin(.wait(.state("d/b", .local)))
    harness.begin(.download(["d/b"]))
    #expect(harness.answer(number) == nil)
    harness.pass(.seconds(1))
    #expect(harness.answer(number) == .done)
    #expect(harness.ask(.wait(.state("none", .local))) == .failure(.noSuchItem, "none"))
  }

  @Test func `of an event ends with the next of its name`() throws {
    let harness = harness()
    harness.begin(.download(["a"]))
    let number = harness.begin(.wait(.event("downloadStarted")))
    #expect(harness.answer(number) == nil)
    harness.begin(.download(["d/b"]))
    #expect(harness.answer(number) == .done)
  }
}
