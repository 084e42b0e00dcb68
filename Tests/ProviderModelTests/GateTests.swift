import Testing

@testable import ProviderModel

// Who may open: grants, scopes, processes.

@Suite struct `The gate` {
  private static let files: [ItemPath: Int64] = ["a.pdf": 10, "d/b.pdf": 10, "d/e/c.pdf": 10]

  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    ModelHarness(Self.files, change)
  }

  private func isRefused(_ reply: Reply?, _ error: ProviderError = .accessNotGranted) -> Bool {
    reply == .error(error)
  }

  @Test func `refuses an open without a started scope`() throws {
    let harness = harness()
    #expect(isRefused(try harness.openReply("a.pdf")))
    harness.ask(.pick(["a.pdf"], app: nil))
    // A grant alone opens nothing.
    #expect(isRefused(try harness.openReply("a.pdf")))
    let event = try #require(harness.events(.operation).last)
    #expect(event.error == .accessNotGranted)
    #expect(event.scoped == false)
    #expect(event.path == "a.pdf")
    #expect(event.process == harness.app.process.number)
  }

  @Test func `lets everyone look around without a scope`() throws {
    let harness = harness()
    #expect(try harness.attributes("a.pdf").size == 10)
    #expect(try harness.attribute("state", of: "a.pdf") == "dataless")
    guard case .opened(let folder) = harness.reply(.openDirectory(.root)) else {
      Issue.record("not opened")
      return
    }
    let listing = harness.reply(.readDirectory(folder, cookie: 0, capacity: 4096, plus: false))
    guard case .directory(let rows, false) = listing else {
      Issue.record("not listed")
      return
    }
    #expect(rows.count == 4)
  }

  @Test(
    arguments: [
      ("d/e/c.pdf", ["d/e/c.pdf"]), ("d/e", ["d/e/c.pdf"]), ("d", ["d/b.pdf", "d/e/c.pdf"]),
      (".", ["a.pdf", "d/b.pdf", "d/e/c.pdf"]),
    ] as [(ItemPath, [ItemPath])])
  func `opens what a scope covers and nothing else`(scope: ItemPath, covered: [ItemPath]) throws {
    let harness = harness()
    harness.ask(.pick([scope], app: nil))
    #expect(harness.ask(.start(scope, covers: .process), by: harness.app) == .started(true))
    for path in Self.files.keys {
      let reply = try harness.openReply(path)
      if covered.contains(path) {
        guard case .opened = reply else {
          Issue.record("\(path) is not opened: \(String(describing: reply))")
          continue
        }
      } else {
        #expect(isRefused(reply), "\(path)")
      }
    }
  }

  @Test func `starts an item of a granted folder, and not the folder of a granted item`() {
    let harness = harness()
    harness.ask(.pick(["d/e"], app: nil))
    #expect(harness.ask(.start("d/e/c.pdf", covers: .process), by: harness.app) == .started(true))
    #expect(harness.ask(.start("d", covers: .process), by: harness.app) == .started(false))
    #expect(harness.events(.scopeRefused).map(\.error) == [.accessNotGranted])
  }

  @Test func `grants to the app that was picked for`() {
    let harness = harness()
    harness.ask(.pick(["a.pdf"], app: harness.app.app))
    #expect(harness.ask(.start("a.pdf", covers: .process), by: harness.client) == .started(false))
    #expect(harness.ask(.start("a.pdf", covers: .process), by: harness.app) == .started(true))
  }

  @Test func `counts starts, and the last stop ends access at once`() throws {
    let harness = harness()
    harness.ask(.pick(["a.pdf"], app: nil))
    for _ in 0..<3 { harness.ask(.start("a.pdf", covers: .process), by: harness.app) }
    for _ in 0..<2 {
      harness.ask(.stop("a.pdf"), by: harness.app)
      #expect(try harness.handle("a.pdf").rawValue > 0)
    }
    let open = try harness.handle("a.pdf")
    harness.ask(.stop("a.pdf"), by: harness.app)
    #expect(isRefused(try harness.openReply("a.pdf")))
    // What is open stays open.
    guard case .content = harness.readReply(open) else {
      Issue.record("the descriptor does not go on")
      return
    }
  }

  @Test func `does nothing at a stop without a start`() throws {
    let harness = harness()
    harness.ask(.pick(["a.pdf"], app: nil))
    #expect(harness.ask(.stop("a.pdf"), by: harness.app) == .done)
    #expect(harness.events(.scopeStopped).isEmpty)
    harness.ask(.start("a.pdf", covers: .process), by: harness.app)
    #expect(try harness.handle("a.pdf").rawValue > 0)
  }

  @Test func `refuses another process of the same app`() throws {
    let harness = harness()
    let other = Actor(3, "app")
    harness.join(other)
    harness.openGate()
    #expect(isRefused(try harness.openReply("a.pdf", by: other)))
    harness.ask(.start("a.pdf", covers: .process), by: other)
    #expect(try harness.handle("a.pdf", by: other).rawValue > 0)
    // Its stop is its own.
    harness.ask(.stop("a.pdf"), by: other)
    #expect(try harness.handle("a.pdf").rawValue > 0)
  }

  @Test(arguments: [
    (ScopeCoverage.process, Profile.Access.Inheritance.none, false), (.descendants, .none, true),
    (.process, .children, true),
  ])
  func `covers children as the scope or the profile says`(
    covers: ScopeCoverage, inherits: Profile.Access.Inheritance, expected: Bool
  ) throws {
    let harness = harness { $0.access.inheritScopes = inherits }
    harness.ask(.pick(["d"], app: nil))
    harness.ask(.start("d", covers: covers), by: harness.app)
    let child = Caller(
      thread: 9, process: ProcessID(number: 9, serial: 9),
      ancestors: [ProcessID(number: 8, serial: 8), harness.app.process], app: AppID("/bin/cat"))
    let open = harness.request(.open(try harness.node("d/b.pdf"), writes: false), by: child)
    #expect((harness.handle(of: open) != nil) == expected)
  }

  @Test func `refuses a caller that cannot be seen`() throws {
    let harness = harness()
    harness.openGate()
    let open = harness.request(
      .open(try harness.node("a.pdf"), writes: false), by: Caller(thread: 0, process: nil))
    #expect(isRefused(harness.replies[open], .callerNotVisible))
    #expect(harness.events(.operation).last?.error == .callerNotVisible)
  }

  @Test func `refuses starts and opens beyond the limit of scopes, and the others go on`() throws {
    let harness = harness { $0.access.scopeLimit = 2 }
    harness.ask(.pick([ItemPath()], app: nil))
    #expect(harness.ask(.start("a.pdf", covers: .process), by: harness.app) == .started(true))
    #expect(harness.ask(.start("d/b.pdf", covers: .process), by: harness.app) == .started(true))
    #expect(harness.ask(.start("d/e/c.pdf", covers: .process), by: harness.app) == .started(false))
    #expect(harness.ask(.start("a.pdf", covers: .process), by: harness.app) == .started(false))
    #expect(harness.events(.scopeRefused).map(\.error) == [.tooManyScopes, .tooManyScopes])
    #expect(isRefused(try harness.openReply("d/e/c.pdf")))
    #expect(try harness.handle("a.pdf") != harness.handle("d/b.pdf"))
    harness.ask(.stop("a.pdf"), by: harness.app)
    #expect(harness.ask(.start("d/e/c.pdf", covers: .process), by: harness.app) == .started(true))
  }

  @Test func `of a simulator refuses nobody, and starts only what was picked`() throws {
    let harness = harness { $0.access.mode = .simulator }
    #expect(try harness.handle("a.pdf").rawValue > 0)
    #expect(harness.ask(.start("a.pdf", covers: .process), by: harness.app) == .started(false))
    harness.ask(.pick(["a.pdf"], app: nil))
    #expect(harness.ask(.start("a.pdf", covers: .process), by: harness.app) == .started(true))
    let unseen = harness.request(
      .open(try harness.node("a.pdf"), writes: false), by: Caller(thread: 0, process: nil))
    #expect(harness.handle(of: unseen) != nil)
  }

  @Test func `drops a process's scopes, sessions and parked requests when it ends`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(1)) }
    harness.openGate()
    let read = harness.read(try harness.handle("a.pdf"))
    #expect(try harness.status("a.pdf").scopes == [harness.app.process])
    harness.end(harness.app.process)
    #expect(harness.replies[read] == .error(.interrupted))
    #expect(try harness.status("a.pdf").scopes.isEmpty)
    #expect(harness.events(.processEnded).map(\.process) == [harness.app.process.number])
    #expect(isRefused(try harness.openReply("a.pdf")))
    // A later process with the same number is another.
    let reused = Caller(thread: 2, process: ProcessID(number: 2, serial: 77), app: harness.app.app)
    let open = harness.request(.open(try harness.node("a.pdf"), writes: false), by: reused)
    #expect(isRefused(harness.replies[open]))
  }

  @Test func `is asked and answered by a process without a client library too`() throws {
    let harness = harness()
    harness.ask(.pick(["a.pdf"], app: nil))
    #expect(try harness.writeReply("start", to: "a.pdf") == .done)
    #expect(try harness.handle("a.pdf").rawValue > 0)
    #expect(try harness.writeReply("stop", to: "a.pdf") == .done)
    #expect(isRefused(try harness.openReply("a.pdf")))
    #expect(try harness.writeReply("start", to: "d/b.pdf") == .error(.accessNotGranted))
    guard case .error(.invalid) = try harness.writeReply("begin", to: "a.pdf") else {
      Issue.record("an unknown word is taken")
      return
    }
  }
}
