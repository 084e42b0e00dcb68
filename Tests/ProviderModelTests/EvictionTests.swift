import Testing

@testable import ProviderModel

@Suite struct `Eviction` {
  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 1_000, "b.pdf": 1_000, "d/c.pdf": 1_000]) {
      $0.items.initial = .local
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func copies(_ answer: Answer?) -> [CopyState]? {
    if case .items(let items) = answer { return items.map(\.copy) }
    return nil
  }

  @Test func `drops a local copy, and the kernel's caches of it`() throws {
    let harness = harness()
    #expect(copies(harness.ask(.evict(["a.pdf"]))) == [.dataless])
    #expect(try harness.attributes("a.pdf").blocks == 0)
    #expect(harness.invalidated == [try harness.node("a.pdf")])
    #expect(harness.events(.evicted).map(\.path) == ["a.pdf"])
  }

  @Test func `of a dataless item does nothing`() {
    let harness = harness { $0.items.initial = .dataless }
    #expect(copies(harness.ask(.evict(["a.pdf"]))) == [.dataless])
    #expect(harness.events(.evicted).isEmpty)
  }

  @Test func `waits for the last close`() throws {
    let harness = harness()
    let handles = [try harness.handle("a.pdf"), try harness.handle("a.pdf")]
    let number = harness.begin(.evict(["a.pdf", "b.pdf"]))
    #expect(harness.limits.map(\.number) == [number])
    harness.release(handles[0])
    #expect(harness.answer(number) == nil)
    // Nothing goes before all can.
    #expect(try harness.status("b.pdf").copy == .local)
    harness.release(handles[1])
    #expect(copies(harness.answer(number)) == [.dataless, .dataless])
    // The limit comes too late to matter.
    harness.tell(.limitReached(harness.client.session, number: number))
  }

  @Test func `of an item that stays open is busy, and says which`() throws {
    let harness = harness()
    let handle = try harness.handle("b.pdf")
    let number = harness.begin(.evict(["a.pdf", "b.pdf"]))
    harness.tell(.limitReached(harness.client.session, number: number))
    #expect(harness.answer(number) == .failure(.busy, "b.pdf"))
    #expect(try harness.status("a.pdf").copy == .local)
    harness.release(handle)
    #expect(harness.events(.evicted).isEmpty)
  }

  @Test func `of a downloading item is busy`() throws {
    let harness = harness {
      $0.items.initial = .dataless
      $0.download.latency = .fixed(.seconds(5))
    }
    harness.begin(.download(["a.pdf"]))
    let number = harness.begin(.evict(["a.pdf"]))
    #expect(try harness.writeReply("evict", to: "a.pdf") == .error(.busy))
    harness.tell(.limitReached(harness.client.session, number: number))
    #expect(harness.answer(number) == .failure(.busy, "a.pdf"))
    // Here by now, before the limit.
    let second = harness.begin(.evict(["a.pdf"]))
    harness.pass(.seconds(5))
    harness.tell(.limitReached(harness.client.session, number: second))
    #expect(copies(harness.answer(second)) == [.dataless])
  }

  @Test func `of a folder is refused, and of what is not there`() {
    let harness = harness()
    #expect(harness.ask(.evict(["d"])) == .failure(.isADirectory, "d"))
    #expect(harness.ask(.evict(["x"])) == .failure(.noSuchItem, "x"))
    #expect(harness.ask(.evict(["a.pdf/x"])) == .failure(.noSuchItem, "a.pdf/x"))
  }

  @Test func `that is canceled or whose session ends is not done later`() throws {
    let harness = harness()
    let handle = try harness.handle("a.pdf")
    let number = harness.begin(.evict(["a.pdf"]))
    let other = Actor(9, "other")
    harness.join(other)
    harness.begin(.evict(["a.pdf"]), by: other)
    harness.ask(.cancel(request: number))
    #expect(harness.answer(number) == .failure(.canceled, nil))
    harness.leave(other)
    harness.release(handle)
    #expect(harness.events(.evicted).isEmpty)
  }
}

