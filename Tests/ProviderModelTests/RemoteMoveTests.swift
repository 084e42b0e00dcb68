import Testing

@testable import ProviderModel

@Suite struct `A remote move` {
  private func harness() -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 100, "d/b.pdf": 50, "d/e/c.pdf": 20, "x.tar.gz": 1])
    harness.openGate()
    return harness
  }

  private func path(_ answer: Answer?) -> ItemPath? {
    if case .remote(let result) = answer { return result.path }
    return nil
  }

  private func refusal(_ answer: Answer?) -> ProviderError? {
    if case .failure(let error, _) = answer { return error }
    return nil
  }

  @Test func `leaves the item what it is, and its content where it was`() throws {
    let harness = harness()
    let (node, id) = (try harness.node("a.pdf"), try harness.attributes("a.pdf").id)
    #expect(path(harness.remote(.move("a.pdf", to: "d/new.pdf"))) == "d/new.pdf")
    #expect(try harness.node("d/new.pdf") == node)
    #expect(try harness.attributes("d/new.pdf").id == id)
    #expect(harness.reply(.lookup(parent: .root, name: "a.pdf")) == .error(.noSuchItem))
    let handle = try harness.handle("d/new.pdf")
    #expect(harness.contents[handle] == .source("a.pdf"))
    let event = try #require(harness.events(.remoteMoved).first)
    #expect(event.path == "d/new.pdf" && event.from == "a.pdf")
  }

  @Test func `takes along what is in a folder, also what nobody has listed yet`() throws {
    let harness = harness()
    _ = try harness.node("d/b.pdf")
    #expect(path(harness.remote(.rename("d", "f"))) == "f")
    harness.remote(.rename("f/e", "g"))
    #expect(try harness.contentOfOpen("f/b.pdf") == .source("d/b.pdf"))
    #expect(try harness.contentOfOpen("f/g/c.pdf") == .source("d/e/c.pdf"))
    #expect(path(harness.remote(.move("f/g/c.pdf", to: "c.pdf"))) == "c.pdf")
    #expect(try harness.contentOfOpen("c.pdf") == .source("d/e/c.pdf"))
    // Names that are free again are new items.
    harness.remote(.makeDirectory("d"))
    _ = harness.write(remotely: "x", to: "d/b.pdf")
    #expect(try harness.contentOfOpen("f/b.pdf") == .source("d/b.pdf"))
    #expect(try harness.names(ItemPath()) == ["a.pdf", "x.tar.gz", "f", "c.pdf", "d"])
  }

  @Test func `goes into a folder that is there`() {
    #expect(path(harness().remote(.move("a.pdf", to: "d/e"))) == "d/e/a.pdf")
  }

  @Test func `gets a name of the provider's making where its own is taken`() throws {
    let harness = harness()
    #expect(path(harness.remote(.move("d/b.pdf", to: "a.pdf"))) == "a 2.pdf")
    #expect(path(harness.remote(.rename("d/e/c.pdf", "b.pdf"))) == "d/e/b.pdf")
    #expect(path(harness.remote(.move("d/e/b.pdf", to: "a.pdf"))) == "a 3.pdf")
    #expect(path(harness.remote(.makeDirectory("d"))) == "d 2")
    #expect(path(harness.remote(.makeDirectory("x.tar.gz"))) == "x.tar 2.gz")
    #expect(path(harness.remote(.makeDirectory(".hidden"))) == ".hidden")
    #expect(path(harness.remote(.makeDirectory(".hidden"))) == ".hidden 2")
    let attribute = Array("user.com.apple.fileprovider.before-bounce#P".utf8)
    let bounced = try harness.node("a 3.pdf")
    #expect(
      harness.reply(.getAttribute(bounced, name: attribute, capacity: 99)) == .bytes(Array("a.pdf".utf8)))
    #expect(
      harness.reply(.listAttributes(bounced, capacity: 9))
        == .sourceAttributeList("d/e/c.pdf", also: [attribute], capacity: 9))
    harness.remote(.rename("a 3.pdf", "free.pdf"))
    #expect(
      harness.reply(.listAttributes(bounced, capacity: 9))
        == .sourceAttributeList("d/e/c.pdf", also: [], capacity: 9))
  }

  @Test func `cuts a name that would be too long, but no letter`() throws {
    let long = try #require(Name(String(repeating: "é", count: 125) + ".pdf"))
    let cut = long.numbered(10)
    #expect(cut.bytes.count <= 255)
    #expect(cut.description == String(repeating: "é", count: 124) + " 10.pdf")
    let noExtension = try #require(Name("." + String(repeating: "x", count: 254)))
    #expect(noExtension.numbered(2).description == "." + String(repeating: "x", count: 252) + " 2")
  }

  @Test func `is refused where it makes no sense`() {
    let harness = harness()
    #expect(
      refusal(harness.remote(.move("d", to: "d/e"))) == .invalid("a folder cannot be moved into itself"))
    #expect(
      refusal(harness.remote(.move("d", to: "d/e/new"))) == .invalid("a folder cannot be moved into itself"))
    #expect(refusal(harness.remote(.move("d", to: "d"))) == .invalid("it is there already"))
    #expect(refusal(harness.remote(.move("d/b.pdf", to: "d"))) == .invalid("it is there already"))
    #expect(refusal(harness.remote(.rename("a.pdf", "a.pdf"))) == .invalid("it is there already"))
    #expect(refusal(harness.remote(.move(ItemPath(), to: "d/x"))) == .invalid("the root cannot be moved"))
    #expect(refusal(harness.remote(.rename(ItemPath(), "x"))) == .invalid("the root has no name to change"))
    #expect(refusal(harness.remote(.delete(ItemPath()))) == .invalid("the root cannot be deleted"))
    #expect(refusal(harness.remote(.makeDirectory(ItemPath()))) == .invalid("the root is there already"))
    #expect(refusal(harness.remote(.move("none", to: "x"))) == .noSuchItem)
    #expect(refusal(harness.remote(.move("a.pdf", to: "no/x"))) == .noSuchItem)
    #expect(refusal(harness.remote(.makeDirectory("no/x"))) == .noSuchItem)
    #expect(refusal(harness.remote(.delete("none"))) == .noSuchItem)
  }

  @Test func `takes access along with the item, not with the place`() throws {
    let harness = ModelHarness(["d/a.pdf": 10])
    let (reader, node) = (Actor(8, "reader"), try harness.node("d/a.pdf"))
    harness.join(reader)
    harness.ask(.pick(["d"], app: nil))
    harness.ask(.start("d", covers: .process), by: reader)
    #expect(harness.handle(of: harness.request(.open(node, writes: false), by: reader)) != nil)
    harness.remote(.move("d/a.pdf", to: "a.pdf"))
    #expect(harness.reply(.open(node, writes: false), by: reader) == .error(.accessNotGranted))
    harness.remote(.move("a.pdf", to: "d"))
    harness.remote(.rename("d", "e"))
    #expect(harness.handle(of: harness.request(.open(node, writes: false), by: reader)) != nil)
  }

  @Test func `tells a waiting reader where the item is now`() throws {
    let harness = harness()
    let intent = Intent(path: "a.pdf", kind: .write)
    guard case .claim(let writing, _) = harness.ask(.coordinate([intent], purpose: ""), by: harness.app)
    else {
      Issue.record("not granted")
      return
    }
    let waiting = harness.begin(
      .coordinate([Intent(path: "a.pdf", kind: .read)], purpose: ""), by: harness.app)
    harness.remote(.move("a.pdf", to: "d/moved.pdf"))
    harness.ask(.finish(writing), by: harness.app)
    guard case .claim(_, let paths) = harness.answer(waiting, of: harness.app) else {
      Issue.record("not granted")
      return
    }
    #expect(paths == ["d/moved.pdf"])
  }

  @Test func `is met by rules and holds at its new place`() throws {
    let harness = harness()
    var rule = Rule(name: "r", operations: [.open], effect: RuleEffect(disturbance: .fail(.errno(.EIO))))
    rule.path = Glob("f/**")
    harness.ask(.addRule(rule))
    #expect(harness.handle(of: try harness.open("d/b.pdf")) != nil)
    harness.remote(.rename("d", "f"))
    #expect(try harness.openReply("f/b.pdf") == .error(.fault(.EIO)))
  }
}

