import Testing

@testable import ProviderModel

@Suite struct `Delays of single operations` {
  private func seconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000_000) }

  @Test func `hold an open back, and only once`() throws {
    let harness = ModelHarness(["a": 1]) { $0.latency.open = .fixed(.seconds(3)) }
    harness.openGate()
    let open = try harness.open("a")
    #expect(harness.nextDeadline == seconds(3))
    harness.run(to: seconds(2))
    #expect(harness.unanswered == [open])
    harness.run(to: seconds(3))
    #expect(harness.handle(of: open) != nil)
    #expect(harness.events(.operation).last?.waited == .seconds(3))
  }

  @Test func `end with the reader, and leave no deadline behind`() throws {
    let harness = ModelHarness(["a": 1]) { $0.latency.open = .fixed(.seconds(3)) }
    harness.openGate()
    harness.interrupt(try harness.open("a"))
    #expect(harness.nextDeadline == nil)
    harness.run(to: seconds(9))
    #expect(harness.sourceFiles.isEmpty)
  }

  @Test func `come in the order of their moments`() throws {
    let harness = ModelHarness(["a": 1, "b": 1, "c": 1]) {
      $0.latency.open = .uniform(minimum: .zero, maximum: .seconds(9))
    }
    harness.openGate()
    var opens: [RequestID] = []
    for path in ["a", "b", "c"] as [ItemPath] {
      for _ in 0..<10 {
        opens.append(try harness.open(path))
        harness.run(to: harness.now + .milliseconds(100))
      }
    }
    harness.run(to: seconds(60))
    let events = harness.events(.operation).filter { $0.operation == "open" }
    #expect(events.map(\.at) == events.map(\.at).sorted())
    // Each its own draw, also those that came before the first had its delay.
    #expect(Set(events.map(\.waited)).count == 30)
    #expect(opens.allSatisfy { harness.handle(of: $0) != nil })
  }

  private func listing(of harness: ModelHarness) throws -> HandleID {
    guard case .opened(let handle, _) = harness.reply(.openDirectory(.root)) else {
      throw ModelHarness.Missing(path: ItemPath(), reply: nil)
    }
    return handle
  }

  @Test func `hold a directory's first listing back after each open`() throws {
    let harness = ModelHarness(["a": 1]) { $0.latency.list = .fixed(.seconds(1)) }
    let folder = try listing(of: harness)
    let operation = ProviderModel.Operation.readDirectory(folder, cookie: 0, capacity: 4096, plus: false)
    let interrupted = harness.request(operation)
    harness.interrupt(interrupted)
    // A signal is no listing: the next one waits.
    let first = harness.request(operation)
    #expect(harness.unanswered == [first])
    harness.run(to: seconds(1))
    #expect(harness.replies[first] != nil)
    #expect(harness.reply(operation) != nil)
    let again = try listing(of: harness)
    #expect(harness.reply(.readDirectory(again, cookie: 0, capacity: 4096, plus: false)) == nil)
  }

  @Test func `of a listing do not depend on what else is open`() throws {
    func delay(othersOpen count: Int) throws -> Instant? {
      let harness = ModelHarness(["a": 1]) {
        $0.latency.list = .uniform(minimum: .zero, maximum: .seconds(9))
      }
      harness.openGate()
      for _ in 0..<count { _ = try harness.handle("a") }
      harness.request(.readDirectory(try listing(of: harness), cookie: 0, capacity: 4096, plus: false))
      return harness.nextDeadline
    }
    #expect(try delay(othersOpen: 0) == delay(othersOpen: 3))
    #expect(try delay(othersOpen: 0) != nil)
  }

  /// How long one request of each kind takes in a provider that delays only `latency`.
  private func lengths(_ change: (inout Profile.Latencies) -> Void) throws -> [String: Span] {
    var source = SourceTree()
    source.add("a", size: 10)
    source.add("link", size: 1, kind: .symbolicLink)
    let harness = ModelHarness(source) {
      $0.items.initial = .local
      change(&$0.latency)
    }
    harness.openGate()
    func node(_ name: Name) throws -> NodeID {
      let id = harness.request(.lookup(parent: .root, name: name))
      harness.pass(.seconds(100))
      guard case .entry(let node, _) = harness.replies[id] else {
        throw ModelHarness.Missing(path: ItemPath([name]), reply: harness.replies[id])
      }
      return node
    }
    let (file, link) = (try node("a"), try node("link"))
    func opened(_ operation: ProviderModel.Operation) throws -> HandleID {
      let id = harness.request(operation)
      harness.pass(.seconds(100))
      return try #require(harness.handle(of: id))
    }
    let (handle, folder) = (try opened(.open(file, writes: false)), try opened(.openDirectory(.root)))
    let operations: [ProviderModel.Operation] = [
      .lookup(parent: .root, name: "a"), .getAttributes(file), .readLink(link),
      .open(file, writes: false), .read(handle, offset: 0, length: 1), .openDirectory(.root),
      .readDirectory(folder, cookie: 0, capacity: 4096, plus: true), .statistics,
      .getAttribute(file, name: Array("user.x".utf8), capacity: 0), .listAttributes(file, capacity: 0),
      .synchronize(handle),
    ]
    var lengths: [String: Span] = [:]
    for operation in operations {
      let start = harness.now
      let id = harness.request(operation)
      while harness.replies[id] == nil, let due = harness.nextDeadline { harness.tick(to: due) }
      if harness.replies[id] == nil { harness.fail("\(operation) is not answered") }
      if harness.now > start { lengths[operation.name] = harness.now - start }
    }
    return lengths
  }

  @Test func `befall the operations that they are for, and no others`() throws {
    #expect(try lengths { _ in } == [:])
    #expect(try lengths { $0.lookup = .fixed(.seconds(1)) } == ["lookup": .seconds(1)])
    #expect(try lengths { $0.getattr = .fixed(.seconds(2)) } == ["getattr": .seconds(2)])
    #expect(try lengths { $0.readlink = .fixed(.seconds(3)) } == ["readlink": .seconds(3)])
    #expect(try lengths { $0.open = .fixed(.seconds(4)) } == ["open": .seconds(4)])
    #expect(try lengths { $0.read = .fixed(.seconds(5)) } == ["read": .seconds(5)])
    #expect(try lengths { $0.list = .fixed(.seconds(6)) } == ["readdir": .seconds(6)])
    #expect(
      try lengths { $0.attributes = .fixed(.seconds(7)) }
        == ["getxattr": .seconds(7), "listxattr": .seconds(7)])
  }

  @Test func `of reads come once an open, and nothing overtakes the first`() throws {
    let harness = ModelHarness(["a": 300_000]) {
      $0.items.initial = .local
      $0.latency.read = .fixed(.seconds(2))
    }
    harness.openGate()
    let handle = try harness.handle("a")
    let first = harness.read(handle, 0..<131_072)
    harness.run(to: seconds(1))
    // The kernel reads ahead, or another thread does.
    let second = harness.read(handle, 131_072..<262_144)
    #expect(harness.unanswered == [first, second])
    #expect(harness.nextDeadline == seconds(2))
    harness.run(to: seconds(2))
    #expect(harness.replied.suffix(2) == [first, second])
    #expect(harness.readReply(handle, 262_144..<300_000) != nil)
    // Another open has its own.
    let other = harness.read(try harness.handle("a"))
    #expect(harness.unanswered == [other])
  }

  @Test func `of reads go on when their reader is interrupted`() throws {
    let harness = ModelHarness(["a": 10]) {
      $0.items.initial = .local
      $0.latency.read = .fixed(.seconds(2))
    }
    harness.openGate()
    let handle = try harness.handle("a")
    let interrupted = harness.read(handle)
    harness.run(to: seconds(1))
    harness.interrupt(interrupted)
    #expect(harness.replies[interrupted] == .error(.interrupted))
    let again = harness.read(handle)
    #expect(harness.nextDeadline == seconds(2))
    harness.run(to: seconds(2))
    #expect(harness.replies[again] != nil)
  }

  @Test func `are drawn for each item and time, whoever else asks`() throws {
    let names: [Name] = ["a", "b"]
    /// How long each of three lookups of each name takes.
    func lengths(_ order: [Name], seed: UInt64 = 1) throws -> [Name: [Span]] {
      let harness = ModelHarness(["a": 1, "b": 1]) {
        $0.seed = seed
        $0.latency.lookup = .uniform(minimum: .seconds(1), maximum: .seconds(9))
      }
      harness.ask(.status([ItemPath()]))
      var lengths: [Name: [Span]] = [:]
      for name in order {
        let start = harness.now
        harness.request(.lookup(parent: .root, name: name))
        harness.tick(to: try #require(harness.nextDeadline))
        harness.expectNobodyWaits()
        lengths[name, default: []].append(harness.now - start)
      }
      return lengths
    }
    let turns = try lengths(names + names + names)
    #expect(Set(turns.values.joined()).count == 6)
    #expect(try lengths([names[1], names[1], names[0], names[1], names[0], names[0]]) == turns)
    #expect(try lengths(names + names + names, seed: 2) != turns)
  }

  @Test func `of a lookup befall a name that nothing has, and start after the folder's listing`() throws {
    let harness = ModelHarness(["a": 1]) {
      $0.latency.lookup = .uniform(minimum: .seconds(1), maximum: .seconds(9))
    }
    harness.isPrompt = false
    let lookup = harness.request(.lookup(parent: .root, name: "none"))
    harness.pass(.seconds(5))
    harness.answerListings()
    #expect(harness.unanswered == [lookup])
    let due = try #require(harness.nextDeadline)
    #expect(due >= seconds(6))
    harness.tick(to: due)
    #expect(harness.replies[lookup] == .error(.noSuchItem))
  }

  @Test func `do not befall what the simulation itself is asked`() throws {
    let harness = ModelHarness(["a": 1]) { $0.latency.attributes = .fixed(.seconds(1)) }
    harness.openGate()
    #expect(try harness.attribute("state", of: "a") == "dataless")
  }
}
