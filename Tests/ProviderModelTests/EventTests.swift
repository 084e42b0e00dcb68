import Testing

@testable import ProviderModel

@Suite struct `The events` {
  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 1_000, "d/b": 10, ".DS_Store": 5, "d/._b": 5], change)
    harness.openGate()
    return harness
  }

  private func last(_ harness: ModelHarness) throws -> Event {
    try #require(harness.events(.operation).last)
  }

  @Test func `begin with whose they are, and the rules that are in force`() throws {
    let harness = ModelHarness(["a": 1]) {
      $0.seed = 7
      $0.rules = ["first", "second"].map { name in
        Rule(name: name, operations: [.open], effect: RuleEffect(disturbance: .stall))
      }
    }
    harness.tell(.begin(version: "0.1"))
    #expect(harness.events.map(\.name) == [.started, .ruleAdded, .ruleAdded])
    let header = ProviderHeader(profile: "test", seed: 7, mode: .device, version: "0.1")
    #expect(harness.events.first?.detail == .started(header))
    #expect(harness.events.compactMap(\.rule) == ["first", "second"])
  }

  @Test func `end, and nothing comes after the end`() throws {
    let harness = harness()
    let node = try harness.node("a.pdf")
    harness.tell(.stop)
    harness.tell(.end)
    harness.request(.getAttributes(node))
    harness.tell(.processEnded(harness.app.process))
    #expect(harness.events.map(\.name).suffix(2) == [.stopping, .stopped])
  }

  @Test func `have every request, with who asked and how long it took`() throws {
    let harness = harness { $0.latency.list = .fixed(.seconds(2)) }
    let node = try harness.node("a.pdf")
    let handle = try harness.handle("a.pdf")
    let root = try #require(harness.handle(of: harness.request(.openDirectory(.root))))
    harness.request(.getAttributes(node))
    harness.request(.readLink(node))
    harness.read(handle)
    harness.request(.readDirectory(root, cookie: 0, capacity: 10_000, plus: true))
    harness.pass(.seconds(2))
    harness.request(.statistics)
    harness.request(.getAttribute(node, name: Array("user.x".utf8), capacity: 0))
    harness.request(.listAttributes(node, capacity: 0))
    harness.request(.synchronize(handle))
    harness.request(.change(node, .other("unlink")))
    let events = harness.events(.operation)
    // Two opens looked the name up.
    #expect(
      events.map(\.operation) == [
        "lookup", "lookup", "open", "opendir", "getattr", "readlink", "read", "readdir", "statfs", "getxattr",
        "listxattr", "fsync", "unlink",
      ])
    #expect(
      events.map { $0.path?.description } == [
        "a.pdf", "a.pdf", "a.pdf", ".", "a.pdf", "a.pdf", "a.pdf", ".", ".", "a.pdf", "a.pdf", "a.pdf",
        "a.pdf",
      ])
    #expect(events.allSatisfy { $0.process == 2 && $0.thread == 2 && $0.app == harness.app.app })
    #expect(events.compactMap(\.error) == [.notASymbolicLink, .readOnly])
    #expect(events[7].waited == .seconds(2))
    // Only these two need a scope.
    #expect(events.map(\.scoped).enumerated().filter { $0.element != nil }.map(\.offset) == [2, 12])
    // A download began in between.
    #expect(events.map(\.copy).prefix(3) == [.dataless, .dataless, .dataless])
  }

  @Test func `have the path that was asked for, also where nothing is`() throws {
    let harness = harness()
    let directory = try harness.node("d")
    harness.request(.lookup(parent: directory, name: "none"))
    let missing = try last(harness)
    #expect(missing.path == "d/none" && missing.error == .noSuchItem && missing.copy == nil)
    harness.request(.lookup(parent: directory, name: "b"))
    let found = try last(harness)
    #expect(found.path == "d/b" && found.error == nil && found.copy == .dataless)
  }

  @Test func `have a claim of the process that looks`() throws {
    let harness = harness()
    harness.ask(
      .coordinate([Intent(path: "a.pdf", kind: .read, options: [.withoutChanges])], purpose: ""),
      by: harness.app)
    let claim = try #require(harness.events(.claimGranted).last?.claim)
    harness.request(.lookup(parent: .root, name: "a.pdf"))
    #expect(try last(harness).claim == claim)
    harness.request(.lookup(parent: .root, name: "a.pdf"), by: harness.client)
    #expect(try last(harness).claim == nil)
  }

  @Test(
    arguments: [
      (.ENODATA, .noSuchAttribute), (.ERANGE, .resultTooLarge), (.ESTALE, .sourceChanged),
      (.EIO, .source(.EIO)), (nil, nil),
    ] as [(ErrnoName?, ProviderError?)])
  func `say how a reply from the source went`(errno: ErrnoName?, error: ProviderError?) throws {
    let harness = harness { $0.items.initial = .local }
    let handle = try harness.handle("a.pdf")
    let node = try harness.node("a.pdf")
    harness.sourceError = errno
    harness.read(handle)
    harness.request(.getAttribute(node, name: Array("user.x".utf8), capacity: 10))
    let events = harness.events(.operation).suffix(2)
    #expect(events.map(\.operation) == ["read", "getxattr"])
    #expect(events.map(\.error) == [error, error])
  }

  @Test func `leave out what desktops probe, but no access to it`() throws {
    let harness = harness()
    let directory = try harness.node("d")
    let before = harness.events.count
    for name in [".Trash", ".Trash-1000", ".hidden", ".DS_Store", "autorun.inf", "._a.pdf"] as [Name] {
      harness.request(.lookup(parent: .root, name: name))
      harness.request(.lookup(parent: directory, name: name))
    }
    harness.request(.getAttributes(try harness.node(".DS_Store")))
    #expect(harness.events.count == before)
    _ = try harness.handle("d/._b")
    harness.request(.change(.root, .makeDirectory("new")))
    #expect(harness.events.dropFirst(before).map(\.operation) == ["lookup", "open", "mkdir"])
    harness.request(.lookup(parent: .root, name: "Trash"))
    #expect(try last(harness).path == "Trash")
  }

  @Test func `leave out what the profile ignores instead`() throws {
    let harness = harness { $0.journal.ignore = [Glob("*.tmp")].compactMap { $0 } }
    let before = harness.events.count
    harness.request(.lookup(parent: .root, name: "x.tmp"))
    #expect(harness.events.count == before)
    harness.request(.lookup(parent: .root, name: ".hidden"))
    #expect(try last(harness).path == ".hidden")
  }

  @Test func `say nothing of scopes where nobody is asked for one`() throws {
    let harness = harness { $0.access.mode = .simulator }
    _ = try harness.handle("a.pdf")
    #expect(try last(harness).scoped == nil)
  }

  @Test func `have a stop that balances no start`() throws {
    let harness = harness()
    harness.ask(.start("a.pdf", covers: .process), by: harness.app)
    harness.ask(.stop("a.pdf"), by: harness.app)
    harness.ask(.stop("a.pdf"), by: harness.app)
    let names = harness.events.filter { $0.path == "a.pdf" && $0.process == 2 }.map(\.name)
    #expect(names == [.scopeStarted, .scopeStopped, .scopeUnmatched])
  }
}
