import Testing

@testable import ProviderModel

// Rules on `download`: an attempt is one user action.

@Suite struct `A rule on downloads` {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func harness(_ rules: [Rule], _ change: (inout Profile.Download) -> Void = { _ in }) -> ModelHarness
  {
    let harness = ModelHarness(["a.pdf": 1_000, "b.pdf": 1_000]) {
      $0.download.bandwidth = 1_000
      $0.download.concurrency = 1
      $0.rules = rules
      change(&$0.download)
    }
    harness.openGate()
    return harness
  }

  private func rule(_ disturbance: Disturbance?, _ change: (inout Rule) -> Void = { _ in }) -> Rule {
    var rule = Rule(name: "r", operations: [.download], effect: RuleEffect(disturbance: disturbance))
    change(&rule)
    return rule
  }

  private func read(_ harness: ModelHarness, _ path: ItemPath = "a.pdf") throws -> RequestID {
    harness.read(try harness.handle(path), 0..<1)
  }

  private func hits(_ harness: ModelHarness) -> UInt64? {
    guard case .rules(let rules) = harness.ask(.rules) else { return nil }
    return rules.first { $0.rule.name == "r" }?.hits
  }

  @Test func `that fails the first of each item keeps its plain reader until the second`() throws {
    let harness = harness([
      rule(.fail(.provider(.serverUnreachable))) { $0.occurrence.times = 1 }
    ]) { $0.latency = .fixed(.milliseconds(500)) }
    let read = try read(harness)
    harness.run(to: at(60_000))
    let failed = try #require(harness.events(.downloadFailed).first)
    // After the latency: that is when the answer comes.
    #expect(failed.at == at(500) && failed.rule == "r" && failed.error == .provider(.serverUnreachable))
    #expect(harness.events(.downloadFailed).count == 1)
    #expect(harness.answered(read) == at(3_000))
    // Each item is counted for itself, and this one is spent.
    harness.begin(.download(["b.pdf"]))
    harness.run(to: at(120_000))
    #expect(harness.events(.downloadFailed).map(\.path) == ["a.pdf", "b.pdf"])
    harness.ask(.evict(["b.pdf"]))
    harness.begin(.download(["b.pdf"]))
    harness.run(to: at(180_000))
    #expect(harness.events(.downloadFailed).count == 2)
    #expect(hits(harness) == 2)
  }

  @Test func `and bytes fails an attempt when it has brought the bytes before them`() throws {
    let harness = harness([
      rule(.fail(.errno(.EIO))) { $0.bytes = Rule.Span(from: .millionths(600_000)) }
    ])
    let read = try read(harness)
    harness.run(to: at(60_000))
    #expect(harness.events(.downloadFailed).map(\.offset) == [600])
    #expect(harness.answered(read) == at(600))
    #expect(harness.replies[read] == .error(.fault(.EIO)))
  }

  @Test func `fails a coordinated reader at once where a plain one waits`() throws {
    let harness = harness([rule(.fail(.provider(.notAuthenticated)))])
    let read = try read(harness)
    let claim = harness.begin(.coordinate([Intent(path: "a.pdf", kind: .read)], purpose: ""), by: harness.app)
    harness.run(to: at(1_000))
    #expect(harness.answer(claim, of: harness.app) == .failure(.provider(.notAuthenticated), "a.pdf"))
    harness.run(to: at(60_000))
    #expect(harness.answered(read) == at(60_000))
    #expect(harness.replies[read] == .error(.provider(.notAuthenticated)))
  }

  @Test func `first waits, and takes a place meanwhile`() throws {
    let harness = harness([
      rule(.fail(.errno(.EIO))) {
        $0.path = Glob("a*")
        $0.effect.delay = .fixed(.seconds(5))
        $0.bytes = Rule.Span(from: .bytes(400))
      }
    ])
    let read = try read(harness)
    harness.begin(.download(["b.pdf"]))
    harness.run(to: at(5_000))
    #expect(try harness.status("a.pdf").transfer == TransferStatus(phase: .stalled, bytesPerSecond: 0))
    #expect(try harness.arrived("a.pdf") == 400)
    #expect(try harness.status("b.pdf").transfer?.phase == .queued)
    harness.run(to: at(60_000))
    #expect(harness.answered(read) == at(5_400))
    #expect(harness.events(.downloadFinished).map(\.at) == [at(6_400)])
  }