@Suite struct `A remote deletion` {
  @Test func `takes the name away; who has it open and here goes on`() throws {
    let harness = ModelHarness(["a.pdf": 100]) { $0.items.initial = .local }
    harness.openGate()
    let node = try harness.node("a.pdf")
    let handle = try harness.handle("a.pdf")
    guard case .remote(let result) = harness.remote(.delete("a.pdf")) else {
      Issue.record("no result")
      return
    }
    #expect(result.id == nil && result.path == "a.pdf")
    #expect(harness.reply(.lookup(parent: .root, name: "a.pdf")) == .error(.noSuchItem))
    #expect(harness.reply(.open(node, writes: false)) == .error(.sourceChanged))
    guard case .content(handle, 0, 4096, .some, nil) = harness.readReply(handle) else {
      Issue.record("not read")
      return
    }
    #expect(harness.events(.operation).last?.path == "a.pdf")
    harness.release(handle)
    harness.forget(node)
    #expect(harness.orphanCount == 0)
    // The place is another node's now.
    _ = harness.write(remotely: "x", to: "b.pdf")
    let reused = try harness.node("b.pdf")
    #expect(reused.slot == node.slot && reused != node)
  }

  @Test func `fails whoever still waits for its content`() throws {
    let harness = ModelHarness(["a.pdf": 100, "b.pdf": 100]) { $0.download.latency = .fixed(.seconds(1)) }
    harness.openGate()
    let (first, second) = (try harness.handle("a.pdf"), try harness.handle("b.pdf"))
    let read = harness.read(first)
    let download = harness.begin(.download(["a.pdf"]))
    let claim = harness.begin(.coordinate([Intent(path: "a.pdf", kind: .read)], purpose: ""), by: harness.app)
    harness.remote(.delete("a.pdf"))
    harness.remote(.delete("b.pdf"))
    #expect(harness.replies[read] == .error(.provider(.noSuchItem)))
    #expect(harness.answer(download) == .failure(.provider(.noSuchItem), "a.pdf"))
    // An accessor runs whether its item is there or not.
    guard case .claim(_, ["a.pdf"]) = harness.answer(claim, of: harness.app) else {
      Issue.record("not granted: \(String(describing: harness.answer(claim, of: harness.app)))")
      return
    }
    #expect(harness.readReply(second) == .error(.provider(.noSuchItem)))
    #expect(harness.nextDeadline == nil)
  }

