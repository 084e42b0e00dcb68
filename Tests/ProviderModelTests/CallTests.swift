import Testing

@testable import ProviderModel

@Suite struct `An app's call` {
  private func harness(_ rules: [Rule] = []) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 1_000, "b.pdf": 1_000]) {
      $0.items.initial = .local
      $0.rules = rules
    }
    harness.ask(.pick([ItemPath()], app: nil))
    return harness
  }

  private func rule(_ operation: OperationName, _ effect: RuleEffect) -> Rule {
    var rule = Rule(name: "r", operations: [operation], effect: effect)
    rule.path = Glob("a.pdf")
    rule.occurrence.times = 1
    return rule
  }

  private let read = [Intent(path: "a.pdf", kind: .read)]

  @Test func `to start access can be held, and answers once released`() throws {
    let harness = harness()
    harness.ask(.hold(.start, "a.pdf", at: nil, name: "h"))
    let number = harness.begin(.start("a.pdf", covers: .process), by: harness.app)
    #expect(harness.answer(number, of: harness.app) == nil)
    #expect(harness.events(.held).map(\.operation) == ["start"])
    #expect(harness.ask(.wait(.hold("h"))) == .done)
    #expect(try harness.openReply("a.pdf") == .error(.accessNotGranted))
    #expect(harness.ask(.release("h", error: nil)) == .released(1))
    #expect(harness.answer(number, of: harness.app) == .started(true))
    #expect(try harness.handle("a.pdf").rawValue > 0)
  }

  @Test func `to start access that is released with an error is false`() throws {
    let harness = harness()
    harness.ask(.hold(.start, "a.pdf", at: nil, name: "h"))
    let number = harness.begin(.start("a.pdf", covers: .process), by: harness.app)
    harness.ask(.release("h", error: .EIO))
    #expect(harness.answer(number, of: harness.app) == .started(false))
    #expect(harness.events(.scopeRefused).map(\.error) == [.released(.EIO)])
    #expect(try harness.openReply("a.pdf") == .error(.accessNotGranted))
  }

  @Test func `to coordinate can be held or fail, before it is scheduled`() {
    let harness = harness()
    harness.ask(.start("a.pdf", covers: .process), by: harness.app)
    harness.ask(.hold(.coordinate, "a.pdf", at: nil, name: "h"))
    let held = harness.begin(.coordinate(read, purpose: ""), by: harness.app)
    let other = Actor(3, "other")
    harness.join(other)
    harness.ask(.start("a.pdf", covers: .process), by: other)
    harness.ask(.release("h", error: nil))
    guard case .claim(let claim, _) = harness.answer(held, of: harness.app) else {
      return harness.fail("no claim")
    }
    #expect(harness.ask(.finish(claim), by: harness.app) == .done)
    harness.ask(.hold(.coordinate, "a.pdf", at: nil, name: "h"))
    let failed = harness.begin(.coordinate(read, purpose: ""), by: other)
    harness.ask(.release("h", error: .ETIMEDOUT))
    #expect(harness.answer(failed, of: other) == .failure(.released(.ETIMEDOUT), "a.pdf"))
  }

  @Test func `that is held is given up with its connection, or when it is canceled`() {
    let harness = harness()
    harness.ask(.hold(.start, "a.pdf", at: nil, name: "h"))
    let number = harness.begin(.start("a.pdf", covers: .process), by: harness.app)
    harness.ask(.cancel(request: number), by: harness.app)
    #expect(harness.answer(number, of: harness.app) == .failure(.canceled, nil))
    harness.begin(.start("a.pdf", covers: .process), by: harness.app)
    harness.leave(harness.app)
    #expect(harness.ask(.release("h", error: nil)) == .released(0))
  }

  @Test func `meets rules: false though granted, an error of the provider or of Cocoa, a delay`() throws {
    let refusing = harness([rule(.start, RuleEffect(disturbance: .fail(.errno(.EPERM))))])
    #expect(refusing.ask(.start("a.pdf", covers: .process), by: refusing.app) == .started(false))
    #expect(refusing.ask(.start("a.pdf", covers: .process), by: refusing.app) == .started(true))

    for fault in [Fault.provider(.notAuthenticated), .cocoa(.xpcConnectionInterrupted)] {
      let failing = harness([rule(.coordinate, RuleEffect(disturbance: .fail(fault)))])
      failing.ask(.start("a.pdf", covers: .process), by: failing.app)
      #expect(
        failing.ask(.coordinate(read, purpose: ""), by: failing.app) == .failure(fault.error, "a.pdf"))
      #expect(failing.events(.claimFailed).map(\.rule) == ["r"])
      guard case .claim = failing.ask(.coordinate(read, purpose: ""), by: failing.app) else {
        failing.fail("struck twice")
        continue
      }
    }

    let slow = harness([rule(.coordinate, RuleEffect(delay: .fixed(.seconds(25))))])
    slow.ask(.start("a.pdf", covers: .process), by: slow.app)
    let number = slow.begin(.coordinate(read, purpose: ""), by: slow.app)
    slow.run(to: Instant(nanoseconds: 24_999_999_999))
    #expect(slow.answer(number, of: slow.app) == nil)
    slow.run(to: Instant(nanoseconds: 25_000_000_000))
    guard case .claim = slow.answer(number, of: slow.app) else {
      return slow.fail("no claim after its delay")
    }
  }

  @Test func `in a batch is one action: each of its items is judged once`() {
    var rule = rule(.coordinate, RuleEffect(disturbance: .fail(.errno(.EIO))))
    rule.path = Glob("b.pdf")
    rule.occurrence.after = 1
    let harness = harness([rule])
    harness.ask(.start(ItemPath(), covers: .process), by: harness.app)
    let batch = read + [Intent(path: "b.pdf", kind: .read)]
    guard case .claim = harness.ask(.coordinate(batch, purpose: ""), by: harness.app) else {
      return harness.fail("the first is spared")
    }
    #expect(harness.ask(.coordinate(batch, purpose: ""), by: harness.app) == .failure(.fault(.EIO), "b.pdf"))
  }

  @Test func `cannot be held at a point, and no hold is made`() {
    let harness = harness()
    guard
      case .failure(.invalid(let why), _) = harness.ask(
        .hold(.open, "a.pdf", at: .millionths(400_000), name: "h"))
    else { return harness.fail("held") }
    #expect(why.contains("only reads and downloads"))
    #expect(harness.ask(.holds) == .holds([]))
  }
}
