import Testing

@testable import ProviderModel

// Files that stand under another name while they are not here.

@Suite struct `A stub` {
  private static let paper: ItemPath = "paper.pdf"
  private static let stub: ItemPath = ".paper.pdf.icloud"

  private func harness(
    _ files: [ItemPath: Int64] = ["paper.pdf": 10_000, ".hidden": 300, "d/b.pdf": 7, "empty": 0],
    _ change: (inout Profile) -> Void = { _ in }
  ) -> ModelHarness {
    let harness = ModelHarness(files) {
      $0.kind = .legacy
      $0.items.placeholders = .icloud
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func text(_ path: ItemPath, _ range: Range<Int64> = 0..<4096, in harness: ModelHarness) throws
    -> [UInt8]
  {
    let handle = try harness.handle(path)
    defer { harness.release(handle) }
    guard case .bytes(let bytes) = harness.readReply(handle, range) else {
      throw ModelHarness.Missing(path: path, reply: harness.readReply(handle, range))
    }
    return bytes
  }

  // MARK: Listings

  @Test func `stands in the folder in place of the file, with two dots where the name begins with one`()
    throws
  {
    let harness = harness()
    #expect(try harness.names("") == ["..hidden.icloud", "d", "empty", ".paper.pdf.icloud"])
    #expect(try harness.names("d") == [".b.pdf.icloud"])
    #expect(throws: ModelHarness.Missing.self) { try harness.node(Self.paper) }
    #expect(harness.reply(.lookup(parent: .root, name: "paper.pdf")) == .error(.noSuchItem))
  }

  @Test func `has the suffix that the profile says`() throws {
    let harness = harness {
      $0.items.placeholders = .suffix
      $0.items.placeholderSuffix = ".cloud~"
    }
    #expect(try harness.names("") == [".hidden.cloud~", "d", "empty", "paper.pdf.cloud~"])
    #expect(try text("paper.pdf.cloud~", in: harness) == [0x20])
    #expect(try harness.attributes("paper.pdf.cloud~").size == 1)
  }

  @Test func `leaves local files and a name that is too long alone`() throws {
    let long = String(repeating: "n", count: 248)
    let harness = harness(["a": 1, "b": 1, ItemPath(long) ?? "x": 1]) {
      $0.items.local = ["a"].compactMap { Glob($0) }
    }
    #expect(try harness.names("") == ["a", ".b.icloud", long])
    #expect(try harness.status("b").copy == .dataless && harness.status("a").copy == .local)
  }

  @Test func `does not take the name of a file that is there`() throws {
    let harness = harness(["x": 10, ".x.icloud": 20])
    #expect(try harness.names("") == ["..x.icloud.icloud", "x"])
    #expect(try harness.attributes("x").size == 10)
  }

  @Test func `is a small file that is here, with the item's number`() throws {
    let harness = harness()
    let attributes = try harness.attributes(Self.stub)
    let bytes = try text(Self.stub, in: harness)
    #expect(bytes.count == 157 && attributes.size == 157 && attributes.blocks == 8)
    #expect(attributes.id == ItemTable.identifier(of: "paper.pdf", in: .root))
    #expect(Array(bytes.prefix(8)) == Array("bplist00".utf8))
    #expect(try text(Self.stub, 3..<10, in: harness) == Array(bytes[3..<10]))
    #expect(try text(Self.stub, 157..<170, in: harness) == [])
    #expect(harness.events(.downloadStarted).isEmpty)
    #expect(harness.sourceFiles.isEmpty)
  }

  @Test func `is gated like any file`() throws {
    let harness = harness()
    harness.ask(.stop(ItemPath()), by: harness.app)
    #expect(try harness.openReply(Self.stub) == .error(.accessNotGranted))
  }

  @Test func `downloads nothing when it is opened, whatever the trigger`() throws {
    let harness = harness { $0.download.trigger = .open }
    #expect(try text(Self.stub, in: harness).count == 157)
    #expect(harness.events(.downloadStarted).isEmpty)
  }

  // MARK: Turns

  @Test func `turns into its file before anybody hears of the download`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(1)) }
    let id = try harness.attributes(Self.stub).id
    let number = harness.begin(.download([Self.paper]))
    harness.run(to: harness.now + .milliseconds(500))
    #expect(try harness.status(Self.paper).copy == .downloading)
    #expect(try harness.attributes(Self.stub).size == 157)
    harness.run(to: harness.now + .seconds(1))
    guard case .items(let items) = harness.answer(number) else {
      Issue.record("\(String(describing: harness.answer(number)))")
      return
    }
    #expect(items.map(\.path) == [Self.paper] && items.map(\.copy) == [.local])
    #expect(harness.reply(.lookup(parent: .root, name: ".paper.pdf.icloud")) == .error(.noSuchItem))
    let attributes = try harness.attributes(Self.paper)
    #expect(attributes.id == id && attributes.size == 10_000 && attributes.blocks == 24)
    #expect(try harness.contentOfOpen(Self.paper) == .source("paper.pdf"))
    let events = harness.events.filter { [.renamed, .downloadFinished].contains($0.name) }
    #expect(events.map(\.name) == [.renamed, .downloadFinished])
    #expect(events.map(\.path) == [Self.paper, Self.paper] && events[0].from == Self.stub)
  }

  @Test func `is shown to watchers by a rename, once it is in force`() throws {
    let harness = harness()
    harness.hasPromptChild = false
    harness.ask(.download([Self.stub]))
    #expect(harness.mirrors.map(\.action) == [.move(Self.stub, to: Self.paper)])
    #expect(try harness.attributes(Self.paper).size == 10_000)
    harness.runChild()
    #expect(harness.provider.remote.isEmpty)
    #expect(try harness.attributes(Self.paper).size == 10_000)
    harness.ask(.evict([Self.paper]))
    #expect(harness.mirrors.map(\.action) == [.move(Self.paper, to: Self.stub)])
    harness.runChild()
    #expect(harness.provider.remote.isEmpty)
  }

  @Test func `and its file come and go while the child has not shown the last turn`() throws {
    let harness = harness()
    harness.hasPromptChild = false
    for _ in 0..<3 {
      harness.ask(.download([Self.paper]))
      harness.ask(.evict([Self.paper]))
    }
    // The first is under way, and of the rest at most one waits.
    #expect(harness.provider.remote.all.count <= 2)
    harness.runChild()
    #expect(harness.provider.remote.isEmpty)
    #expect(try harness.names("").contains(".paper.pdf.icloud"))
  }

  @Test func `turns for the attribute that asks for the download`() throws {
    let harness = harness()
    #expect(try harness.writeReply("download", to: Self.stub) == .done)
    #expect(try harness.attribute("state", of: Self.paper) == "local")
    #expect(try harness.writeReply("evict", to: Self.paper) == .done)
    #expect(try harness.attribute("state", of: Self.stub) == "dataless")
  }

  @Test func `waits with its turn's rename for an attribute that is being set`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(1)) }
    let first = try harness.write("download", to: Self.stub)
    let lookup = try #require(harness.slot(Self.paper))
    #expect(harness.provider.obstacle(for: .turn(lookup, into: .plain)) != nil)
    harness.run(to: harness.now + .seconds(2))
    #expect(harness.replies[first] == .done)
    #expect(harness.provider.remote.isEmpty)
  }

  @Test(arguments: [paper, stub])
  func `turns for a coordinated read, which is granted the real path`(path: ItemPath) throws {
    let harness = harness()
    let answer = harness.ask(.coordinate([Intent(path: path, kind: .read)], purpose: ""), by: harness.app)
    guard case .claim(_, let paths) = answer else {
      Issue.record("\(String(describing: answer))")
      return
    }
    #expect(paths == [Self.paper])
    #expect(try harness.contentOfOpen(Self.paper) == .source("paper.pdf"))
  }

  @Test func `goes on for who has it open`() throws {
    let harness = harness()
    let handle = try harness.handle(Self.stub)
    guard case .bytes(let before) = harness.readReply(handle) else {
      Issue.record("no bytes")
      return
    }
    let node = try harness.node(Self.stub)
    harness.ask(.download([Self.paper]))
    #expect(harness.readReply(handle) == .bytes(before))
    guard case .attributes(let attributes) = harness.reply(.getAttributes(node)) else {
      Issue.record("no attributes")
      return
    }
    #expect(attributes.size == 157 && attributes.links == 0)
    // Who has looked it up and opens it finds that it has gone.
    #expect(harness.reply(.open(node, writes: false)) == .error(.sourceChanged))
    harness.release(handle)
    harness.forget(node)
    #expect(harness.orphanCount == 0)
  }

  @Test func `comes back when the file is evicted, and not while it is open`() throws {
    let harness = harness()
    harness.ask(.download([Self.paper]))
    let handle = try harness.handle(Self.paper)
    #expect(try harness.writeReply("evict", to: Self.paper) == .error(.busy))
    let number = harness.begin(.evict([Self.paper]))
    #expect(harness.answer(number) == nil)
    harness.release(handle)
    guard case .items(let items) = harness.answer(number) else {
      Issue.record("\(String(describing: harness.answer(number)))")
      return
    }
    #expect(items.map(\.path) == [Self.stub] && items.map(\.copy) == [.dataless] && items[0].size == 10_000)
    #expect(harness.reply(.lookup(parent: .root, name: "paper.pdf")) == .error(.noSuchItem))
    #expect(harness.events(.renamed).last?.from == Self.paper)
  }

  @Test func `comes back under pressure`() throws {
    let harness = harness { $0.items.localLimit = 10_000 }
    harness.ask(.download([Self.paper]))
    harness.ask(.download([".hidden"]))
    #expect(try harness.names("").sorted() == [".hidden", ".paper.pdf.icloud", "d", "empty"])
    guard case .relieved(let items, let bytes) = harness.ask(.relieve(1)) else {
      Issue.record("no answer")
      return
    }
    #expect(items.map(\.path) == ["..hidden.icloud"] && bytes == 300)
    harness.expectRightCounts()
  }

  @Test func `stays one when its download fails`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(1)) }
    let number = harness.begin(.download([Self.paper]))
    harness.fail(Self.paper, .provider(.serverUnreachable))
    #expect(harness.answer(number) == .failure(.provider(.serverUnreachable), Self.stub))
    #expect(try harness.names("").contains(".paper.pdf.icloud"))
  }

  // MARK: Names that are given

  @Test func `is meant by either name, whichever is there`() throws {
    let harness = harness()
    for path in [Self.paper, Self.stub] { #expect(try harness.status(path).path == Self.stub) }
    let status = try harness.status(Self.paper)
    #expect(status.copy == .dataless && status.size == 10_000)
    harness.ask(.download([Self.stub]))
    for path in [Self.paper, Self.stub] { #expect(try harness.status(path).path == Self.paper) }
    #expect(harness.ask(.status(["nothing"])) == .failure(.noSuchItem, "nothing"))
    #expect(harness.ask(.status([".empty.icloud"])) != nil)
  }

  @Test func `keeps the access that was given to the file, over its turns`() throws {
    let harness = ModelHarness(["paper.pdf": 10_000]) { $0.items.placeholders = .icloud }
    harness.ask(.pick([Self.paper], app: nil))
    #expect(harness.ask(.start(Self.stub, covers: .process), by: harness.app) == .started(true))
    #expect(try text(Self.stub, in: harness).count == 157)
    harness.ask(.download([Self.paper]))
    #expect(try harness.contentOfOpen(Self.paper) == .source("paper.pdf"))
    #expect(harness.ask(.stop(Self.paper), by: harness.app) == .done)
    #expect(harness.events(.scopeUnmatched).isEmpty)
  }

  @Test func `is met by rules about either name`() throws {
    for pattern in ["paper.*", ".paper.pdf.icloud", "**/*.pdf", "**/*.icloud"] {
      let harness = harness()
      var rule = Rule(name: "r", operations: [.open], effect: RuleEffect(disturbance: .fail(.errno(.EIO))))
      rule.path = Glob(pattern)
      harness.ask(.addRule(rule))
      #expect(try harness.openReply(Self.stub) == .error(.fault(.EIO)), "\(pattern)")
    }
  }

  @Test func `can be cut and altered by a rule`() throws {
    let harness = harness()
    let whole = try text(Self.stub, in: harness)
    for (fault, expected) in [
      (ContentFault.short(.bytes(10)), Array(whole[..<10])),
      (.zeroed(.bytes(20)), whole[..<20] + [UInt8](repeating: 0, count: 137)),
    ] {
      harness.ask(
        .addRule(Rule(name: "r", operations: [.open], effect: RuleEffect(disturbance: .content(fault)))))
      #expect(try text(Self.stub, in: harness) == Array(expected))
      harness.ask(.clearRules)
    }
  }

  // MARK: Remote changes

  @Test func `is what a new file of another device is`() throws {
    let harness = harness()
    guard case .remote(let result) = harness.write(remotely: "new", to: "new.txt") else {
      Issue.record("not written")
      return
    }
    #expect(result.path == ".new.txt.icloud" && result.unseen == nil)
    #expect(try harness.attributes(".new.txt.icloud").size > 100)
    harness.ask(.download(["new.txt"]))
    #expect(try harness.attributes("new.txt").size == 3)
    harness.remote(.write("none.txt", NewContent(.text([])), keepsModified: false))
    #expect(try harness.names("").contains("none.txt"))
  }

  @Test func `is renamed and moved with its file`() throws {
    let harness = harness()
    guard case .remote(let renamed) = harness.remote(.rename(Self.paper, "essay.pdf")),
      case .remote(let moved) = harness.remote(.move("essay.pdf", to: "d"))
    else {
      Issue.record("not moved")
      return
    }
    #expect(renamed.path == ".essay.pdf.icloud" && moved.path == "d/.essay.pdf.icloud")
    harness.ask(.download(["d/essay.pdf"]))
    let handle = try harness.handle("d/essay.pdf")
    #expect(harness.contents[handle] == .source("paper.pdf"))
    harness.release(handle)
    // Where there is no room for the stub's name, the file keeps its own.
    harness.ask(.evict(["d/essay.pdf"]))
    let long = try #require(Name(String(repeating: "n", count: 250)))
    harness.remote(.rename("d/essay.pdf", long))
    #expect(try harness.names("d").contains(long.description))
    harness.remote(.rename(ItemPath(["d", long]), "short"))
    #expect(try harness.names("d").contains(".short.icloud"))
  }

  @Test func `and a file never share a name`() throws {
    let harness = harness()
    guard case .remote(let made) = harness.remote(.makeDirectory(Self.paper)),
      case .remote(let moved) = harness.remote(.rename("empty", "paper.pdf")),
      case .remote(let odd) = harness.remote(.makeDirectory("new")),
      case .remote(let bounced) = harness.remote(.rename(".hidden", "new"))
    else {
      Issue.record("not made")
      return
    }
    #expect(made.path == "paper 2.pdf" && moved.path == "paper 3.pdf")
    #expect(odd.path == "new" && bounced.path == ".new 2.icloud")
  }

  @Test func `is a stub no longer when its file becomes empty, and again when it is filled`() throws {
    let harness = harness()
    guard
      case .remote(let emptied) = harness.remote(
        .write(Self.paper, NewContent(.text([])), keepsModified: false)),
      case .remote(let filled) = harness.write(remotely: "x", to: Self.paper)
    else {
      Issue.record("not written")
      return
    }
    #expect(emptied.path == Self.paper && emptied.unseen == nil)
    #expect(filled.path == Self.stub && filled.unseen == nil && filled.version == 3)
  }

  @Test func `leaves a copy that is out of date under the real name`() throws {
    let harness = harness()
    harness.ask(.download([Self.paper]))
    _ = harness.write(remotely: "newer", to: Self.paper)
    #expect(try harness.status(Self.paper).copy == .stale)
    #expect(try harness.status(Self.paper).path == Self.paper)
    harness.ask(.download([Self.paper]))
    #expect(try harness.attributes(Self.paper).size == 5)
  }

  @Test func `goes and is replaced as its file does`() throws {
    let harness = harness()
    harness.replace(Self.paper, by: .rename)
    #expect(try harness.names("").contains(".paper.pdf.icloud"))
    harness.replace(Self.paper, by: .recreate)
    #expect(try harness.status(Self.paper).path == Self.stub)
    harness.remote(.delete(Self.paper))
    #expect(try !harness.names("").contains(".paper.pdf.icloud"))
    #expect(harness.ask(.status([Self.paper])) == .failure(.noSuchItem, Self.paper))
  }

  @Test func `takes the changes of its item in their order`() throws {
    let harness = harness()
    harness.hasPromptChild = false
    harness.ask(.download([Self.paper]))
    let number = harness.begin(.remote(.rename(Self.paper, "essay.pdf"), at: FileTime(seconds: 1)))
    #expect(harness.mirrors.count == 1)
    harness.runChild()
    guard case .remote(let result) = harness.answer(number) else {
      Issue.record("\(String(describing: harness.answer(number)))")
      return
    }
    #expect(result.path == "essay.pdf" && result.after == nil && result.unseen == nil)
  }

  @Test func `of many that turn at once is shown while there is room`() throws {
    var files: [ItemPath: Int64] = [:]
    for number in 0..<1_100 { if let path = ItemPath("f\(number)") { files[path] = 1 } }
    let harness = harness(files)
    harness.hasPromptChild = false
    harness.ask(.download(files.keys.sorted { $0.description < $1.description }))
    #expect(try harness.names("").allSatisfy { $0.hasPrefix("f") })
    #expect(harness.provider.remote.all.count == 1_000)
    harness.runChild()
    #expect(harness.provider.remote.isEmpty)
  }
}
