import Testing

@testable import ProviderModel

@Suite struct `A server that is ahead` {
  private func harness(
    local: Bool = true, _ rules: [Rule] = [], _ change: @escaping (inout Profile) -> Void = { _ in }
  ) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 100, "d/b.pdf": 50]) {
      if local { $0.items.initial = .local }
      $0.rules = rules
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func rule(
    _ name: String, _ operations: [OperationName], _ effect: RuleEffect, times: UInt64? = nil
  ) -> Rule {
    var rule = Rule(name: name, operations: operations, effect: effect)
    rule.occurrence.times = times
    return rule
  }

  private var ahead: Rule { rule("ahead", [.open], RuleEffect(changes: [.update]), times: 1) }
  private var stuck: Rule {
    var stuck = rule("stuck", [.download], RuleEffect(disturbance: .stale))
    stuck.window.until = .seconds(600)
    return stuck
  }

  private func coordinate(_ harness: ModelHarness, _ path: ItemPath = "a.pdf") -> Answer? {
    harness.ask(.coordinate([Intent(path: path, kind: .read)], purpose: ""), by: harness.app)
  }

  @Test func `leaves plain opens what is here, and brings the rest in coordination`() throws {
    let harness = harness([ahead])
    let old = try harness.handle("a.pdf")
    #expect(harness.contents[old] == .source("a.pdf"))
    let status = try harness.status("a.pdf")
    #expect(status.copy == .stale && status.version == 2 && status.localVersion == 1 && status.size == 100)
    harness.release(old)
    guard case .claim = coordinate(harness) else {
      Issue.record("not granted")
      return
    }
    let now = try harness.status("a.pdf")
    #expect(now.copy == .local && now.localVersion == nil && now.size == 100 + 13)
    let new = try harness.handle("a.pdf")
    #expect(harness.contents[new]?.blob != nil)
    #expect(harness.events(.remoteChanged).map(\.path) == ["a.pdf"])
    #expect(harness.mirrors.isEmpty)
    harness.expectRightCounts()
  }

  @Test func `keeps an open waiting until the shell has the bytes`() throws {
    let harness = harness(local: false, [ahead])
    harness.keepsPromptly = false
    let request = try harness.open("a.pdf")
    #expect(harness.replies[request] == nil)
    // A stat does not wait for them.
    #expect(try harness.attributes("a.pdf").size == 113)
    harness.makeBlobs()
    guard case .opened = harness.replies[request] else {
      Issue.record("not opened")
      return
    }
    harness.expectRightCounts()
  }

  @Test func `lets an open end whose bytes could not be kept, or whose reader is gone`() throws {
    let harness = harness(local: false, [ahead])
    harness.keepsPromptly = false
    let gone = try harness.open("a.pdf")
    harness.interrupt(gone)
    #expect(harness.replies[gone] == .error(.interrupted))
    let request = try harness.open("a.pdf")
    harness.makeBlobs(failing: .content(.ENOSPC, "full"))
    #expect(harness.replies[request] != nil)
    harness.expectNobodyWaits()
  }

  @Test func `stays ahead while downloads bring nothing newer`() throws {
    let harness = harness([ahead, stuck])
    harness.release(try harness.handle("a.pdf"))
    guard case .claim(let claim, _) = coordinate(harness) else {
      Issue.record("not granted")
      return
    }
    #expect(try harness.status("a.pdf").copy == .stale)
    harness.ask(.finish(claim), by: harness.app)
    guard case .items(let items) = harness.ask(.download(["a.pdf"])) else {
      Issue.record("not answered")
      return
    }
    #expect(items.map(\.copy) == [.stale] && items.map(\.localVersion) == [1])
    let finished = harness.events(.downloadFinished)
    #expect(finished.map(\.copy) == [.stale, .stale] && finished.map(\.rule) == ["stuck", "stuck"])
    // What asks with an attribute is answered, too.
    guard case .done = try harness.writeReply("download", to: "a.pdf") else {
      Issue.record("not done")
      return
    }
    harness.pass(.seconds(600))
    guard case .claim = coordinate(harness) else {
      Issue.record("not granted")
      return
    }
    #expect(try harness.status("a.pdf").copy == .local)
    harness.expectNobodyWaits()
  }

  @Test func `does not keep from anybody what is not here at all`() throws {
    let harness = harness(local: false, [stuck])
    let handle = try harness.handle("a.pdf")
    #expect(harness.readReply(handle) != nil)
    #expect(try harness.status("a.pdf").copy == .local)
  }

  @Test func `has a conflicting version beside the item`() throws {
    let harness = harness([rule("twin", [.open], RuleEffect(changes: [.conflict]), times: 1)])
    harness.release(try harness.handle("a.pdf"))
    #expect(try harness.status("a.pdf").conflicts == 1)
    let twin = try harness.status("a 2.pdf")
    #expect(twin.size == 100 && twin.copy == .dataless)
    #expect(try harness.attribute("com.apple.fileprovider.before-bounce#P", of: "a 2.pdf") == nil)
    #expect(harness.events(.remoteConflict).map(\.path) == ["a.pdf"])
    #expect(harness.events(.remoteCreated).map(\.path) == ["a 2.pdf"])
    // The same item whatever else was made meanwhile.
    let other = self.harness([rule("twin", [.open], RuleEffect(changes: [.conflict]), times: 1)])
    other.release(try other.handle("d/b.pdf"))
    other.release(try other.handle("a.pdf"))
    #expect(try other.status("a 2.pdf").id == twin.id)
    harness.expectRightCounts()
  }

  @Test func `is ahead by an event of the profile's, at its time`() throws {
    let harness = harness {
      $0.events = [TimedEvent(at: .seconds(5), path: "a.pdf", change: .update)]
    }
    _ = try harness.attributes("a.pdf")
    #expect(try harness.status("a.pdf").version == 1)
    harness.pass(.seconds(5))
    #expect(try harness.status("a.pdf").version == 2)
  }

  @Test func `is ahead at its time of what nobody has looked at yet`() throws {
    let harness = harness {
      $0.events = [
        TimedEvent(at: .seconds(1), path: "d/b.pdf", change: .update),
        TimedEvent(at: .seconds(2), path: "d/b.pdf", change: .update),
        TimedEvent(at: .seconds(2), path: "none/b.pdf", change: .update),
      ]
    }
    harness.isPrompt = false
    harness.pass(.seconds(1))
    // Whoever comes while the folder is listed finds it done.
    let number = harness.begin(.status(["d/b.pdf"]))
    while harness.answer(number) == nil, !harness.listings.isEmpty { harness.answerListings() }
    guard case .items(let items) = harness.answer(number) else {
      Issue.record("no answer")
      return
    }
    #expect(items.map(\.version) == [2])
    harness.pass(.seconds(1))
    #expect(try harness.status("d/b.pdf").version == 3)
  }

  @Test func `of a volume is never ahead, since its files are whole`() throws {
    let harness = harness([ahead]) { $0.kind = .volume }
    let open = try harness.handle("a.pdf")
    #expect(harness.contents[open]?.blob != nil)
    #expect(harness.readReply(open) != nil)
    #expect(try harness.status("a.pdf").copy == .local)
    _ = harness.write(remotely: "hello", to: "a.pdf")
    let status = try harness.status("a.pdf")
    #expect(status.copy == .local && status.size == 5 && status.version == 3)
    // Whoever has read a part of what that was can have no more of it.
    #expect(harness.readReply(open) == .error(.sourceChanged))
    harness.release(open)
    _ = harness.write(remotely: "new", to: "n.pdf")
    #expect(try harness.status("n.pdf").copy == .local)
    harness.expectRightCounts()
  }
}
