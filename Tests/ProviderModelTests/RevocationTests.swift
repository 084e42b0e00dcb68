import Testing

@testable import ProviderModel

@Suite struct `Revocation` {
  private static let files: [ItemPath: Int64] = ["a.pdf": 10, "d/b.pdf": 10, "d/c.pdf": 10]

  private func harness() -> ModelHarness {
    let harness = ModelHarness(Self.files) { $0.download.latency = .fixed(.seconds(1)) }
    harness.ask(.pick([ItemPath()], app: nil))
    return harness
  }

  @discardableResult
  private func revoke(
    _ path: ItemPath, in harness: ModelHarness, app: AppID? = nil, byUser: Bool = false, reads: Bool = false
  ) -> RevocationSummary? {
    let answer = harness.ask(.revoke([path], app: app, byUser: byUser, reads: reads))
    if case .revoked(let summary) = answer { return summary }
    Issue.record("not revoked: \(String(describing: answer))")
    return nil
  }

  @Test func `of a grant makes the next start false`() {
    let harness = harness()
    #expect(revoke("a.pdf", in: harness)?.grants == 1)
    #expect(harness.ask(.start("a.pdf", covers: .process), by: harness.app) == .started(false))
    #expect(harness.events(.scopeRefused).last?.error == .accessRevoked)
    #expect(harness.ask(.start("d/b.pdf", covers: .process), by: harness.app) == .started(true))
  }

  @Test(arguments: ["a.pdf", "."] as [ItemPath])
  func `ends a started scope for new opens`(scope: ItemPath) throws {
    let harness = harness()
    harness.ask(.start(scope, covers: .process), by: harness.app)
    let open = try harness.handle("a.pdf")
    let summary = revoke("a.pdf", in: harness)
    #expect(summary?.scopes == (scope == "a.pdf" ? 1 : 0))
    #expect(summary?.descriptors == 1)
    #expect(try harness.openReply("a.pdf") == .error(.accessRevoked))
    // What was open goes on.
    let read = harness.read(open)
    harness.pass(.seconds(1))
    guard case .content = harness.replies[read] else {
      Issue.record("the descriptor was cut off")
      return
    }
  }

  @Test func `of an item leaves its neighbors, of a folder none of what it holds`() throws {
    let harness = harness()
    harness.ask(.start("d", covers: .process), by: harness.app)
    revoke("d/b.pdf", in: harness)
    #expect(try harness.openReply("d/b.pdf") == .error(.accessRevoked))
    #expect(try harness.handle("d/c.pdf").rawValue > 0)
    #expect(revoke("d", in: harness)?.scopes == 1)
    #expect(try harness.openReply("d/c.pdf") == .error(.accessRevoked))
  }

  @Test func `of one app leaves the others`() throws {
    let harness = harness()
    let other = Actor(3, "other")
    harness.join(other)
    for actor in [harness.app, other] { harness.ask(.start("d", covers: .process), by: actor) }
    revoke("d", in: harness, app: other.app)
    #expect(try harness.openReply("d/b.pdf", by: other) == .error(.accessRevoked))
    #expect(try harness.handle("d/b.pdf", by: harness.app).rawValue > 0)
  }

  @Test func `gives way to a new pick`() throws {
    let harness = harness()
    harness.ask(.start("d/b.pdf", covers: .process), by: harness.app)
    revoke("d", in: harness)
    revoke("d", in: harness)
    harness.ask(.pick(["d/b.pdf"], app: harness.app.app))
    #expect(try harness.openReply("d/b.pdf") == .error(.accessRevoked))
    #expect(harness.ask(.start("d/b.pdf", covers: .process), by: harness.app) == .started(true))
    #expect(try harness.handle("d/b.pdf").rawValue > 0)
    #expect(harness.ask(.start("d/c.pdf", covers: .process), by: harness.app) == .started(false))
  }

  @Test func `is taken back by restore`() throws {
    let harness = harness()
    revoke("d", in: harness)
    revoke("d/b.pdf", in: harness)
    #expect(harness.ask(.restore(["d"], app: nil)) == .done)
    #expect(harness.events(.restored).count == 1)
    #expect(harness.ask(.start("d/b.pdf", covers: .process), by: harness.app) == .started(true))
    #expect(try harness.handle("d/b.pdf").rawValue > 0)
  }