  @Test func `takes along all that is in a folder`() throws {
    let harness = ModelHarness(["d/a": 1, "d/e/b": 1, "d/e/f/c": 1, "x": 1])
    harness.openGate()
    let node = try harness.node("d/e/b")
    _ = try harness.names("d/e")
    harness.remote(.delete("d"))
    #expect(try harness.names(ItemPath()) == ["x"])
    #expect(harness.reply(.open(node, writes: false)) == .error(.sourceChanged))
    for node in harness.lookups.keys.map(\.rawValue).sorted() { harness.forget(NodeID(rawValue: node)) }
    #expect(harness.orphanCount == 0)
    harness.expectRightCounts()
  }

  @Test func `is whole even where the child cannot make it`() throws {
    let harness = ModelHarness(["d/a": 1, "d/e/b": 1])
    _ = try harness.node("d/e/b")
    harness.childError = .EACCES
    harness.remote(.delete("d"))
    #expect(try harness.names(ItemPath()).isEmpty)
  }

  @Test func `leaves a listing under way right`() throws {
    let harness = ModelHarness(["a": 1, "b": 1, "c": 1, "d": 1])
    guard case .opened(let handle, _) = harness.reply(.openDirectory(.root)) else { return }
    guard
      case .directory(let rows, _) = harness.reply(
        .readDirectory(handle, cookie: 0, capacity: 4 * 32, plus: false))
    else { return }
    #expect(rows.map { String(decoding: $0.name, as: UTF8.self) } == [".", "..", "a", "b"])
    harness.remote(.delete("a"))
    harness.remote(.delete("c"))
    _ = harness.write(remotely: "x", to: "e")
    guard
      case .directory(let rest, _) = harness.reply(
        .readDirectory(handle, cookie: rows.last?.next ?? 0, capacity: 4096, plus: false))
    else { return }
    #expect(rest.map { String(decoding: $0.name, as: UTF8.self) } == ["d", "e"])
  }
}

@Suite struct `A remote conflict` {
  @Test func `makes a version to choose from, and a file beside the item that has it`() throws {
    let harness = ModelHarness(["a.pdf": 100])
    harness.openGate()
    guard
      case .remote(let result) = harness.remote(.conflict("a.pdf", NewContent(.text(Array("theirs".utf8)))))
    else {
      Issue.record("no result")
      return
    }
    #expect(result.path == "a 2.pdf")
    let status = try harness.status("a.pdf")
    #expect(status.conflicts == 1 && status.version == 1)
    #expect(try harness.attributes("a 2.pdf").size == 6)
    #expect(harness.events(.remoteConflict).map(\.path) == ["a.pdf"])
    #expect(harness.events(.remoteCreated).map(\.path) == ["a 2.pdf"])
    // Without a content of its own it has the item's.
    harness.remote(.conflict("a.pdf", nil))
    #expect(try harness.contentOfOpen("a 3.pdf") == .source("a.pdf"))
    #expect(try harness.status("a.pdf").conflicts == 2)
    harness.expectRightCounts()
    harness.remote(.delete("a.pdf"))
    harness.remote(.delete("a 2.pdf"))
    for node in harness.lookups.keys.map(\.rawValue).sorted() { harness.forget(NodeID(rawValue: node)) }
    #expect(harness.blobs.isEmpty)
  }
}
