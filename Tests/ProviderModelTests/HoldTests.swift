import Testing

@testable import ProviderModel

@Suite struct `A hold` {
  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 1_000, "d/b.pdf": 1_000], change)
    harness.openGate()
    return harness
  }

  private func local(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    harness {
      $0.items.initial = .local
      change(&$0)
    }
  }

  private func parked(_ harness: ModelHarness, _ name: String = "h") -> Int? {
    guard case .holds(let holds) = harness.ask(.holds) else { return nil }
    return holds.first { $0.name == name }?.parked
  }

  @Test func `parks an open until it is released`() throws {
    let harness = local()
    #expect(harness.ask(.hold(.open, "a.pdf", at: nil, name: "h")) == .hold("h"))
    let open = try harness.open("a.pdf")
    #expect(harness.unanswered == [open])
    #expect(parked(harness) == 1)
    let event = try #require(harness.events(.held).first)
    #expect(event.hold == "h" && event.path == "a.pdf" && event.operation == "open")
    #expect(try harness.handle("d/b.pdf").rawValue > 0)
    #expect(harness.ask(.release("h", error: nil)) == .released(1))
    #expect(harness.handle(of: open) != nil)
    #expect(harness.events(.holdReleased).map(\.hold) == ["h"])
  }

  @Test(
    arguments: [
      (0..<400, false), (0..<401, true), (399..<400, false), (400..<401, true), (300..<500, true),
      (401..<1_000, false), (0..<131_072, true),
    ] as [(Range<Int64>, Bool)])
  func `at 40 % parks the whole read that covers the byte`(range: Range<Int64>, parks: Bool) throws {
    let harness = local()
    harness.ask(.hold(.read, "a.pdf", at: .millionths(400_000), name: "h"))
    let handle = try harness.handle("a.pdf")
    let read = harness.read(handle, range)
    #expect(harness.unanswered == (parks ? [read] : []))
    harness.ask(.release("h", error: nil))
    guard case .content(handle, range.lowerBound, Int64(range.count), _, nil) = harness.replies[read] else {
      Issue.record("a short reply: \(String(describing: harness.replies[read]))")
      return
    }
  }

  @Test func `on reads without a point parks each of them`() throws {
    let harness = local()
    harness.ask(.hold(.read, "a.pdf", at: nil, name: "h"))
    let handle = try harness.handle("a.pdf")
    for offset in [0, 999, 5_000] as [Int64] { harness.read(handle, offset..<offset + 1) }
    #expect(harness.unanswered.count == 3)
    #expect(parked(harness) == 3)
  }

  @Test func `at the end of a file parks the read of its last byte`() throws {
    let harness = local()
    harness.ask(.hold(.read, "a.pdf", at: .millionths(1_000_000), name: "h"))
    let handle = try harness.handle("a.pdf")
    harness.read(handle, 0..<999)
    #expect(harness.unanswered.isEmpty)
    let last = harness.read(handle, 999..<1_000)
    #expect(harness.unanswered == [last])
  }

  @Test func `at 40 % of a download keeps every reader waiting`() throws {
    let harness = harness {
      $0.download.bandwidth = 1_000
      $0.download.latency = .fixed(.seconds(1))
    }
    harness.ask(.hold(.download, "a.pdf", at: .millionths(400_000), name: "h"))
    let read = harness.read(try harness.handle("a.pdf"), 0..<1)
    harness.run(to: Instant(nanoseconds: 60_000_000_000))
    #expect(harness.events(.held).map(\.at) == [Instant(nanoseconds: 1_400_000_000)])
    #expect(try harness.arrived("a.pdf") == 400)
    #expect(parked(harness) == 1)
    #expect(harness.unanswered == [read])
    harness.ask(.release("h", error: nil))
    #expect(harness.nextDeadline == Instant(nanoseconds: 60_600_000_000))
    harness.run(to: Instant(nanoseconds: 60_600_000_000))
    #expect(harness.unanswered.isEmpty)
  }

  @Test func `on a folder holds what it holds`() throws {
    let harness = local()
    harness.ask(.hold(.open, "d", at: nil, name: "h"))
    #expect(try harness.handle("a.pdf").rawValue > 0)
    let open = try harness.open("d/b.pdf")
    #expect(harness.unanswered == [open])
  }

  @Test func `released with an error fails what waited, and later operations go on`() throws {
    let harness = local()
    harness.ask(.hold(.read, "a.pdf", at: nil, name: "h"))
    let handle = try harness.handle("a.pdf")
    let read = harness.read(handle)
    #expect(harness.ask(.release("h", error: .EIO)) == .released(1))
    #expect(harness.replies[read] == .error(.released(.EIO)))
    #expect(ProviderError.released(.EIO).errno == .EIO)
    guard case .content = harness.readReply(handle) else {
      Issue.record("the hold is still there")
      return
    }
  }

  @Test func `on a download, released with an error, leaves the item dataless`() throws {
    let harness = harness()
    harness.ask(.hold(.download, "a.pdf", at: nil, name: "h"))
    let handle = try harness.handle("a.pdf")
    let read = harness.read(handle)
    let download = harness.begin(.download(["a.pdf", "d/b.pdf"]))
    harness.ask(.release("h", error: .ETIMEDOUT))
    #expect(harness.replies[read] == .error(.released(.ETIMEDOUT)))
    #expect(harness.answer(download) == .failure(.released(.ETIMEDOUT), "a.pdf"))
    #expect(try harness.status("a.pdf").copy == .dataless)
    #expect(harness.events(.downloadFailed).map(\.path) == ["a.pdf"])
    // The next read tries again.
    guard case .content = harness.readReply(handle) else {
      Issue.record("no second try")
      return
    }
  }

  @Test func `that is unknown cannot be released, and says which there are`() {
    let harness = local()
    guard case .failure(.invalid(let none), nil) = harness.ask(.release("x", error: nil)) else {
      Issue.record("released")
      return
    }
    #expect(none.contains("none is set"))
    harness.ask(.hold(.open, "a.pdf", at: nil, name: "first"))
    guard case .failure(.invalid(let some), nil) = harness.ask(.release("x", error: nil)) else {
      Issue.record("released")
      return
    }
    #expect(some.contains("first"))
  }

  @Test func `gets a name of its own, and none twice`() {
    let harness = local()
    #expect(harness.ask(.hold(.open, "a.pdf", at: nil, name: "h2")) == .hold("h2"))
    // The second one would be h2.
    #expect(harness.ask(.hold(.open, "a.pdf", at: nil, name: nil)) == .hold("h2'"))
    guard case .failure(.invalid, nil) = harness.ask(.hold(.open, "a.pdf", at: nil, name: "h2")) else {
      Issue.record("two of one name")
      return
    }
    #expect(harness.ask(.hold(.open, "none", at: nil, name: "x")) == .failure(.noSuchItem, "none"))
  }

  @Test func `gives an interrupted reader back at once`() throws {
    let harness = local()
    harness.ask(.hold(.read, "a.pdf", at: nil, name: "h"))
    let handle = try harness.handle("a.pdf")
    let reads = (0..<3).map { _ in harness.read(handle) }
    harness.interrupt(reads[1])
    #expect(harness.replies[reads[1]] == .error(.interrupted))
    #expect(parked(harness) == 2)
    #expect(harness.ask(.release("h", error: nil)) == .released(2))
    #expect(harness.replied.suffix(2) == [reads[0], reads[2]])
  }

  @Test func `releases several in the order of their coming`() throws {
    let harness = local()
    harness.ask(.hold(.open, ItemPath(), at: nil, name: "h"))
    let opens = try (0..<20).map { try harness.open($0 % 2 == 0 ? "a.pdf" : "d/b.pdf") }
    harness.ask(.release("h", error: nil))
    #expect(harness.replied.suffix(20) == opens[...])
  }

  @Test func `behind another one parks what that lets go`() throws {
    let harness = local()
    for name in ["first", "second"] { harness.ask(.hold(.open, "a.pdf", at: nil, name: name)) }
    let open = try harness.open("a.pdf")
    harness.ask(.release("first", error: nil))
    #expect(parked(harness, "second") == 1)
    harness.ask(.release("second", error: nil))
    #expect(harness.handle(of: open) != nil)
  }

  @Test func `asks the gate again when an open goes on`() throws {
    let harness = local()
    harness.ask(.hold(.open, "a.pdf", at: nil, name: "h"))
    let open = try harness.open("a.pdf")
    harness.ask(.stop(ItemPath()), by: harness.app)
    harness.ask(.release("h", error: nil))
    #expect(harness.replies[open] == .error(.accessNotGranted))
  }

  @Test func `stops downloads that are under way, and not behind its byte`() throws {
    let harness = harness { $0.download.bandwidth = 1_000 }
    harness.begin(.download(["a.pdf", "d/b.pdf"]))
    // Half a second at 500 B/s each.
    harness.run(to: Instant(nanoseconds: 500_000_000))
    harness.ask(.hold(.download, "a.pdf", at: .bytes(200), name: "behind"))
    harness.ask(.hold(.download, "d", at: .bytes(300), name: "ahead"))
    harness.run(to: Instant(nanoseconds: 9_000_000_000))
    #expect(harness.events(.held).map(\.hold) == ["ahead"])
    #expect(try harness.arrived("d/b.pdf") == 300)
    #expect(try harness.status("a.pdf").copy == .local)
  }
}
