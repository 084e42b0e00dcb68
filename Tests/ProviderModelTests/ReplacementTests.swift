import Testing

@testable import ProviderModel

@Suite struct `A replacement` {
  private func harness(local: Bool = true) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 100]) { if local { $0.items.initial = .local } }
    harness.openGate()
    return harness
  }

  @Test(arguments: [RuleChange.Replacement.rename, .recreate])
  func `is another item of the same name, with another version`(kind: RuleChange.Replacement) throws {
    let harness = harness()
    let (node, before) = (try harness.node("a.pdf"), try harness.attributes("a.pdf"))
    let old = try harness.handle("a.pdf")
    #expect(harness.replace("a.pdf", by: kind))
    let after = try harness.attributes("a.pdf")
    #expect(
      after.id != before.id && after.id.rawValue & 1 << 62 != 0 && after.size == 100 && after.blocks == 8)
    #expect(try harness.status("a.pdf").version == 2)
    #expect(try harness.contentOfOpen("a.pdf") == .source("a.pdf"))
    // Looked up before, opened after: the kernel looks again.
    #expect(harness.reply(.open(node, writes: false)) == .error(.sourceChanged))
    guard case .content(old, 0, 4096, .some, nil) = harness.readReply(old) else {
      Issue.record("not read")
      return
    }
    #expect(try harness.names(ItemPath()) == ["a.pdf"])
  }

  @Test func `has the bytes that were laid ready for it`() throws {
    let harness = harness()
    let content = NewContent(.text(Array("new".utf8)))
    harness.remote(.prepare("a.pdf", content))
    #expect(try harness.attributes("a.pdf").size == 100)
    harness.replace("a.pdf", by: .rename, gap: .zero)
    #expect(try harness.attributes("a.pdf").size == 3)
    let handle = try harness.handle("a.pdf")
    let blob = try #require(harness.contents[handle]?.blob)
    #expect(harness.blobs[blob] == content)
    // Once only.
    harness.replace("a.pdf", by: .recreate)
    #expect(try harness.status("a.pdf").version == 3)
    #expect(try harness.contentOfOpen("a.pdf")?.blob == blob)
    harness.expectRightCounts()
  }

  @Test func `has what the server has, where that is newer`() throws {
    let harness = harness()
    _ = harness.write(remotely: "new", to: "a.pdf")
    let old = try harness.handle("a.pdf")
    harness.replace("a.pdf", by: .rename)
    let status = try harness.status("a.pdf")
    #expect(status.copy == .local && status.size == 3 && status.version == 3)
    guard case .content(old, 0, 4096, .some, nil) = harness.readReply(old) else {
      Issue.record("not read")
      return
    }
  }

  @Test func `leaves a gap in which there is nothing`() throws {
    let harness = harness()
    let node = try harness.node("a.pdf")
    harness.replace("a.pdf", by: .recreate, gap: .milliseconds(5))
    #expect(harness.reply(.open(node, writes: false)) == .error(.sourceChanged))
    #expect(harness.reply(.lookup(parent: .root, name: "a.pdf")) == .error(.noSuchItem))
    #expect(try harness.names(ItemPath()).isEmpty)
    #expect(harness.nextDeadline == Instant(nanoseconds: 5_000_000))
    harness.pass(.milliseconds(5))
    #expect(try harness.openReply("a.pdf") != .error(.accessNotGranted))
    #expect(try harness.names(ItemPath()) == ["a.pdf"])
  }

  @Test func `comes back under a name that is free`() throws {
    let harness = harness()
    _ = try harness.node("a.pdf")
    harness.replace("a.pdf", by: .recreate, gap: .milliseconds(5))
    _ = harness.write(remotely: "x", to: "a.pdf")
    harness.pass(.milliseconds(5))
    #expect(try harness.names(ItemPath()) == ["a.pdf", "a 2.pdf"])
  }

  @Test func `does not come back to a folder that has gone`() throws {
    let harness = ModelHarness(["d/a": 10])
    _ = try harness.node("d/a")
    harness.replace("d/a", by: .recreate, gap: .milliseconds(5))
    harness.remote(.delete("d"))
    harness.pass(.milliseconds(5))
    #expect(try harness.names(ItemPath()).isEmpty)
    for node in harness.lookups.keys.map(\.rawValue).sorted() { harness.forget(NodeID(rawValue: node)) }
    #expect(harness.orphanCount == 0)
  }

  @Test func `fails who waits for what can no longer be had`() throws {
    let harness = ModelHarness(["a.pdf": 100]) { $0.download.latency = .fixed(.seconds(1)) }
    harness.openGate()
    let handle = try harness.handle("a.pdf")
    let read = harness.read(handle)
    harness.replace("a.pdf", by: .rename)
    #expect(harness.replies[read] == .error(.provider(.versionNoLongerAvailable)))
    #expect(try harness.status("a.pdf").copy == .dataless)
  }

  @Test func `of a folder is none`() throws {
    let harness = ModelHarness(["d/a": 1])
    _ = try harness.node("d")
    #expect(!harness.replace("d", by: .rename))
  }

  @Test func `keeps a scope, its stop and a hold`() throws {
    let harness = ModelHarness(["a.pdf": 100])
    let reader = Actor(8, "reader")
    harness.join(reader)
    harness.ask(.pick(["a.pdf"], app: nil))
    harness.ask(.start("a.pdf", covers: .process), by: reader)
    harness.ask(.hold(.read, "a.pdf", at: nil, name: "h"))
    harness.replace("a.pdf", by: .recreate)
    let handle = try #require(harness.handle(of: harness.open("a.pdf", by: reader)))
    harness.read(handle, by: reader)
    #expect(harness.events(.held).map(\.hold) == ["h"])
    #expect(harness.ask(.stop("a.pdf"), by: reader) == .done)
    #expect(try harness.openReply("a.pdf", by: reader) == .error(.accessNotGranted))
  }

  @Test func `by a rule strikes the item once, not the one that it makes`() throws {
    let harness = harness()
    var rule = Rule(
      name: "swap", operations: [.open], effect: RuleEffect(changes: [.replace(.rename, gap: .zero)]))
    rule.occurrence.times = 1
    harness.ask(.addRule(rule))
    let node = try harness.node("a.pdf")
    #expect(harness.reply(.open(node, writes: false)) == .error(.sourceChanged))
    #expect(harness.handle(of: try harness.open("a.pdf")) != nil)
    #expect(harness.events(.replaced).count == 1)
  }

  @Test func `of what is replaced whenever it is fetched lets time go by for a coordinated read`() throws {
    let harness = ModelHarness(["a": 100])
    harness.openGate()
    harness.ask(
      .addRule(
        Rule(
          name: "r", operations: [.download], effect: RuleEffect(changes: [.replace(.rename, gap: .zero)]))))
    let number = harness.begin(.coordinate([Intent(path: "a", kind: .read)], purpose: ""), by: harness.app)
    #expect(harness.answer(number, of: harness.app) == nil)
    #expect(harness.events(.replaced).count == 2)
    harness.pass(.seconds(2))
    #expect(harness.answer(number, of: harness.app) == nil)
    #expect(harness.events(.replaced).count == 3)
    harness.ask(.clearRules)
    harness.pass(.seconds(4))
    guard case .claim(_, let paths) = harness.answer(number, of: harness.app) else {
      Issue.record("\(String(describing: harness.answer(number, of: harness.app)))")
      return
    }
    #expect(paths == ["a"])
  }
}
