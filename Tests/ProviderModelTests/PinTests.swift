import Testing

@testable import ProviderModel

@Suite struct `A pinned item` {
  private static let files: [ItemPath: Int64] = [
    "a.pdf": 1_000, "b.pdf": 1_000, "d/c.pdf": 1_000, "d/e/f.pdf": 1_000,
  ]
  private static let refused = ProviderError.provider(.nonEvictable)

  private func harness(
    _ pinned: [String] = [], _ change: (inout Profile) -> Void = { _ in }
  ) -> ModelHarness {
    let harness = ModelHarness(Self.files) {
      $0.items.pinned = pinned.compactMap { Glob($0) }
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func pin(_ path: ItemPath, _ harness: ModelHarness) -> ItemStatus? {
    guard case .items(let items) = harness.ask(.pin([path])) else { return nil }
    return items.first
  }

  private func states(_ harness: ModelHarness) throws -> [CopyState] {
    try Self.files.keys.sorted { "\($0)" < "\($1)" }.map { try harness.status($0).copy }
  }

  // MARK: By the profile

  @Test(arguments: ["d", "d/**", "**/d"]) func `of the profile is local from the start, with its folder`(
    pattern: String
  ) throws {
    let harness = harness([pattern])
    #expect(try states(harness) == [.dataless, .dataless, .local, .local])
    #expect(try harness.status("d/e/f.pdf").isPinned)
    #expect(try !harness.status("a.pdf").isPinned)
    #expect(harness.events(.downloadStarted).isEmpty)
  }

  @Test func `is not evicted: neither when asked, nor for room, nor by a rule`() throws {
    let harness = harness(["a.pdf"]) { $0.items.local = [Glob("b.pdf")].compactMap { $0 } }
    _ = try harness.node("a.pdf")
    #expect(harness.ask(.evict(["b.pdf", "a.pdf"])) == .failure(Self.refused, "a.pdf"))
    #expect(try harness.writeReply("evict", to: "a.pdf") == .error(Self.refused))
    guard case .relieved(let evicted, let bytes) = harness.ask(.relieve(5_000)) else {
      Issue.record("no answer")
      return
    }
    #expect(evicted.map(\.path) == ["b.pdf"] && bytes == 1_000)
    harness.ask(
      .addRule(Rule(name: "r", operations: [.open], effect: RuleEffect(changes: [.evict]))))
    _ = try harness.open("a.pdf")
    #expect(try harness.status("a.pdf").copy == .local)
    #expect(harness.events(.evicted).map(\.path) == ["b.pdf"])
  }

  @Test func `is spared by items.localLimit`() throws {
    let harness = harness(["a.pdf"]) { $0.items.localLimit = 1_500 }
    _ = try harness.node("a.pdf")
    harness.ask(.download(["b.pdf"]))
    harness.ask(.download(["d/c.pdf"]))
    #expect(try states(harness) == [.local, .dataless, .local, .dataless])
  }

  // MARK: By people

  @Test func `is downloaded by itself, and the answer does not wait for that`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(5)) }
    let status = try #require(pin("a.pdf", harness))
    #expect(status.isPinned && status.copy == .downloading)
    #expect(harness.events(.pinned).map(\.path) == ["a.pdf"])
    harness.pass(.seconds(5))
    #expect(try harness.status("a.pdf").copy == .local)
    #expect(harness.ask(.evict(["a.pdf"])) == .failure(Self.refused, "a.pdf"))
  }

  @Test func `pins what is in it, and what is listed later`() throws {
    let harness = harness()
    _ = try harness.node("d/c.pdf")
    let status = try #require(pin("d", harness))
    #expect(status.isPinned && !status.isUnlisted)
    #expect(try harness.status("d/c.pdf").copy == .local)
    // Its folder is listed only now.
    _ = try harness.node("d/e/f.pdf")
    #expect(try harness.status("d/e/f.pdf").copy == .local)
    #expect(try harness.status("a.pdf").copy == .dataless)
  }

  @Test func `that was never listed says so`() throws {
    let harness = harness()
    let status = try #require(pin("d", harness))
    #expect(status.isPinned && status.isUnlisted)
    #expect(harness.events(.downloadStarted).isEmpty)
  }

  @Test func `that is not there is an error`() {
    let harness = harness()
    #expect(harness.ask(.pin(["x"])) == .failure(.noSuchItem, "x"))
    #expect(harness.ask(.unpin(["a.pdf/x"])) == .failure(.noSuchItem, "a.pdf/x"))
    #expect(harness.events(.pinned).isEmpty)
  }

  @Test func `is no longer one after unpin, and its copy stays`() throws {
    let harness = harness(["d"])
    _ = try harness.node("d/c.pdf")
    harness.ask(.unpin(["d/c.pdf"]))
    #expect(harness.events(.unpinned).map(\.path) == ["d/c.pdf"])
    let status = try harness.status("d/c.pdf")
    #expect(!status.isPinned && status.copy == .local)
    harness.ask(.evict(["d/c.pdf"]))
    #expect(try harness.status("d/c.pdf").copy == .dataless)
    #expect(try harness.status("d/e/f.pdf").isPinned)
  }

  @Test func `goes by the nearest word that was said, and any comes before the profile`() throws {
    let harness = harness(["d/e"])
    _ = try harness.node("d/e/f.pdf")
    harness.ask(.unpin(["d"]))
    #expect(try !harness.status("d/e/f.pdf").isPinned)
    harness.ask(.pin(["d/e"]))
    #expect(try harness.status("d/e/f.pdf").isPinned)
    #expect(try !harness.status("d/c.pdf").isPinned)
    harness.ask(.unpin(["d/e/f.pdf"]))
    harness.ask(.pin(["d"]))
    #expect(try !harness.status("d/e/f.pdf").isPinned)
    #expect(try harness.status("d/c.pdf").isPinned)
  }

  // MARK: What others do

  @Test func `is downloaded again when the server has a newer version`() throws {
    let harness = harness(["a.pdf"]) {
      $0.download.latency = .fixed(.seconds(5))
      $0.items.onRemoteUpdate = .evict
    }
    _ = harness.write(remotely: "newer", to: "a.pdf")
    // What is here stays until the rest has come.
    #expect(try harness.status("a.pdf").copy == .stale)
    harness.pass(.seconds(5))
    let status = try harness.status("a.pdf")
    #expect(status.copy == .local && status.version == 2 && status.size == 5)
    #expect(harness.events(.evicted).isEmpty)
  }

  @Test func `folder brings what comes into it`() throws {
    let harness = harness(["d"])
    _ = try harness.node("d/c.pdf")
    _ = harness.write(remotely: "new", to: "d/new.pdf")
    #expect(try harness.status("d/new.pdf").copy == .local)
    harness.remote(.move("a.pdf", to: "d"))
    #expect(try harness.status("d/a.pdf").copy == .local)
    harness.remote(.move("d/c.pdf", to: "c.pdf"))
    #expect(try !harness.status("c.pdf").isPinned)
  }

  @Test(arguments: [RuleChange.Replacement.rename, .recreate])
  func `that is replaced stays pinned`(by kind: RuleChange.Replacement) throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(5)) }
    _ = pin("a.pdf", harness)
    harness.replace("a.pdf", by: kind)
    #expect(try harness.status("a.pdf").isPinned)
    harness.pass(.seconds(5))
    #expect(try harness.status("a.pdf").copy == .local)
  }

  @Test func `that is deleted is forgotten with its place`() throws {
    let harness = harness()
    let node = try harness.node("a.pdf")
    _ = pin("a.pdf", harness)
    harness.remote(.delete("a.pdf"))
    harness.forget(node)
    _ = harness.write(remotely: "another", to: "other.pdf")
    let other = try harness.node("other.pdf")
    #expect(other.slot == node.slot && other != node)
    #expect(try !harness.status("other.pdf").isPinned)
  }

  // MARK: Failures

  @Test func `is tried again when its download fails, though nobody waits`() throws {
    let harness = harness()
    harness.keepFailing("a.pdf", .provider(.serverUnreachable))
    harness.ask(.hold(.download, "a.pdf", at: nil, name: "h"))
    _ = pin("a.pdf", harness)
    #expect(harness.events(.downloadFailed).count == 1)
    harness.ask(.release("h", error: nil))
    harness.keepFailing("a.pdf", nil)
    #expect(try harness.status("a.pdf").copy != .local)
    harness.pass(.seconds(1))
    #expect(try harness.status("a.pdf").copy == .local)
  }

  @Test func `waits for the provider to be online again`() throws {
    let harness = harness()
    harness.ask(.setCondition(.offline, for: nil))
    _ = pin("a.pdf", harness)
    harness.pass(.seconds(40))
    #expect(try harness.status("a.pdf").copy != .local)
    harness.ask(.setCondition(.online, for: nil))
    #expect(try harness.status("a.pdf").copy == .local)
  }

  @Test func `no longer tries once it is unpinned`() throws {
    let harness = harness()
    harness.ask(.setCondition(.offline, for: nil))
    _ = pin("a.pdf", harness)
    harness.ask(.unpin(["a.pdf"]))
    harness.run(to: harness.now + .seconds(100))
    #expect(harness.nextDeadline == nil)
    #expect(try harness.status("a.pdf").copy == .dataless)
  }

  @Test func `whose download cannot come is not tried for ever`() throws {
    let harness = harness()
    harness.ask(.hold(.download, "a.pdf", at: nil, name: "h"))
    _ = pin("a.pdf", harness)
    harness.fail("a.pdf", .provider(.noSuchItem))
    harness.run(to: harness.now + .seconds(100))
    #expect(try harness.status("a.pdf").copy == .dataless)
    #expect(harness.nextDeadline == nil)
  }

  @Test func `is told by explain`() throws {
    let harness = harness(["a.pdf"])
    _ = try harness.node("a.pdf")
    guard case .explanation(let pinned) = harness.ask(.explain("a.pdf", .read, app: nil, at: nil)),
      case .explanation(let other) = harness.ask(.explain("b.pdf", .read, app: nil, at: nil))
    else {
      Issue.record("no explanation")
      return
    }
    #expect(pinned.steps.first == "a.pdf is pinned: downloaded by itself, never evicted")
    #expect(other.steps.allSatisfy { !$0.contains("pinned") })
  }
}
