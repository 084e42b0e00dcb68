import Testing

@testable import ProviderModel

@Suite struct `Remote changes` {
  private func result(_ answer: Answer?) -> RemoteResult? {
    if case .remote(let result) = answer { return result }
    return nil
  }

  @Test(arguments: [
    RemoteChange.makeDirectory("d/new"), .delete("d/a"), .move("d/a", to: "x"), .move("x", to: "d/a"),
    .rename("d", "e"), .delete("d"), .write("d/new", NewContent(.text([1])), keepsModified: false),
  ])
  func `say what they wait for while a held operation has their folder's lock, and apply after it`(
    change: RemoteChange
  ) throws {
    let harness = ModelHarness(["d/a": 1, "d/b": 1, "x": 1])
    let folder = try harness.node("d")
    harness.ask(.hold(.lookup, "d/b", at: nil, name: "h"))
    let held = harness.request(.lookup(parent: folder, name: "b"))
    let answer = try #require(result(harness.remote(change)))
    #expect(answer.after == "hold h")
    #expect(harness.events(.remoteMoved).isEmpty && harness.events(.remoteCreated).isEmpty)
    #expect(harness.events(.remoteDeleted).isEmpty && harness.mirrors.isEmpty)
    harness.ask(.release("h", error: nil))
    #expect(harness.replies[held] != nil)
    let done =
      harness.events(.remoteMoved) + harness.events(.remoteCreated) + harness.events(.remoteDeleted)
    #expect(done.count == 1)
  }

  @Test func `elsewhere do not wait`() throws {
    let harness = ModelHarness(["d/a": 1, "d/b": 1, "x": 1])
    let folder = try harness.node("d")
    harness.ask(.hold(.lookup, "d/b", at: nil, name: "h"))
    harness.request(.lookup(parent: folder, name: "b"))
    #expect(result(harness.remote(.rename("x", "y")))?.after == nil)
    // A file's content is no matter of its folder's lock, unless its own name is being looked up.
    #expect(result(harness.write(remotely: "x", to: "d/a"))?.after == nil)
    #expect(result(harness.write(remotely: "x", to: "d/b"))?.after == "hold h")
  }

  @Test func `wait for a listing that takes its time`() throws {
    let harness = ModelHarness(["d/a": 1]) { $0.latency.list = .fixed(.seconds(1)) }
    guard case .opened(let handle, _) = harness.reply(.openDirectory(try harness.node("d"))) else { return }
    harness.request(.readDirectory(handle, cookie: 0, capacity: 4096, plus: false))
    #expect(result(harness.remote(.makeDirectory("d/new")))?.after == "a delayed operation in its folder")
    harness.pass(.seconds(1))
    #expect(harness.events(.remoteCreated).map(\.path) == ["d/new"])
  }

  @Test func `that the child meets a lock with say so`() throws {
    let harness = ModelHarness(["d/a": 1, "d/b": 1])
    let folder = try harness.node("d")
    harness.hasPromptChild = false
    let number = harness.begin(.remote(.makeDirectory("d/new"), at: FileTime()))
    #expect(harness.answer(number) == nil && harness.mirrors.count == 1)
    harness.ask(.hold(.lookup, "d/b", at: nil, name: "h"))
    harness.request(.lookup(parent: folder, name: "b"))
    #expect(result(harness.answer(number))?.after == "hold h")
    harness.ask(.release("h", error: nil))
    harness.runChild()
    #expect(harness.events(.remoteCreated).map(\.path) == ["d/new"])
  }

  @Test func `that take long in the kernel do not keep who asked`() throws {
    let harness = ModelHarness(["d/a": 1])
    harness.hasPromptChild = false
    let number = harness.begin(.remote(.makeDirectory("d/new"), at: FileTime()))
    let limit = try #require(harness.limits.last)
    harness.tell(.limitReached(limit.session, number: limit.number))
    #expect(result(harness.answer(number))?.after == "an operation in its folder")
    harness.runChild()
    #expect(harness.events(.remoteCreated).count == 1)
  }

  @Test func `of one place keep their order, also behind one that waits`() throws {
    let harness = ModelHarness(["a": 1, "b": 1, "d/x": 1])
    harness.hasPromptChild = false
    let numbers = [
      RemoteChange.rename("a", "c"), .write("a", NewContent(.text([1, 2])), keepsModified: false),
      .move("d", to: "e"), .makeDirectory("d/new"), .delete("b"),
    ].map { harness.begin(.remote($0, at: FileTime())) }
    // The write is to what was `a` when it was accepted, and so is the folder to what was `d`.
    #expect(
      harness.mirrors.map(\.action) == [
        .move("a", to: "c"), .move("d", to: "e"), .delete("b"),
      ])
    harness.runChild()
    #expect(numbers.map { result(harness.answer($0))?.path } == ["c", "c", "e", "e/new", "b"])
    #expect(try harness.attributes("c").size == 2)
  }

  @Test func `that wait can be withdrawn`() throws {
    let harness = ModelHarness(["d/a": 1, "d/b": 1, "x": 1])
    harness.hasPromptChild = false
    harness.begin(.remote(.rename("x", "y"), at: FileTime()))
    let number = harness.begin(.remote(.delete("x"), at: FileTime()))
    harness.ask(.cancel(request: number))
    #expect(harness.answer(number) == .failure(.canceled, nil))
    harness.runChild()
    #expect(harness.events(.remoteDeleted).isEmpty && harness.events(.remoteMoved).count == 1)
  }

  @Test func `whose item has gone while they waited fail, and say so`() throws {
    let harness = ModelHarness(["d/a": 1, "d/b": 1])
    let folder = try harness.node("d")
    harness.ask(.hold(.lookup, "d/b", at: nil, name: "h"))
    harness.request(.lookup(parent: folder, name: "b"))
    harness.remote(.delete("d/a"))
    harness.remote(.rename("d/a", "c"))
    _ = harness.write(remotely: "x", to: "d/a")
    harness.ask(.release("h", error: nil))
    let failed = try #require(harness.events(.remoteFailed).first)
    #expect(harness.events(.remoteFailed).count == 1 && failed.path == "d/a" && failed.error == .noSuchItem)
    // A content for what has gone is a new file.
    #expect(try harness.names("d") == ["b", "a"])
  }

  @Test func `are refused to any other process`() throws {
    let harness = ModelHarness(["a": 1])
    harness.openGate()
    harness.hasPromptChild = false
    harness.begin(.remote(.rename("a", "b"), at: FileTime()))
    #expect(harness.reply(.change(.root, .rename("a", to: .root, "b"))) == .error(.readOnly))
    #expect(try harness.openReply("a", writes: true) == .error(.readOnly))
    harness.runChild()
    #expect(try harness.names(ItemPath()) == ["b"])
  }

  @Test func `have a limit`() {
    let harness = ModelHarness(["a": 1])
    harness.hasPromptChild = false
    for _ in 0..<RemoteSteps.limit { harness.begin(.remote(.makeDirectory("d"), at: FileTime())) }
    guard case .failure(.invalid, "d") = harness.remote(.makeDirectory("d")) else {
      Issue.record("not refused")
      return
    }
  }
}
