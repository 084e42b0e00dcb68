import Testing

@testable import ProviderModel

// What happens when a condition begins, ends or follows another; what it gives each access is in ConditionTableTests.

@Suite struct `A condition` {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a": 10_000, "b": 10_000, "local": 1_000, "far/y": 1_000]) {
      $0.items.local = ["local"].compactMap { Glob($0) }
      $0.download.bandwidth = 1_000
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func read(_ harness: ModelHarness, _ path: ItemPath = "a") throws -> RequestID {
    harness.read(try harness.handle(path), 0..<1)
  }

  private func coordinate(_ harness: ModelHarness, _ path: ItemPath = "a") -> Int {
    harness.begin(.coordinate([Intent(path: path, kind: .read)], purpose: ""), by: harness.app)
  }

  private func changes(_ harness: ModelHarness) -> [String] {
    harness.events(.providerChanged).map { event in
      guard case .condition(let condition) = event.detail else { return "?" }
      return "\(event.at.nanoseconds / 1_000_000) \(condition.rawValue)"
    }
  }

  @Test func `ends what is on its way, and starts it again at once when it ends`() throws {
    let harness = harness()
    let reader = try read(harness)
    let claim = coordinate(harness, "b")
    harness.run(to: at(4_000))
    #expect(harness.ask(.setCondition(.offline, for: nil)) == .done)
    #expect(harness.events(.downloadFailed).map(\.path) == ["a", "b"])
    #expect(harness.answer(claim, of: harness.app) == .failure(.provider(.serverUnreachable), "b"))
    #expect(harness.unanswered == [reader])
    harness.run(to: at(20_100))
    // It would have been tried again at 35 s.
    harness.ask(.setCondition(.online, for: nil))
    harness.run(to: at(30_100))
    #expect(harness.answered(reader) == at(30_100))
    #expect(changes(harness) == ["4000 offline", "20100 online"])
  }

  @Test func `lasts as long as it is said to, and no longer`() throws {
    let harness = harness()
    harness.ask(.setCondition(.signedOut, for: .seconds(5)))
    let reader = try read(harness)
    harness.run(to: at(4_999))
    #expect(try harness.status("a").transfer?.phase == .retrying)
    harness.run(to: at(15_000))
    #expect(harness.answered(reader) == at(15_000))
    #expect(changes(harness) == ["0 signed-out", "5000 online"])
  }

  @Test func `that follows another has an end of its own`() {
    let harness = harness()
    harness.ask(.setCondition(.offline, for: .seconds(5)))
    harness.run(to: at(3_000))
    harness.ask(.setCondition(.disabled, for: .seconds(10)))
    harness.run(to: at(4_000))
    // The same again only lasts longer.
    harness.ask(.setCondition(.disabled, for: .seconds(20)))
    harness.run(to: at(100_000))
    #expect(changes(harness) == ["0 offline", "3000 disabled", "24000 online"])
    harness.ask(.setCondition(.offline, for: .seconds(5)))
    harness.ask(.setCondition(.offline, for: nil))
    harness.run(to: at(200_000))
    #expect(changes(harness).last == "100000 offline")
    #expect(harness.nextDeadline == nil)
  }

  @Test func `comes by a timed event and by a rule`() throws {
    var rule = Rule(
      name: "drops", operations: [.read],
      effect: RuleEffect(
        changes: [.provider(.offline, duration: .seconds(5))], disturbance: .fail(.errno(.ECONNRESET))))
    rule.occurrence.times = 1
    rule.bytes = Rule.Span(from: .millionths(500_000))
    let harness = harness {
      $0.kind = .volume
      $0.items.initial = .local
      $0.rules = [rule]
      $0.events = [TimedEvent(at: .seconds(20), change: .provider(.crashed, duration: .seconds(3)))]
    }
    let handle = try harness.handle("a")
    #expect(harness.readReply(handle, 0..<4_000) != .error(.unreachable(.ENOTCONN)))
    // The connection drops in the middle of the file; then nothing answers for five seconds.
    #expect(harness.readReply(handle, 4_000..<8_000) == .error(.fault(.ECONNRESET)))
    #expect(harness.readReply(handle, 0..<4_000) == .error(.unreachable(.ENOTCONN)))
    #expect(harness.reply(.lookup(parent: .root, name: "b")) == .error(.unreachable(.ENOTCONN)))
    harness.run(to: at(5_000))
    guard case .content = harness.readReply(try harness.handle("a"), 4_000..<8_000) else {
      Issue.record("it is not back")
      return
    }
    harness.run(to: at(20_000))
    let waiting = harness.read(handle, 0..<1)
    harness.run(to: at(22_999))
    #expect(harness.unanswered == [waiting])
    harness.run(to: at(23_000))
    #expect(harness.replies[waiting] != nil)
  }

