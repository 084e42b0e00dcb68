import Testing

@testable import ProviderModel

@Suite struct `A rule` {
  private func harness(
    _ rules: [Rule], initial: Profile.Items.Initial = .local, _ change: (inout Profile) -> Void = { _ in }
  ) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 1_000, "b.txt": 1_000, "d/c.pdf": 1_000]) {
      $0.items.initial = initial
      $0.rules = rules
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func rule(
    _ operation: OperationName, _ disturbance: Disturbance?, delay: Latency? = nil,
    changes: [RuleChange] = [], _ change: (inout Rule) -> Void = { _ in }
  ) -> Rule {
    var rule = Rule(
      name: "r", operations: [operation],
      effect: RuleEffect(delay: delay, changes: changes, disturbance: disturbance))
    change(&rule)
    return rule
  }

  private func hits(_ harness: ModelHarness, _ name: String = "r") -> UInt64? {
    guard case .rules(let rules) = harness.ask(.rules) else { return nil }
    return rules.first { $0.rule.name == name }?.hits
  }

  private let anyRead = 0..<10 as Range<Int64>

  // MARK: Effects

  @Test func `fails an open with its error, and says so`() throws {
    let harness = harness([rule(.open, .fail(.errno(.EIO)))])
    #expect(try harness.openReply("a.pdf") == .error(.fault(.EIO)))
    let event = try #require(harness.events(.operation).last { $0.operation == "open" })
    #expect(event.rule == "r" && event.error == .fault(.EIO))
    #expect(hits(harness) == 1)
  }

  @Test(arguments: [
    (OperationName.getattr, Operation.getAttributes(.root)), (.statfs, .statistics),
    (.opendir, .openDirectory(.root)), (.listxattr, .listAttributes(.root, capacity: 9)),
    (.getxattr, .getAttribute(.root, name: Array("user.x".utf8), capacity: 9)),
    (.setxattr, .setAttribute(.root, name: Array("user.x".utf8), value: [])),
    (.change, .change(.root, .makeDirectory("d"))), (.readlink, .readLink(.root)),
  ])
  func `fails every operation`(name: OperationName, operation: ProviderModel.Operation) {
    let harness = harness([rule(name, .fail(.errno(.EIO)))])
    #expect(harness.reply(operation) == .error(.fault(.EIO)))
    let held = self.harness([rule(name, .hold("h"))])
    let id = held.request(operation)
    #expect(held.unanswered == [id])
    #expect(held.ask(.release("h", error: .EDEADLK)) == .released(1))
    #expect(held.replies[id] == .error(.released(.EDEADLK)))
  }

  @Test func `fails an fsync, of the file that is open`() throws {
    let harness = harness([rule(.fsync, .fail(.errno(.EIO))) { $0.path = Glob("a.pdf") }])
    #expect(try harness.reply(.synchronize(harness.handle("a.pdf"))) == .error(.fault(.EIO)))
    #expect(try harness.reply(.synchronize(harness.handle("b.txt"))) == .done)
  }

  @Test func `on lookups is about what is looked up`() throws {
    let harness = harness([rule(.lookup, .fail(.errno(.ENOENT))) { $0.path = Glob("**/*.pdf") }])
    let a: Name = "a.pdf"
    #expect(harness.reply(.lookup(parent: .root, name: a)) == .error(.fault(.ENOENT)))
    #expect(throws: Never.self) { try harness.node("b.txt") }
    #expect(throws: ModelHarness.Missing.self) { try harness.node("d/c.pdf") }
  }

  @Test func `delays, and then does the rest`() throws {
    let harness = harness([rule(.open, .fail(.errno(.EIO)), delay: .fixed(.seconds(2)))])
    let id = try harness.open("a.pdf")
    harness.pass(.milliseconds(1_999))
    #expect(harness.unanswered == [id])
    harness.pass(.milliseconds(1))
    #expect(harness.replies[id] == .error(.fault(.EIO)))
  }

  @Test func `that only delays lets go on afterwards, once for an open and its reads`() throws {
    let harness = harness([rule(.read, nil, delay: .fixed(.seconds(2)))])
    let handle = try harness.handle("a.pdf")
    let read = harness.read(handle)
    harness.pass(.seconds(2))
    guard case .content = harness.replies[read] else { return harness.fail("no content") }
    guard case .content = harness.readReply(handle) else { return harness.fail("delayed again") }
    #expect(hits(harness) == 1)
  }

  @Test func `stalls until it is removed`() throws {
    let harness = harness([rule(.open, .stall)])
    let id = try harness.open("a.pdf")
    harness.pass(.seconds(100_000))
    #expect(harness.unanswered == [id])
    #expect(harness.ask(.removeRule("r")) == .done)
    #expect(harness.handle(of: id) != nil)
  }

  @Test func `holds each action that it strikes until it is released`() throws {
    let harness = harness([rule(.open, .hold("h"))])
    let first = try harness.open("a.pdf")
    #expect(harness.events(.held).map(\.rule) == ["r"])
    #expect(harness.ask(.release("h", error: nil)) == .released(1))
    #expect(harness.handle(of: first) != nil)
    let second = try harness.open("a.pdf")
    #expect(harness.unanswered == [second])
    harness.interrupt(second)
    #expect(harness.replies[second] == .error(.interrupted))
  }

  // MARK: Selectors

  @Test func `matches by copy state, app and claim`() throws {
    let harness = harness(
      [
        rule(.read, .fail(.errno(.EDEADLK))) {
          $0.copy = [.dataless]
          $0.coordinated = false
          $0.app = AppID("app")
        }
      ], initial: .dataless)
    let other = Actor(3, "other")
    harness.join(other)
    harness.ask(.start(ItemPath(), covers: .process), by: other)
    #expect(try harness.readReply(harness.handle("a.pdf")) == .error(.fault(.EDEADLK)))
    let byOther = try harness.handle("b.txt", by: other)
    guard case .content = harness.readReply(byOther, by: other) else { return harness.fail("not its app") }
    let claim = harness.ask(.coordinate([Intent(path: "d/c.pdf", kind: .read)], purpose: ""), by: harness.app)
    guard case .claim = claim else { return harness.fail("no claim: \(String(describing: claim))") }
    guard case .content = try harness.readReply(harness.handle("d/c.pdf")) else {
      return harness.fail("coordinated")
    }
  }

  @Test func `with bytes fails whole requests that reach them, for as long as the file is open`() throws {
    let harness = harness([
      rule(.read, .fail(.errno(.ECONNRESET))) {
        $0.bytes = Rule.Span(from: .millionths(600_000))
        $0.occurrence.times = 1
      }
    ])
    let handle = try harness.handle("a.pdf")
    guard case .content = harness.readReply(handle, 0..<600) else { return harness.fail("too early") }
    #expect(harness.readReply(handle, 500..<700) == .error(.fault(.ECONNRESET)))
    #expect(harness.readReply(handle, 500..<700) == .error(.fault(.ECONNRESET)))
    guard case .content = harness.readReply(handle, 0..<600) else { return harness.fail("before its bytes") }
    let again = try harness.handle("a.pdf")
    guard case .content = harness.readReply(again, 0..<1_000) else { return harness.fail("struck twice") }
    #expect(hits(harness) == 1)
  }

  @Test func `counts user actions, not reads, of each item for itself`() throws {
    let harness = harness([
      rule(.read, .fail(.errno(.EIO))) {
        $0.occurrence.after = 1
        $0.occurrence.times = 2
      }
    ])
    for path in ["a.pdf", "b.txt"] as [ItemPath] {
      var failed: [Bool] = []
      for _ in 0..<5 {
        let handle = try harness.handle(path)
        _ = harness.readReply(handle, 0..<10)
        failed.append(harness.readReply(handle, 10..<20) == .error(.fault(.EIO)))
      }
      #expect(failed == [false, true, true, false, false])
    }
    #expect(hits(harness) == 4)
  }

  @Test func `counted in total strikes whichever comes`() throws {
    let harness = harness([
      rule(.open, .fail(.errno(.EIO))) {
        $0.occurrence.times = 1
        $0.occurrence.count = .total
      }
    ])
    #expect(try harness.openReply("b.txt") == .error(.fault(.EIO)))
    #expect(try harness.handle("a.pdf").rawValue > 0)
  }

  @Test func `in a window of time strikes only then`() throws {
    let harness = harness([
      rule(.open, .fail(.errno(.EIO))) {
        $0.window = Rule.Window(from: .seconds(10), until: .seconds(20))
      }
    ])
    for (second, fails) in [(0, false), (10, true), (19, true), (20, false)] {
      harness.tick(to: Instant(nanoseconds: Int64(second) * 1_000_000_000))
      #expect((try harness.openReply("a.pdf") == .error(.fault(.EIO))) == fails, "at \(second) s")
    }
  }

  @Test func `until an event ends with it`() throws {
    let harness = harness([rule(.open, .fail(.errno(.EIO))) { $0.untilEvent = .evicted }])
    #expect(try harness.openReply("a.pdf") == .error(.fault(.EIO)))
    harness.ask(.evict(["b.txt"]))
    #expect(try harness.handle("a.pdf").rawValue > 0)
  }

  @Test func `with a probability strikes that share of actions, the same ones each time`() throws {
    func struck(seed: UInt64) throws -> [Bool] {
      let harness = harness([rule(.open, .fail(.errno(.EIO))) { $0.probability = 300_000 }]) {
        $0.seed = seed
      }
      return try (0..<1_000).map { _ in try harness.openReply("a.pdf") == .error(.fault(.EIO)) }
    }
    let first = try struck(seed: 7)
    #expect((250...350).contains(first.count { $0 }))
    #expect(try struck(seed: 7) == first)
    #expect(try struck(seed: 8) != first)
  }

  @Test func `that comes first decides, and one that is added comes first`() throws {
    var second = rule(.open, .fail(.errno(.EACCES)))
    second.name = "second"
    let harness = harness([rule(.open, .fail(.errno(.EIO))) { $0.occurrence.times = 1 }, second])
    #expect(try harness.openReply("a.pdf") == .error(.fault(.EIO)))
    #expect(try harness.openReply("a.pdf") == .error(.fault(.EACCES)))
    var third = second
    third.name = "third"
    third.effect.disturbance = .fail(.errno(.EBUSY))
    guard case .rules(let added) = harness.ask(.addRule(third)) else { return harness.fail("not added") }
    #expect(added.map(\.rule.name) == ["third"])
    #expect(try harness.openReply("a.pdf") == .error(.fault(.EBUSY)))
    #expect(harness.events(.ruleAdded).map(\.rule) == ["third"])
    harness.ask(.clearRules)
    #expect(try harness.handle("a.pdf").rawValue > 0)
    #expect(harness.events(.ruleRemoved).map(\.rule) == ["third", "r", "second"])
  }

  @Test func `that struck an open has decided it: its later reads meet no other rule`() throws {
    var second = rule(.read, .fail(.errno(.EIO)))
    second.name = "second"
    let harness = harness([
      rule(.read, nil, delay: .fixed(.seconds(1))) { $0.occurrence.times = 1 }, second,
    ])
    let handle = try harness.handle("a.pdf")
    let first = harness.read(handle)
    harness.pass(.seconds(1))
    for read in [first, harness.read(handle)] {
      guard case .content = harness.replies[read] else { return harness.fail("struck by the second") }
    }
    #expect(try harness.readReply(harness.handle("a.pdf")) == .error(.fault(.EIO)))
    #expect(hits(harness) == 1 && hits(harness, "second") == 1)
  }

  // MARK: Bad input

  @Test func `of a name that is taken, or that is not there, is refused in words`() {
    let harness = harness([rule(.open, .stall)])
    guard case .failure(.invalid(let taken), _) = harness.ask(.addRule(rule(.open, .stall))) else {
      return harness.fail("taken twice")
    }
    #expect(taken.contains("already"))
    guard case .failure(.invalid(let missing), _) = harness.ask(.removeRule("s")) else {
      return harness.fail("removed none")
    }
    #expect(missing.contains("nearest is \"r\""))
  }
}
