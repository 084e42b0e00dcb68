import Testing

@testable import ProviderModel

@Suite struct `A write` {
  @Test func `is refused with EROFS where there is a scope, with EPERM where there is none`() throws {
    let harness = ModelHarness(["a.pdf": 10])
    let node = try harness.node("a.pdf")
    let writes: [ProviderModel.Operation] = [
      .open(node, writes: true), .change(node, .setAttributes), .change(.root, .other("create")),
      .setAttribute(node, name: Array("user.mine".utf8), value: []),
    ]
    for write in writes {
      #expect(harness.reply(write) == .error(.accessNotGranted), "\(write.name)")
    }
    harness.openGate()
    for write in writes { #expect(harness.reply(write) == .error(.readOnly), "\(write.name)") }
    #expect(ProviderError.accessNotGranted.errno == .EPERM)
    #expect(ProviderError.readOnly.errno == .EROFS)
    #expect(harness.sourceFiles.isEmpty)
    // Not gated, and not written either.
    let state = ProviderModel.Operation.setAttribute(
      node, name: Array("user.fakeprovider.state".utf8), value: [])
    #expect(harness.reply(state, by: Actor(9, "other")) == .error(.readOnly))
  }

  @Test func `is said with its operation and error`() throws {
    let harness = ModelHarness(["a.pdf": 10])
    harness.request(.change(.root, .unlink("a.pdf")))
    let event = try #require(harness.events(.operation).last)
    #expect(event.operation == "unlink" && event.error == .accessNotGranted && event.path == "a.pdf")
  }

  @Test func `that is none succeeds`() throws {
    let harness = ModelHarness(["a.pdf": 10])
    harness.openGate()
    #expect(harness.reply(.synchronize(try harness.handle("a.pdf"))) == .done)
    #expect(harness.reply(.statistics) == .statistics)
    #expect(
      harness.reply(.listAttributes(.root, capacity: 9))
        == .sourceAttributeList(ItemPath(), also: [], capacity: 9))
  }
}

@Suite struct `Stopping` {
  @Test func `answers everyone at once, and whoever comes later`() throws {
    let harness = ModelHarness(["a": 1_000, "b": 10, "d/c": 10]) {
      $0.download.latency = .fixed(.seconds(1))
      $0.latency.open = .fixed(.seconds(1))
    }
    harness.openGate()
    let first = try harness.open("a")
    let second = try harness.open("b")
    harness.pass(.seconds(1))
    let handles = try [first, second].map { try #require(harness.handle(of: $0)) }
    harness.ask(.hold(.read, "b", at: nil, name: "h"))
    let node = try harness.node("d")
    harness.isPrompt = false
    let parked = [
      harness.read(handles[0]), harness.read(handles[1]), try harness.open("a"),
      harness.request(.lookup(parent: node, name: "c")),
    ]
    let questions: [Command] = [
      .download(["a"]), .evict(["a"]), .status(["d/c"]), .wait(.event("evicted")), .wait(.state("a", .stale)),
      .wait(.hold("none")), .coordinate([Intent(path: "a", kind: .read)], purpose: ""),
    ]
    let numbers = questions.map { harness.begin($0, by: harness.app) }
    #expect(harness.unanswered == Set(parked))
    #expect(numbers.allSatisfy { harness.answer($0, of: harness.app) == nil })
    let stopping = harness.begin(.wait(.event("stopping")))
    harness.tell(.stop)
    for request in parked { #expect(harness.replies[request] == .error(.stopping)) }
    for number in numbers { #expect(harness.answer(number, of: harness.app) == .failure(.stopping, nil)) }
    #expect(harness.answer(stopping) == .done)
    harness.expectNobodyWaits()
    #expect(ProviderError.stopping.errno == .ECONNABORTED)

    #expect(harness.reply(.getAttributes(.root)) == .error(.stopping))
    #expect(harness.ask(.holds) == .failure(.stopping, nil))
    // What was under way ends without a word to anyone.
    harness.answerListings()
    harness.pass(.seconds(100))
    #expect(harness.events(.claimGranted).isEmpty)
    for handle in handles { harness.release(handle) }
    #expect(harness.openHandles.isEmpty && harness.sourceFiles.isEmpty)
    #expect(harness.nextDeadline == nil)
  }

  @Test func `closes a file whose open comes back afterwards`() throws {
    let harness = ModelHarness(["a": 1])
    harness.openGate()
    _ = try harness.node("a")
    harness.isPrompt = false
    let open = try harness.open("a")
    // A signal waits for the open to end by itself.
    harness.interrupt(open)
    #expect(harness.unanswered == [open])
    harness.tell(.stop)
    #expect(harness.replies[open] == .error(.stopping))
    harness.answerOpenings()
    #expect(harness.sourceFiles.isEmpty && harness.openHandles.isEmpty)
  }
}

@Suite struct `A session` {
  @Test func `is answered once even for a number that it uses twice`() {
    let harness = ModelHarness(["a": 1])
    let number = harness.begin(.wait(.event("evicted")))
    harness.begin(.holds, number: number)
    guard case .failure(.invalid, nil) = harness.answer(number) else {
      Issue.record("two requests of one number")
      return
    }
    harness.tell(.stop)
    #expect(harness.answers[harness.client.session]?[number]?.count == 2)
  }

  @Test func `that is not open is told so`() {
    let harness = ModelHarness(["a": 1])
    #expect(harness.ask(.holds, by: Actor(9, "nobody")) == .failure(.stopping, nil))
  }

  @Test func `speaks for the app that it names`() {
    let harness = ModelHarness(["a": 1])
    harness.ask(.pick(["a"], app: AppID("named")))
    #expect(harness.ask(.start("a", covers: .process), by: harness.app) == .started(false))
    harness.tell(.sessionNamed(harness.app.session, AppID("named")))
    #expect(harness.ask(.start("a", covers: .process), by: harness.app) == .started(true))
  }

  @Test func `gets nothing more after its end, and cancels what it waits for`() throws {
    let harness = ModelHarness(["a": 1]) { $0.download.latency = .fixed(.seconds(1)) }
    let waiting = harness.begin(.download(["a"]))
    #expect(harness.ask(.cancel(request: waiting)) == .done)
    #expect(harness.answer(waiting) == .failure(.canceled, nil))
    #expect(harness.ask(.cancel(request: waiting)) == .done)
    harness.begin(.download(["a"]))
    harness.begin(.wait(.event("downloadFinished")))
    harness.leave(harness.client)
    harness.pass(.seconds(1))
    harness.expectNobodyWaits()
  }

  @Test func `sees what is in motion without naming it`() throws {
    let harness = ModelHarness(["a": 1, "b": 1, "c": 1]) { $0.download.latency = .fixed(.seconds(1)) }
    harness.openGate()
    _ = try harness.handle("b")
    harness.begin(.download(["a"]))
    guard case .items(let items) = harness.ask(.status([])) else {
      Issue.record("no items")
      return
    }
    #expect(items.map(\.path) == ["a", "b"])
    #expect(items.map(\.openHandles) == [0, 1])
  }
}