  @Test func `meets transfers that wait for a place when it is their turn`() throws {
    let harness = harness { $0.download.concurrency = 1 }
    harness.ask(.hold(.download, "a", at: nil, name: "h"))
    let held = try read(harness)
    let queued = coordinate(harness, "b")
    harness.run(to: at(1_000))
    harness.ask(.setCondition(.offline, for: nil))
    // What is held ends as well, and leaves its place.
    #expect(harness.answer(queued, of: harness.app) == .failure(.provider(.serverUnreachable), "b"))
    #expect(harness.unanswered == [held])
    harness.ask(.setCondition(.online, for: nil))
    #expect(harness.events(.held).count == 2)
    harness.ask(.release("h", error: nil))
    harness.run(to: at(11_000))
    #expect(harness.answered(held) == at(11_000))
  }

  @Test func `of a volume cuts off what it was bringing with ECONNRESET`() throws {
    let harness = harness { $0.kind = .volume }
    let reader = try read(harness)
    harness.run(to: at(1_000))
    harness.ask(.setCondition(.offline, for: nil))
    #expect(harness.replies[reader] == .error(.unreachable(.ECONNRESET)))
  }

  @Test func `of a legacy provider that crashes interrupts whoever waits for a claim, and then refuses`()
    throws
  {
    let harness = harness { $0.kind = .legacy }
    let fetching = coordinate(harness)
    let writer = harness.begin(
      .coordinate([Intent(path: "local", kind: .write)], purpose: ""), by: harness.app)
    let waiting = coordinate(harness, "local")
    let reader = try read(harness, "b")
    harness.run(to: at(1_000))
    harness.ask(.setCondition(.crashed, for: nil))
    #expect(harness.answer(fetching, of: harness.app) == .failure(.cocoa(.xpcConnectionInterrupted), "a"))
    #expect(harness.answer(waiting, of: harness.app) == .failure(.cocoa(.xpcConnectionInterrupted), nil))
    #expect(harness.replies[reader] == .error(.cocoa(.xpcConnectionInterrupted)))
    // Who holds a claim keeps it.
    guard case .claim(let id, _) = harness.answer(writer, of: harness.app) else {
      Issue.record("no claim")
      return
    }
    #expect(harness.ask(.finish(id), by: harness.app) == .done)
    let later = coordinate(harness, "local")
    #expect(harness.answer(later, of: harness.app) == .failure(.cocoa(.xpcConnectionInvalid), "local"))
    harness.ask(.setCondition(.online, for: nil))
    guard case .claim = harness.answer(coordinate(harness, "local"), of: harness.app) else {
      Issue.record("it does not coordinate again")
      return
    }
  }

  @Test func `keeps who looks into a dataless folder waiting, until it ends or somebody lists it`() throws {
    let harness = harness { $0.items.datalessFolders = ["far"].compactMap { Glob($0) } }
    let far = try harness.node("far")
    harness.ask(.setCondition(.offline, for: .seconds(30)))
    let lookup = harness.request(.lookup(parent: far, name: "y"))
    let gone = harness.request(.lookup(parent: far, name: "y"))
    harness.interrupt(gone)
    harness.run(to: at(29_999))
    #expect(harness.unanswered == [lookup])
    harness.run(to: at(30_000))
    guard case .entry = harness.replies[lookup] else {
      Issue.record("\(String(describing: harness.replies[lookup]))")
      return
    }
    // Known now, whatever comes.
    harness.ask(.setCondition(.offline, for: nil))
    guard case .entry = harness.reply(.lookup(parent: far, name: "y")) else {
      Issue.record("it is forgotten")
      return
    }
  }