  @Test func `with reads cuts off open descriptors, waiting and later`() throws {
    let harness = harness()
    harness.ask(.start(ItemPath(), covers: .process), by: harness.app)
    let (local, waiting, held) = (
      try harness.handle("d/b.pdf"), try harness.handle("d/c.pdf"), try harness.handle("d/c.pdf")
    )
    harness.ask(.download(["d/b.pdf"]))
    harness.pass(.seconds(1))
    harness.ask(.hold(.read, "d", at: .bytes(5), name: "h"))
    let parkedRead = harness.read(held)
    let waitingRead = harness.read(waiting, 0..<5)
    #expect(harness.unanswered == [parkedRead, waitingRead])
    #expect(revoke("d", in: harness, reads: true)?.descriptors == 3)
    for read in [parkedRead, waitingRead, harness.read(local, 0..<1)] {
      #expect(harness.replies[read] == .error(.accessRevoked))
    }
    #expect(
      harness.answer(harness.begin(.holds))
        == .holds([
          HoldStatus(name: "h", operation: .read, path: "d", at: .bytes(5), parked: 0)
        ]))
    #expect(harness.invalidated.contains(try harness.node("d/b.pdf")))
  }

  @Test func `fails a read that waits for the download, which goes on`() throws {
    let harness = harness()
    harness.ask(.start(ItemPath(), covers: .process), by: harness.app)
    let read = harness.read(try harness.handle("a.pdf"))
    let other = harness.read(try harness.handle("d/b.pdf"))
    revoke("a.pdf", in: harness)
    #expect(harness.replies[read] == .error(.accessRevoked))
    #expect(ProviderError.accessRevoked.errno == .EPERM)
    #expect(try harness.status("a.pdf").copy == .downloading)
    #expect(harness.unanswered == [other])
    harness.pass(.seconds(1))
    #expect(try harness.status("a.pdf").copy == .local)
  }

  @Test func `of another app leaves a waiting reader whose descriptor came from its parent`() throws {
    let harness = harness()
    harness.ask(.start(ItemPath(), covers: .descendants), by: harness.app)
    let child = Actor(9, "child")
    let read = harness.read(try harness.handle("a.pdf"), by: child)
    revoke("a.pdf", in: harness, app: AppID("another"))
    #expect(harness.unanswered == [read])
    revoke("a.pdf", in: harness, app: harness.app.app)
    #expect(harness.replies[read] == .error(.accessRevoked))
  }

  @Test func `lets a held read go on to the end`() throws {
    let harness = harness()
    harness.ask(.start(ItemPath(), covers: .process), by: harness.app)
    harness.ask(.download(["a.pdf"]))
    harness.pass(.seconds(1))
    harness.ask(.hold(.read, "a.pdf", at: .millionths(400_000), name: "h"))
    let read = harness.read(try harness.handle("a.pdf"))
    revoke("a.pdf", in: harness)
    #expect(harness.unanswered == [read])
    harness.ask(.release("h", error: nil))
    guard case .content = harness.replies[read] else {
      Issue.record("the copy is not whole")
      return
    }
  }

  @Test func `by the user kills holders, but not who asks`() throws {
    let harness = harness()
    let (holder, reader) = (Actor(3, "holder"), Actor(4, "reader"))
    for actor in [holder, reader, harness.client] {
      harness.join(actor)
      harness.ask(.start("a.pdf", covers: .process), by: actor)
    }
    _ = try harness.handle("a.pdf", by: reader)
    harness.ask(.stop("a.pdf"), by: reader)
    let summary = revoke("a.pdf", in: harness, byUser: true)
    #expect(harness.killed == [holder.process, reader.process])
    #expect(summary?.processesKilled == 2)
  }

  @Test func `of a simulator's item cuts off nobody's waiting read`() throws {
    let harness = ModelHarness(Self.files) {
      $0.access.mode = .simulator
      $0.download.latency = .fixed(.seconds(1))
    }
    let read = harness.read(try harness.handle("a.pdf"))
    revoke("a.pdf", in: harness)
    #expect(harness.unanswered == [read])
  }
}
