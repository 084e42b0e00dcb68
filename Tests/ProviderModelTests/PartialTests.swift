import Testing

@testable import ProviderModel

// Content before all of it is here, and opens that wait for it.

@Suite struct `A download in parts` {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a": 10_000]) {
      $0.download.bandwidth = 1_000
      $0.download.latency = .fixed(.seconds(1))
      $0.download.partial = true
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  @Test func `serves a read as soon as all that it asks for is here`() throws {
    let harness = harness()
    let handle = try harness.handle("a")
    let stamp = try #require(harness.source.items["a"]?.stamp)
    let first = harness.read(handle, 0..<4_000)
    let second = harness.read(handle, 4_000..<8_000)
    let last = harness.read(handle, 8_000..<131_072)
    harness.run(to: at(4_999))
    #expect(harness.unanswered == [first, second, last])
    harness.run(to: at(5_000))
    #expect(harness.replies[first] == .content(handle, offset: 0, length: 4_000, stamp, nil))
    #expect(try harness.status("a").copy == .downloading)
    // What is here is read without waiting, and starts nothing.
    #expect(harness.readReply(handle, 1_000..<3_000) != nil)
    harness.run(to: at(9_000))
    #expect(harness.answered(second) == at(9_000))
    harness.run(to: at(11_000))
    // The end of the file, not of the request.
    #expect(harness.answered(last) == at(11_000))
    #expect(harness.events(.downloadStarted).count == 1)
    #expect(try harness.status("a").copy == .local)
  }

  @Test func `in whole files serves nothing before the end`() throws {
    let harness = harness { $0.download.partial = false }
    let read = harness.read(try harness.handle("a"), 0..<1)
    harness.run(to: at(10_999))
    #expect(harness.unanswered == [read])
    harness.run(to: at(11_000))
    #expect(harness.unanswered.isEmpty)
  }

  @Test func `held at 40 % serves what is before it`() throws {
    let harness = harness()
    harness.ask(.hold(.download, "a", at: .millionths(400_000), name: "h"))
    let handle = try harness.handle("a")
    let before = harness.read(handle, 0..<4_000)
    let across = harness.read(handle, 3_999..<4_001)
    harness.run(to: at(60_000))
    #expect(harness.answered(before) == at(5_000))
    #expect(harness.unanswered == [across])
    harness.ask(.release("h", error: nil))
    harness.run(to: at(61_000))
    #expect(harness.unanswered.isEmpty)
  }

  @Test func `that fails keeps waiting readers for the next attempt, which brings them their bytes`() throws {
    let harness = harness()
    let handle = try harness.handle("a")
    let served = harness.read(handle, 0..<1_000)
    let waiting = harness.read(handle, 1_000..<5_000)
    harness.run(to: at(3_000))
    #expect(harness.answered(served) == at(2_000))
    harness.fail("a", .provider(.serverUnreachable))
    // Nothing is left of it: what was here has to come again.
    let again = harness.read(handle, 0..<1_000)
    harness.run(to: at(60_000))
    // From 4 s, with another second of latency.
    #expect(harness.answered(again) == at(6_000))
    #expect(harness.answered(waiting) == at(10_000))
  }

  @Test func `lets a descriptor that has had bytes go on when access is revoked, and no other`() throws {
    let harness = harness()
    let (old, new) = (try harness.handle("a"), try harness.handle("a"))
    let first = harness.read(old, 0..<1_000)
    harness.run(to: at(2_000))
    #expect(harness.replies[first] != nil)
    let more = harness.read(old, 1_000..<2_000)
    let none = harness.read(new, 1_000..<2_000)
    harness.ask(.revoke(["a"], app: nil, byUser: false, reads: false))
    #expect(harness.replies[none] == .error(.accessRevoked))
    harness.run(to: at(3_000))
    guard case .content = harness.replies[more] else {
      Issue.record("\(String(describing: harness.replies[more]))")
      return
    }
  }

  @Test func `keeps a coordinated reader until the end`() throws {
    let harness = harness()
    let claim = harness.begin(.coordinate([Intent(path: "a", kind: .read)], purpose: ""), by: harness.app)
    harness.run(to: at(10_999))
    #expect(harness.answer(claim, of: harness.app) == nil)
    harness.run(to: at(11_000))
    #expect(harness.answer(claim, of: harness.app) != nil)
  }
}

@Suite struct `With opens that download` {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a": 1_000]) {
      $0.download.latency = .fixed(.seconds(2))
      $0.download.trigger = .open
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  @Test func `an open waits for the content, and its reads do not`() throws {
    let harness = harness()
    let open = try harness.open("a")
    harness.run(to: at(1_999))
    #expect(harness.unanswered == [open])
    harness.run(to: at(2_000))
    #expect(harness.readReply(try #require(harness.handle(of: open))) != nil)
    let event = harness.events(.operation).first { $0.operation == "open" }
    #expect(event?.waited == .seconds(2))
    // Metadata still costs nothing.
    #expect(try harness.attributes("a").size == 1_000)
  }

  @Test func `an open to write is refused at once, and one of what is local waits for nothing`() throws {
    let harness = harness()
    #expect(try harness.openReply("a", writes: true) == .error(.readOnly))
    #expect(harness.events(.downloadStarted).isEmpty)
    harness.begin(.download(["a"]))
    harness.run(to: at(2_000))
    #expect(try harness.handle("a").rawValue > 0)
  }

  @Test func `an open gets the error of a download that fails`() throws {
    let harness = harness()
    let open = try harness.open("a")
    harness.fail("a", .fault(.EIO))
    #expect(harness.replies[open] == .error(.fault(.EIO)))
    #expect(harness.sourceFiles.isEmpty)
  }

  @Test func `an open that waits fails at once when access is revoked`() throws {
    let harness = harness()
    let open = try harness.open("a")
    harness.ask(.revoke(["a"], app: AppID("another"), byUser: false, reads: false))
    #expect(harness.unanswered == [open])
    harness.ask(.revoke(["a"], app: nil, byUser: false, reads: false))
    #expect(harness.replies[open] == .error(.accessRevoked))
  }

  @Test func `an open that was delayed is counted once, and waits for both`() throws {
    let harness = harness { $0.latency.open = .fixed(.seconds(3)) }
    let open = try harness.open("a")
    harness.run(to: at(4_999))
    #expect(harness.unanswered == [open])
    harness.run(to: at(5_000))
    #expect(harness.handle(of: open) != nil)
  }
}