  @Test func `throttles what is on its way, and no longer`() throws {
    let harness = harness { $0.conditions.throttledBandwidth = 100 }
    harness.begin(.download(["a"]))
    harness.run(to: at(1_000))
    harness.ask(.setCondition(.throttled, for: .seconds(10)))
    #expect(try harness.status("a").transfer?.bytesPerSecond == 100)
    harness.run(to: at(11_000))
    #expect(try harness.arrived("a") == 2_000)
    #expect(try harness.status("a").transfer?.bytesPerSecond == 1_000)
    harness.run(to: at(60_000))
    #expect(harness.events(.downloadFinished).map(\.at) == [at(19_000)])
  }

  @Test func `drops the kernel's pages of a volume's open files`() throws {
    let harness = harness {
      $0.kind = .volume
      $0.items.initial = .local
    }
    let handle = try harness.handle("a")
    harness.read(handle, 0..<9, fillsCache: true)
    let before = harness.invalidated.count
    #expect(harness.ask(.setCondition(.offline, for: nil)) == .done)
    #expect(harness.invalidated.count > before)
  }

  @Test func `has the errno that the profile says, for everyone who is told`() throws {
    let harness = harness {
      $0.errors = [.notAuthenticated: .EACCES]
      $0.download.timeout = .seconds(10)
    }
    harness.ask(.setCondition(.signedOut, for: nil))
    let reader = try read(harness)
    let claim = coordinate(harness)
    #expect(
      harness.answer(claim, of: harness.app) == .failure(.translated(.notAuthenticated, .EACCES), "a"))
    harness.run(to: at(10_000))
    let error = ProviderError.translated(.notAuthenticated, .EACCES)
    #expect(harness.replies[reader] == .error(error))
    #expect(error.errno == .EACCES && error.name == "notAuthenticated")
    #expect(harness.events(.downloadFailed).first?.error == error)
    #expect(harness.events(.operation).last?.error == error)
  }

  @Test func `does not touch what the simulation itself is asked`() throws {
    let harness = harness {
      $0.kind = .volume
      $0.items.initial = .local
    }
    let node = try harness.node("a")
    harness.ask(.setCondition(.offline, for: nil))
    let name = Array("user.fakeprovider.state".utf8)
    #expect(harness.reply(.getAttribute(node, name: name, capacity: 9)) == .bytes(Array("local".utf8)))
    guard case .items = harness.ask(.status(["a"])) else {
      Issue.record("no status")
      return
    }
  }
}

@Suite struct `A locked device` {
  @Test func `opens no file and reads none that is open, and lists all the same`() throws {
    let harness = ModelHarness(["a": 10, "far": 10]) { $0.items.local = ["a"].compactMap { Glob($0) } }
    harness.openGate()
    let (local, dataless) = (try harness.handle("a"), try harness.handle("far"))
    let waiting = harness.read(dataless)
    #expect(harness.replies[waiting] != nil)
    #expect(harness.ask(.setDeviceLock(true)) == .done)
    #expect(try harness.openReply("a") == .error(.deviceLocked))
    #expect(harness.readReply(local) == .error(.deviceLocked))
    #expect(ProviderError.deviceLocked.errno == .EPERM)
    #expect(try harness.attributes("a").size == 10)
    // Without a scope that is what is wrong.
    harness.ask(.stop(ItemPath()), by: harness.app)
    #expect(try harness.openReply("a") == .error(.accessNotGranted))
    harness.ask(.start(ItemPath(), covers: .process), by: harness.app)
    #expect(harness.ask(.setDeviceLock(false)) == .done)
    guard case .content = harness.readReply(local) else {
      Issue.record("still locked")
      return
    }
    #expect(harness.events.map(\.name).filter { [.deviceLocked, .deviceUnlocked].contains($0) }.count == 2)
  }

  @Test func `refuses content that arrives meanwhile`() throws {
    let harness = ModelHarness(["a": 10]) { $0.download.latency = .fixed(.seconds(5)) }
    harness.openGate()
    let read = harness.read(try harness.handle("a"))
    harness.ask(.setDeviceLock(true))
    harness.pass(.seconds(5))
    #expect(harness.replies[read] == .error(.deviceLocked))
    #expect(try harness.status("a").copy == .local)
  }
}

@Suite struct `An app` {
  private func harness() -> ModelHarness {
    let harness = ModelHarness(["a": 10]) { $0.items.initial = .local }
    harness.openGate()
    return harness
  }

