import Testing

@testable import ProviderModel

// Metadata costs nothing, the first byte makes the item local.

@Suite struct `A dataless item` {
  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 10_000, "empty": 0, "Recent/r.pdf": 10]) {
      $0.download.latency = .fixed(.seconds(1))
      $0.items.local = [Glob("Recent/**")].compactMap { $0 }
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  @Test func `stays dataless for stat, open and close`() throws {
    let harness = harness()
    #expect(try harness.attributes("a.pdf").size == 10_000)
    #expect(try harness.attributes("a.pdf").blocks == 0)
    harness.release(try harness.handle("a.pdf"))
    harness.pass(.seconds(100))
    #expect(try harness.status("a.pdf").copy == .dataless)
    #expect(harness.events(.downloadStarted).isEmpty)
  }

  @Test func `becomes local by its first byte, and the read waits for it`() throws {
    let harness = harness()
    let handle = try harness.handle("a.pdf")
    let read = harness.read(handle, 0..<1)
    #expect(harness.unanswered == [read])
    #expect(try harness.status("a.pdf").copy == .downloading)
    harness.tick(to: Instant(nanoseconds: 999_999_999))
    #expect(harness.unanswered == [read])
    harness.tick(to: Instant(nanoseconds: 1_000_000_000))
    let stamp = try #require(harness.source.items["a.pdf"]?.stamp)
    #expect(harness.replies[read] == .content(handle, offset: 0, length: 1, stamp, nil))
    #expect(try harness.attributes("a.pdf").blocks == 24)
    let event = try #require(harness.events(.operation).last { $0.operation == "read" })
    // The state when the read came, not the one that it made.
    #expect(event.copy == .dataless)
    #expect(event.waited == .seconds(1))
    #expect(harness.events(.downloadFinished).map(\.bytes) == [10_000])
  }

  @Test(arguments: [10_000..<14_096, 20_000..<20_001, 0..<0] as [Range<Int64>])
  func `is not asked for by a read of no byte of it`(range: Range<Int64>) throws {
    let harness = harness()
    let read = harness.read(try harness.handle("a.pdf"), range)
    guard case .content = harness.replies[read] else {
      Issue.record("it waits")
      return
    }
    #expect(harness.events(.downloadStarted).isEmpty)
  }

  @Test func `is none without bytes, or where the profile says that it is local`() throws {
    let harness = harness()
    for (path, blocks) in [("empty", 0), ("Recent/r.pdf", 8)] as [(ItemPath, UInt64)] {
      #expect(try harness.attribute("state", of: path) == "local")
      #expect(try harness.attributes(path).blocks == blocks)
      let read = harness.read(try harness.handle(path))
      #expect(harness.replies[read] != nil)
    }
    let local = self.harness { $0.items.initial = .local }
    #expect(try local.attribute("state", of: "a.pdf") == "local")
  }

  @Test func `takes one transfer for 64 readers, and a killed one leaves it`() throws {
    let harness = harness()
    var readers: [(actor: Actor, read: RequestID)] = []
    for number in 10..<74 {
      let actor = Actor(Int32(number), "app \(number)")
      harness.join(actor)
      harness.ask(.start("a.pdf", covers: .process), by: actor)
      readers.append((actor, harness.read(try harness.handle("a.pdf", by: actor), by: actor)))
    }
    harness.end(readers[7].actor.process)
    harness.interrupt(readers[9].read)
    #expect(harness.replies[readers[7].read] == .error(.interrupted))
    #expect(harness.replies[readers[9].read] == .error(.interrupted))
    #expect(harness.unanswered.count == 62)
    harness.pass(.seconds(1))
    #expect(harness.unanswered.isEmpty)
    #expect(harness.events(.downloadStarted).count == 1)
    // In the order of their coming.
    let served = readers.enumerated().filter { ![7, 9].contains($0.offset) }.map(\.element.read)
    #expect(harness.replied.suffix(62) == served[...])
    // Dead or alive, an interrupt after the reply changes nothing.
    harness.interrupt(readers[0].read)
  }

  @Test func `goes on to be local when its only reader was killed`() throws {
    let harness = harness()
    let read = harness.read(try harness.handle("a.pdf"))
    harness.interrupt(read)
    harness.pass(.seconds(1))
    #expect(try harness.status("a.pdf").copy == .local)
  }

  @Test func `is fetched by the verb download, which answers when it is there`() throws {
    let harness = harness()
    let number = harness.begin(.download(["a.pdf", "Recent/r.pdf"]))
    #expect(harness.answer(number) == nil)
    harness.pass(.seconds(1))
    guard case .items(let items) = harness.answer(number) else {
      Issue.record("no items")
      return
    }
    #expect(items.map(\.copy) == [.local, .local])
    #expect(harness.ask(.download(["Recent"])) == .failure(.isADirectory, "Recent"))
    #expect(harness.ask(.download(["none"])) == .failure(.noSuchItem, "none"))
  }

  @Test func `waits once for each of many that a request asks for`() throws {
    var files: [ItemPath: Int64] = [:]
    for number in 0..<12 { files[ItemPath([Name("f\(number)")].compactMap { $0 })] = 1000 }
    let harness = ModelHarness(files) {
      $0.download.concurrency = 1
      $0.download.bandwidth = 1000
    }
    let number = harness.begin(.download(Array(files.keys)))
    harness.run(to: Instant(nanoseconds: 6_000_000_000))
    #expect(harness.waiterCount == 6)
    harness.run(to: Instant(nanoseconds: 12_000_000_000))
    #expect(harness.answer(number) != nil)
  }

  @Test func `tells its state, version and progress by attributes`() throws {
    let harness = harness { $0.download.bandwidth = 10_000 }
    #expect(try harness.attribute("progress", of: "a.pdf") == "0")
    #expect(try harness.attribute("version", of: "a.pdf") == "1")
    #expect(try harness.attribute("progress", of: "empty") == "100")
    let download = try harness.write("download", to: "a.pdf")
    // One second of latency, then 10,000 bytes a second.
    harness.tick(to: Instant(nanoseconds: 1_420_000_000))
    #expect(try harness.attribute("progress", of: "a.pdf") == "42")
    #expect(try harness.attribute("state", of: "a.pdf") == "downloading")
    #expect(harness.unanswered == [download])
    harness.tick(to: Instant(nanoseconds: 2_000_000_000))
    #expect(harness.replies[download] == .done)
    #expect(try harness.attribute("progress", of: "a.pdf") == "100")
    #expect(try harness.writeReply("evict", to: "a.pdf") == .done)
    #expect(try harness.attribute("state", of: "a.pdf") == "dataless")
  }

  @Test func `answers the length of an attribute, and refuses a buffer that is too small`() throws {
    let harness = harness()
    let node = try harness.node("a.pdf")
    func reply(_ name: String, _ capacity: Int) -> Reply? {
      harness.reply(.getAttribute(node, name: Array(name.utf8), capacity: capacity))
    }
    #expect(reply("user.fakeprovider.state", 0) == .length(8))
    #expect(reply("user.fakeprovider.state", 7) == .error(.resultTooLarge))
    #expect(reply("user.fakeprovider.state", 8) == .bytes(Array("dataless".utf8)))
    #expect(reply("user.fakeprovider.do", 100) == .error(.noSuchAttribute))
    #expect(reply("security.selinux", 100) == .error(.noSuchAttribute))
    #expect(
      reply("user.mine", 100) == .sourceAttribute("a.pdf", name: Array("user.mine".utf8), capacity: 100))
  }
}