@Suite struct `A change in the source` {
  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 1_000, "b.pdf": 1_000], change)
    harness.openGate()
    return harness
  }

  @Test func `met by an open is one event, ESTALE and a new version`() throws {
    let harness = harness { $0.items.initial = .local }
    _ = try harness.node("a.pdf")
    harness.source.edit("a.pdf", size: 5_000)
    #expect(try harness.openReply("a.pdf") == .error(.sourceChanged))
    #expect(ProviderError.sourceChanged.errno == .ESTALE)
    #expect(harness.sourceFiles.isEmpty)
    #expect(harness.events(.sourceChanged).map(\.path) == ["a.pdf"])
    #expect(try harness.status("a.pdf").version == 2)
    #expect(try harness.attributes("a.pdf").size == 5_000)
    #expect(harness.invalidated.contains(try harness.node("a.pdf")))
    // The kernel looks again and opens again.
    #expect(try harness.handle("a.pdf").rawValue > 0)
    #expect(harness.events(.sourceChanged).count == 1)
  }

  @Test func `met by a read makes the handle stale, with one event for all that meet it`() throws {
    let harness = harness { $0.items.initial = .local }
    let handles = [try harness.handle("a.pdf"), try harness.handle("a.pdf")]
    harness.source.edit("a.pdf", size: 10)
    for handle in handles {
      harness.tell(.completed(.changed(handle)))
      harness.tell(.completed(.changed(handle)))
      #expect(harness.readReply(handle, 0..<1) == .error(.sourceChanged))
    }
    #expect(harness.events(.sourceChanged).count == 1)
    #expect(try harness.openReply("a.pdf") == .error(.sourceChanged))
    let fresh = try harness.handle("a.pdf")
    #expect(harness.events(.sourceChanged).count == 1)
    #expect(try harness.status("a.pdf").version == 2)
    guard case .content = harness.readReply(fresh, 0..<1) else {
      Issue.record("the new version is not served")
      return
    }
    // The next edit is another event.
    harness.source.edit("a.pdf", size: 20)
    harness.tell(.completed(.changed(fresh)))
    #expect(harness.events(.sourceChanged).count == 2)
    // One who still has the first version has been told.
    harness.tell(.completed(.changed(handles[0])))
    #expect(harness.events(.sourceChanged).count == 2)
  }

  @Test func `during a download begins it again`() throws {
    let harness = harness {
      $0.download.bandwidth = 100
      $0.download.concurrency = 1
    }
    let read = harness.read(try harness.handle("a.pdf"), 0..<1)
    harness.run(to: Instant(nanoseconds: 9_000_000_000))
    #expect(try harness.attribute("progress", of: "a.pdf") == "90")
    harness.source.edit("a.pdf", size: 200)
    #expect(try harness.openReply("a.pdf") == .error(.sourceChanged))
    #expect(try harness.attribute("progress", of: "a.pdf") == "0")
    harness.run(to: Instant(nanoseconds: 11_000_000_000))
    #expect(try harness.status("a.pdf").copy == .local)
    #expect(harness.replies[read] != nil)
    #expect(harness.events(.downloadFinished).map(\.bytes) == [200])
  }

  @Test func `during a held download begins it again, and the hold has it once`() throws {
    let harness = harness()
    harness.ask(.hold(.download, "a.pdf", at: .bytes(50), name: "h"))
    harness.begin(.download(["a.pdf"]))
    harness.source.edit("a.pdf", size: 200)
    _ = try harness.open("a.pdf")
    #expect(harness.ask(.release("h", error: nil)) == .released(1))
    #expect(try harness.status("a.pdf").copy == .local)
  }

  @Test func `to nothing leaves nothing to download`() throws {
    let harness = harness()
    _ = try harness.node("a.pdf")
    harness.source.edit("a.pdf", size: 0)
    _ = try harness.open("a.pdf")
    #expect(try harness.status("a.pdf").copy == .local)
  }

  @Test func `that takes the file away fails the open with its reason`() throws {
    let harness = harness()
    _ = try harness.node("a.pdf")
    harness.source.remove("a.pdf")
    #expect(try harness.openReply("a.pdf") == .error(.source(.ENOENT)))
    #expect(harness.sourceFiles.isEmpty)
    #expect(harness.handleCount("a.pdf") == 0)
  }
}