  @Test func `that only waits lets the attempt go on then`() throws {
    let harness = harness([rule(nil) { $0.effect.delay = .fixed(.seconds(5)) }])
    let read = try read(harness)
    harness.run(to: at(60_000))
    #expect(harness.answered(read) == at(6_000))
    #expect(hits(harness) == 1)
  }

  @Test func `parks it at a hold of its name, that is released like others`() throws {
    let harness = harness([
      rule(.hold("gate")) {
        $0.path = Glob("a*")
        $0.bytes = Rule.Span(from: .bytes(250))
      }
    ]) { $0.concurrency = 2 }
    let read = try read(harness)
    harness.run(to: at(60_000))
    let held = try #require(harness.events(.held).first)
    #expect(held.hold == "gate" && held.rule == "r" && held.offset == 250 && held.operation == "download")
    // It holds what the rule strikes, and nothing else.
    harness.begin(.download(["b.pdf"]))
    harness.run(to: at(120_000))
    #expect(harness.events(.held).count == 1)
    #expect(harness.ask(.release("gate", error: nil)) == .released(1))
    harness.run(to: at(120_750))
    #expect(harness.answered(read) == at(120_750))
  }

  @Test func `parked at its hold is failed by an error, without another attempt`() throws {
    let harness = harness([rule(.hold("gate"))])
    let read = try read(harness)
    #expect(harness.ask(.release("gate", error: .EDEADLK)) == .released(1))
    #expect(harness.replies[read] == .error(.released(.EDEADLK)))
    #expect(try harness.status("a.pdf").copy == .dataless)
  }

  @Test func `that stalls it does so until the rule is removed`() throws {
    let harness = harness([rule(.stall) { $0.bytes = Rule.Span(from: .millionths(500_000)) }])
    let read = try read(harness)
    harness.run(to: at(1_000_000))
    #expect(harness.unanswered == [read])
    #expect(try harness.arrived("a.pdf") == 500)
    #expect(harness.ask(.removeRule("r")) == .done)
    harness.run(to: at(1_000_500))
    #expect(harness.answered(read) == at(1_000_500))
  }

  @Test func `that was removed before its byte was reached does nothing`() throws {
    let harness = harness([rule(.fail(.errno(.EIO))) { $0.bytes = Rule.Span(from: .bytes(900)) }])
    let read = try read(harness)
    harness.run(to: at(500))
    harness.ask(.removeRule("r"))
    harness.run(to: at(1_000))
    guard case .content = harness.replies[read] else {
      Issue.record("\(String(describing: harness.replies[read]))")
      return
    }
  }

  @Test func `is about the app that asked first, and how it asked`() throws {
    let other = Actor(9, "other")
    func failures(_ change: (inout Rule) -> Void, _ ask: (ModelHarness) throws -> Void) throws -> Int {
      let harness = harness([rule(.fail(.errno(.EIO)), change)])
      harness.join(other)
      harness.ask(.start(ItemPath(), covers: .process), by: other)
      try ask(harness)
      harness.run(to: at(10_000))
      return harness.events(.downloadFailed).count
    }
    let plain = { (harness: ModelHarness) in _ = try read(harness) }
    let coordinated = { (harness: ModelHarness) in
      _ = harness.begin(.coordinate([Intent(path: "a.pdf", kind: .read)], purpose: ""), by: other)
    }
    #expect(try failures({ $0.app = AppID("app") }, plain) == 1)
    #expect(try failures({ $0.app = AppID("other") }, plain) == 0)
    #expect(try failures({ $0.app = AppID("other") }, coordinated) == 1)
    #expect(try failures({ $0.coordinated = true }, coordinated) == 1)
    #expect(try failures({ $0.coordinated = true }, plain) == 0)
    #expect(try failures({ $0.coordinated = false }, plain) == 1)
    #expect(try failures({ $0.copy = [.dataless] }, plain) == 1)
    #expect(try failures({ $0.copy = [.local] }, plain) == 0)
  }

  @Test func `changes the world before it fails`() throws {
    let harness = harness([
      rule(.fail(.provider(.serverUnreachable))) { $0.effect.changes = [.revoke] }
    ])
    let read = try read(harness)
    harness.run(to: at(1_000))
    #expect(harness.replies[read] == .error(.accessRevoked))
    // Nobody waits for another attempt.
    #expect(try harness.status("a.pdf").copy == .dataless)
  }
}