  @Test func `is suspended and resumed with all of its processes that are known`() throws {
    let harness = harness()
    // Another process of it, without a connection.
    let other = Actor(7, "app")
    _ = try harness.handle("a", by: harness.app)
    harness.request(
      .open(try harness.node("a"), writes: false),
      by: Caller(thread: 7, process: other.process, app: other.app))
    #expect(harness.ask(.signal(AppID("app"), .suspend)) == .processes([harness.app.process]))
    #expect(harness.suspended == [harness.app.process])
    #expect(harness.events(.appSuspended).map(\.process) == [harness.app.process.number])
    #expect(harness.ask(.signal(AppID("app"), .resume)) == .processes([harness.app.process]))
    #expect(harness.suspended == [])
    #expect(harness.ask(.signal(AppID("app"), .kill)) == .processes([harness.app.process]))
    #expect(harness.killed == [harness.app.process])
  }

  @Test func `keeps its claims while it is suspended`() throws {
    let harness = harness()
    harness.ask(.coordinate([Intent(path: "a", kind: .write)], purpose: ""), by: harness.app)
    harness.ask(.signal(AppID("app"), .suspend))
    let other = Actor(8, "other")
    harness.join(other)
    harness.ask(.start(ItemPath(), covers: .process), by: other)
    let waiting = harness.begin(.coordinate([Intent(path: "a", kind: .read)], purpose: ""), by: other)
    harness.pass(.seconds(1_000))
    #expect(harness.answer(waiting, of: other) == nil)
    harness.ask(.signal(AppID("app"), .kill))
    harness.forget(harness.app)
    harness.end(harness.app.process)
    guard case .claim = harness.answer(waiting, of: other) else {
      Issue.record("it waits for the dead")
      return
    }
  }

  @Test func `goes on when the provider ends`() {
    let harness = harness()
    harness.ask(.signal(AppID("app"), .suspend))
    harness.tell(.stop)
    #expect(harness.suspended == [])
  }

  @Test func `that nobody knows is refused, with those that are known`() {
    let harness = harness()
    guard case .failure(.invalid(let text), nil) = harness.ask(.signal(AppID("ap"), .suspend)) else {
      Issue.record("suspended")
      return
    }
    #expect(text == "no process of the app ap is known: known are app")
  }
}

@Suite struct `A process that may not materialize` {
  private func harness(_ change: (inout Profile) -> Void) -> ModelHarness {
    let harness = ModelHarness(["a": 10, "far/y": 10]) {
      $0.items.datalessFolders = ["far"].compactMap { Glob($0) }
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  @Test func `gets EDEADLK at once, and its coordinated read downloads all the same`() throws {
    let harness = harness { $0.process.materialize = .forbid }
    let handle = try harness.handle("a")
    #expect(harness.readReply(handle) == .error(.materializationForbidden))
    #expect(ProviderError.materializationForbidden.errno == .EDEADLK)
    #expect(harness.events(.downloadStarted).isEmpty)
    #expect(
      harness.reply(.lookup(parent: try harness.node("far"), name: "y")) == .error(.materializationForbidden))
    harness.ask(.coordinate([Intent(path: "a", kind: .read)], purpose: ""), by: harness.app)
    guard case .content = harness.readReply(handle) else {
      Issue.record("not read")
      return
    }
    // Asking for the download in so many words is no read.
    harness.release(handle)
    harness.ask(.evict(["a"]))
    #expect(try harness.writeReply("download", to: "a") == .done)
  }

  @Test func `is one of an app that the profile names, and others go on`() throws {
    let harness = harness { $0.process.forbid = ["app"] }
    let other = Actor(9, "other")
    harness.join(other)
    harness.ask(.start(ItemPath(), covers: .process), by: other)
    #expect(harness.readReply(try harness.handle("a")) == .error(.materializationForbidden))
    guard case .content = harness.readReply(try harness.handle("a", by: other), by: other) else {
      Issue.record("the other may not either")
      return
    }
  }

  @Test func `is refused at the open where opens download`() throws {
    let harness = harness {
      $0.process.materialize = .forbid
      $0.download.trigger = .open
    }
    #expect(try harness.openReply("a") == .error(.materializationForbidden))
  }
}
