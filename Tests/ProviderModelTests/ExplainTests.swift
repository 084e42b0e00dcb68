import Testing

@testable import ProviderModel

@Suite struct `An explanation` {
  private func harness(_ rules: [Rule], _ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 1_000, "Ü.pdf": 1_000]) {
      $0.rules = rules
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func explain(
    _ harness: ModelHarness, _ operation: OperationName, _ path: ItemPath = "a.pdf", app: String = "app",
    at: HoldPoint? = nil
  ) throws -> Explanation {
    let answer = harness.ask(.explain(path, operation, app: AppID(app), at: at))
    guard case .explanation(let explanation) = answer else {
      throw ModelHarness.Missing(path: path, reply: nil)
    }
    return explanation
  }

  private func rule(
    _ name: String, _ operation: OperationName, _ disturbance: Disturbance,
    _ change: (inout Rule) -> Void = { _ in }
  ) -> Rule {
    var rule = Rule(name: name, operations: [operation], effect: RuleEffect(disturbance: disturbance))
    change(&rule)
    return rule
  }

  @Test func `foretells what happens, how long it takes and why, and changes nothing`() throws {
    let harness = harness([rule("cut", .read, .fail(.errno(.EIO)))]) {
      $0.download.bandwidth = 1_000
      $0.download.latency = .fixed(.seconds(1))
      $0.latency.open = .fixed(.seconds(3))
    }
    let before = try harness.status("a.pdf")
    let events = harness.events.count
    for _ in 0..<3 {
      let explanation = try explain(harness, .read)
      #expect(explanation.outcome == .fails(.fault(.EIO)))
      #expect(explanation.takes == .seconds(3) && explanation.rules == ["cut"])
    }
    #expect(try harness.status("a.pdf") == before && harness.events.count == events)
    harness.ask(.removeRule("cut"))
    let explanation = try explain(harness, .read)
    #expect(explanation.outcome == .served && explanation.takes == .seconds(5))
    #expect(explanation.steps == ["downloadStarted a.pdf", "downloadFinished a.pdf"])
  }

  @Test func `knows gate and holds`() throws {
    let harness = harness([rule("stuck", .getattr, .stall)])
    #expect(try explain(harness, .open, app: "stranger").outcome == .fails(.accessNotGranted))
    #expect(try explain(harness, .open).outcome == .served)
    harness.ask(.hold(.download, "a.pdf", at: .millionths(400_000), name: "h"))
    #expect(try explain(harness, .read).outcome == .held("h"))
    #expect(try explain(harness, .coordinate).outcome == .held("h"))
    #expect(try explain(harness, .getattr).outcome == .held("stuck"))
    #expect(try explain(harness, .start, app: "stranger").outcome == .served)
  }

  @Test func `names the rules that nearly would, and why not`() throws {
    let decomposed = "U\u{308}.pdf"
    let harness = harness([
      rule("case", .open, .stall) { $0.path = Glob("A.PDF") },
      rule("form", .open, .stall) { $0.path = Glob(decomposed) },
      rule("local", .open, .stall) { $0.copy = [.local] },
      rule("spent", .open, .fail(.errno(.EIO))) { $0.occurrence.times = 1 },
      rule("later", .open, .stall) { $0.window.from = .seconds(10) },
      rule("far", .lookup, .stall) {
        $0.copy = [.stale]
        $0.path = Glob("none")
      },
    ])
    #expect(try harness.openReply("a.pdf") == .error(.fault(.EIO)))
    let misses = try explain(harness, .open).nearMisses
    #expect(misses.map(\.rule) == ["case", "form", "local", "spent", "later"])
    #expect(misses[0].reasons == ["its path A.PDF does not match a.pdf (only upper and lower case differ)"])
    #expect(misses[2].reasons == ["the item is dataless, not local"])
    #expect(misses[3].reasons == ["it has struck 1 of 1 times"])
    #expect(misses[4].reasons == ["its window begins at 10s"])
    let form = try explain(harness, .open, "Ü.pdf").nearMisses.first { $0.rule == "form" }
    #expect(form?.reasons.first?.hasSuffix("(only their Unicode normal forms differ)") == true)
  }
}
