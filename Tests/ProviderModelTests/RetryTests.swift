import Testing

@testable import ProviderModel

// Downloads that fail, and who waits how long for another attempt.

@Suite struct `A download that fails` {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func harness(_ change: (inout Profile.Download) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a": 1_000, "b": 1_000]) {
      $0.download.bandwidth = 1_000
      change(&$0.download)
    }
    harness.openGate()
    return harness
  }

  private func read(_ harness: ModelHarness, _ path: ItemPath = "a") throws -> RequestID {
    harness.read(try harness.handle(path), 0..<1)
  }

  private func coordinate(_ harness: ModelHarness) -> Int {
    harness.begin(.coordinate([Intent(path: "a", kind: .read)], purpose: ""), by: harness.app)
  }

  private static let resolvable: [FileProviderErrorName] = [
    .notAuthenticated, .insufficientQuota, .serverUnreachable, .cannotSynchronize, .domainDisabled,
    .providerNotFound, .providerDomainNotFound, .applicationExtensionNotFound,
  ]
  private static let final: [FileProviderErrorName] = [
    .noSuchItem, .versionNoLongerAvailable, .filenameCollision, .deletionRejected, .directoryNotEmpty,
    .nonEvictableChildren, .unsyncedEdits, .nonEvictable, .excludedFromSync,
  ]

  @Test(arguments: resolvable)
  func `in a way that can be resolved is tried again for plain readers only`(name: FileProviderErrorName)
    throws
  {
    let harness = harness()
    let read = try read(harness)
    let claim = coordinate(harness)
    let download = harness.begin(.download(["a"]))
    harness.run(to: at(500))
    harness.fail("a", .provider(name))
    #expect(harness.answer(claim, of: harness.app) == .failure(.provider(name), "a"))
    #expect(harness.answer(download) == .failure(.provider(name), "a"))
    #expect(harness.unanswered == [read])
    #expect(harness.events(.downloadFailed).map(\.error) == [.provider(name)])
    #expect(try harness.status("a").transfer == TransferStatus(phase: .retrying, bytesPerSecond: 0))
    #expect(try harness.status("a").arrived == 0)
    // After the pause of a second it takes another.
    harness.run(to: at(2_500))
    #expect(harness.events(.downloadStarted).map(\.at) == [at(0), at(1_500)])
    #expect(harness.unanswered.isEmpty)
    #expect(try harness.status("a").copy == .local)
  }

  @Test(arguments: [.providerDomainTemporarilyUnavailable, .pageExpired] as [FileProviderErrorName])
  func `in passing is tried again for everyone`(name: FileProviderErrorName) throws {
    let harness = harness()
    let read = try read(harness)
    let claim = coordinate(harness)
    let download = harness.begin(.download(["a"]))
    harness.fail("a", .provider(name))
    harness.run(to: at(1_999))
    #expect(harness.unanswered == [read])
    #expect(harness.answer(claim, of: harness.app) == nil && harness.answer(download) == nil)
    harness.run(to: at(2_000))
    #expect(harness.unanswered.isEmpty)
    #expect(harness.answer(claim, of: harness.app) != nil && harness.answer(download) != nil)
  }

  @Test(
    arguments: final.map { ProviderError.provider($0) }
      + [.fault(.EDEADLK), .fault(.EIO), .fault(.ENOSPC), .cocoa(.xpcConnectionInterrupted), .released(.EIO)])
  func `for good fails all readers at once, and the next one tries again`(error: ProviderError) throws {
    let harness = harness()
    let read = try read(harness)
    let claim = coordinate(harness)
    harness.run(to: at(300))
    harness.fail("a", error)
    #expect(harness.replies[read] == .error(error))
    #expect(harness.answer(claim, of: harness.app) == .failure(error, "a"))
    #expect(try harness.status("a").copy == .dataless)
    #expect(harness.nextDeadline == nil)
    let next = try self.read(harness)
    harness.run(to: at(1_300))
    guard case .content = harness.replies[next] else {
      Issue.record("no second try")
      return
    }
  }

  @Test func `again and again is tried again after pauses that double up to half a minute`() throws {
    let harness = harness { $0.timeout = nil }
    harness.keepFailing("a", .provider(.serverUnreachable))
    let read = try read(harness)
    harness.run(to: at(120_000))
    #expect(
      harness.events(.downloadStarted).map(\.at)
        == [0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000].map(at))
    #expect(harness.unanswered == [read])
  }

  @Test func `pauses as the profile says, and never longer than that or half a minute`() {
    var download = Profile.Download()
    download.retryInterval = .seconds(40)
    #expect((1...3).map { download.pause(after: $0) } == [.seconds(40), .seconds(40), .seconds(40)])
    download.retryInterval = Span(nanoseconds: 1)
    #expect(download.pause(after: 31).nanoseconds == 1 << 30)
    #expect(download.pause(after: 1_000_000) == .seconds(30))
    download.retryInterval = Span(nanoseconds: .max)
    #expect(download.pause(after: 60) == Span(nanoseconds: .max))
  }

  @Test func `keeps a plain reader for a minute, who then gets the error's errno`() throws {
    let harness = harness()
    harness.keepFailing("a", .provider(.serverUnreachable))
    let read = try read(harness)
    harness.run(to: at(59_999))
    #expect(harness.unanswered == [read])
    harness.run(to: at(60_000))
    #expect(harness.replies[read] == .error(.provider(.serverUnreachable)))
    #expect(ProviderError.provider(.serverUnreachable).errno == .ETIMEDOUT)
    #expect(harness.events(.operation).last?.waited == .seconds(60))
    // With nobody left it is over.
    #expect(try harness.status("a").copy == .dataless)
    #expect(harness.nextDeadline == nil)
  }

  @Test func `counts the minute of each reader from the failure, or from when it came`() throws {
    let harness = harness { $0.latency = .fixed(.seconds(10)) }
    harness.keepFailing("a", .provider(.notAuthenticated))
    let first = try read(harness)
    // The first attempt fails at 10 s.
    harness.run(to: at(30_000))
    let second = try read(harness)
    harness.run(to: at(100_000))
    #expect(harness.answered(first) == at(70_000))
    #expect(harness.answered(second) == at(90_000))
  }

  @Test func `has no limit where the profile says never`() throws {
    let harness = harness { $0.timeout = nil }
    harness.keepFailing("a", .provider(.serverUnreachable))
    let read = try read(harness)
    harness.run(to: at(3_600_000))
    #expect(harness.unanswered == [read])
    harness.keepFailing("a", nil)
    harness.run(to: at(3_640_000))
    #expect(harness.unanswered.isEmpty)
  }

  @Test func `does not lose its reader while another attempt is bringing the content`() throws {
    let harness = harness {
      $0.timeout = .seconds(3)
      $0.bandwidth = 100
    }
    let read = try read(harness)
    harness.run(to: at(5_000))
    harness.fail("a", .provider(.serverUnreachable))
    // Streams again from 6 s to 16 s; the reader's time was up at 8 s.
    harness.run(to: at(16_000))
    guard case .content = harness.replies[read] else {
      Issue.record("\(String(describing: harness.replies[read]))")
      return
    }
  }

  @Test func `fails a reader whose time is up when that attempt fails as well`() throws {
    let harness = harness {
      $0.timeout = .seconds(3)
      $0.bandwidth = 100
    }
    let read = try read(harness)
    harness.run(to: at(5_000))
    harness.fail("a", .provider(.serverUnreachable))
    harness.run(to: at(10_000))
    let late = try self.read(harness)
    harness.fail("a", .provider(.notAuthenticated))
    #expect(harness.replies[read] == .error(.provider(.notAuthenticated)))
    // Who came later has time left.
    #expect(harness.unanswered == [late])
  }

  @Test func `is tried at once for who asks for just this item`() throws {
    let harness = harness { $0.retryInterval = .seconds(20) }
    let read = try read(harness)
    harness.fail("a", .provider(.serverUnreachable))
    harness.run(to: at(5_000))
    let claim = coordinate(harness)
    harness.run(to: at(6_000))
    #expect(harness.answer(claim, of: harness.app) != nil)
    #expect(harness.replies[read] != nil)
    // The attempt that was planned does not come any more.
    harness.run(to: at(60_000))
    #expect(harness.events(.downloadStarted).count == 2)
  }

  @Test func `is not tried again when its readers have gone`() throws {
    let harness = harness()
    let read = try read(harness)
    harness.fail("a", .provider(.serverUnreachable))
    harness.interrupt(read)
    harness.run(to: at(60_000))
    #expect(harness.events(.downloadStarted).count == 1)
    #expect(try harness.status("a").copy == .dataless)
    #expect(harness.nextDeadline == nil)
  }

  @Test func `leaves its place to others, and draws a new latency`() throws {
    let harness = harness {
      $0.concurrency = 1
      $0.latency = .uniform(minimum: .seconds(1), maximum: .seconds(5))
    }
    _ = try read(harness)
    harness.begin(.download(["b"]))
    #expect(try harness.status("b").transfer?.phase == .queued)
    let first = try #require(harness.nextDeadline)
    harness.fail("a", .provider(.serverUnreachable))
    #expect(try harness.status("b").transfer?.phase == .waiting)
    harness.run(to: at(60_000))
    let events = harness.events.filter { [.downloadStarted, .downloadFinished].contains($0.name) }
    #expect(events.map(\.path) == ["a", "b", "a", "b", "a"])
    // b ended, a had its latency and then a second of bytes.
    #expect(events[4].at != events[3].at + (first - at(-1_000)))
  }

  @Test func `meets the holds that are set then, from the start of the file`() throws {
    let harness = harness()
    harness.ask(.hold(.download, "a", at: .bytes(400), name: "h"))
    let read = try read(harness)
    harness.run(to: at(500))
    #expect(harness.events(.held).map(\.at) == [at(400)])
    harness.fail("a", .provider(.serverUnreachable))
    guard case .holds(let holds) = harness.ask(.holds) else { return }
    #expect(holds.map(\.parked) == [0])
    harness.run(to: at(5_000))
    #expect(harness.events(.held).map(\.at) == [at(400), at(1_900)])
    harness.ask(.release("h", error: nil))
    harness.run(to: at(6_000))
    #expect(harness.replies[read] != nil)
  }
}
