import Testing

@testable import ProviderModel

@Suite struct `A remote write` {
  private func harness(local: Bool = false, _ change: @escaping (inout Profile) -> Void = { _ in })
    -> ModelHarness
  {
    let harness = ModelHarness(["a.pdf": 100, "d/b.pdf": 50]) {
      if local { $0.items.initial = .local }
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  /// Which content a handle's file has, and its bytes.
  private func bytes(_ harness: ModelHarness, _ handle: HandleID) -> String? {
    guard case .blob(let blob) = harness.contents[handle], case .text(let text) = harness.blobs[blob]?.bytes
    else {
      return nil
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `gives a dataless item another size, time and version, and the next reader its bytes`() throws {
    let harness = harness()
    let before = try harness.attributes("a.pdf")
    guard case .remote(let result) = harness.write(remotely: "hello", to: "a.pdf") else {
      Issue.record("no result")
      return
    }
    let after = try harness.attributes("a.pdf")
    #expect(result.path == "a.pdf" && result.id == before.id && result.version == 2)
    #expect(result.after == nil && result.unseen == nil)
    #expect(after.id == before.id && after.size == 5 && after.blocks == 0)
    #expect(after.modified == FileTime(seconds: 1_000))
    #expect(try harness.status("a.pdf").copy == .dataless)
    let handle = try harness.handle("a.pdf")
    #expect(bytes(harness, handle) == "hello")
    guard case .content(handle, 0, 4096, nil, nil) = harness.readReply(handle) else {
      Issue.record("not read")
      return
    }
    #expect(try harness.status("a.pdf").copy == .local)
    #expect(harness.events(.remoteChanged).map(\.path) == ["a.pdf"])
    harness.expectRightCounts()
  }

  @Test func `makes a local copy stale, which plain opens go on to get`() throws {
    let harness = harness(local: true)
    _ = harness.write(remotely: "hello", to: "a.pdf")
    let status = try harness.status("a.pdf")
    #expect(status.copy == .stale && status.version == 2 && status.localVersion == 1 && status.size == 100)
    #expect(try harness.attributes("a.pdf").size == 100)
    #expect(try harness.attribute("version", of: "a.pdf") == "1")
    let handle = try harness.handle("a.pdf")
    #expect(harness.contents[handle] == .source("a.pdf"))
    #expect(harness.readReply(handle) != nil)
    #expect(harness.events(.downloadStarted).isEmpty)
    harness.release(handle)
    // A second one changes what the server has, not what is here.
    _ = harness.write(remotely: "more", to: "a.pdf")
    let again = try harness.handle("a.pdf")
    #expect(harness.contents[again] == .source("a.pdf"))
    #expect(try harness.status("a.pdf").version == 3)
    harness.expectRightCounts()
  }

  @Test func `reaches whoever reads in coordination, and then everyone`() throws {
    let harness = harness(local: true) { $0.download.latency = .fixed(.seconds(1)) }
    _ = harness.write(remotely: "hello", to: "a.pdf")
    let claim = harness.begin(.coordinate([Intent(path: "a.pdf", kind: .read)], purpose: ""), by: harness.app)
    #expect(harness.answer(claim, of: harness.app) == nil)
    // While it is on its way, the older content is there as before.
    let old = try harness.handle("a.pdf")
    #expect(harness.contents[old] == .source("a.pdf"))
    harness.release(old)
    harness.pass(.seconds(1))
    guard case .claim = harness.answer(claim, of: harness.app) else {
      Issue.record("not granted")
      return
    }
    let status = try harness.status("a.pdf")
    #expect(status.copy == .local && status.localVersion == nil && status.size == 5)
    #expect(bytes(harness, try harness.handle("a.pdf")) == "hello")
  }

  @Test func `is had by download, too`() throws {
    let harness = harness(local: true)
    _ = harness.write(remotely: "hello", to: "a.pdf")
    guard case .items(let items) = harness.ask(.download(["a.pdf"])) else {
      Issue.record("no items")
      return
    }
    #expect(items.map(\.copy) == [.local] && items.map(\.size) == [5])
  }

  @Test func `leaves open files what they opened`() throws {
    let harness = harness(local: true)
    let node = try harness.node("a.pdf")
    let old = try harness.handle("a.pdf")
    _ = harness.write(remotely: "hello", to: "a.pdf")
    harness.ask(.download(["a.pdf"]))
    // To the kernel it is another file, so that neither sees the other's size or pages.
    let new = try harness.handle("a.pdf")
    #expect(harness.contents[old] == .source("a.pdf") && bytes(harness, new) == "hello")
    #expect(try harness.node("a.pdf") != node)
    guard case .content(old, 0, 4096, .some, nil) = harness.readReply(old),
      case .content(new, 0, 4096, nil, nil) = harness.readReply(new),
      case .attributes(let attributes) = harness.reply(.getAttributes(node))
    else {
      Issue.record("not read")
      return
    }
    #expect(attributes.size == 100 && attributes.links == 0)
    #expect(attributes.id == (try harness.attributes("a.pdf")).id)
    // Its place is free once nobody has it.
    harness.release(old)
    #expect(harness.orphanCount == 1)
    harness.forget(node)
    #expect(harness.orphanCount == 0)
    #expect(harness.reply(.getAttributes(node)) == .error(.sourceChanged))
  }

  @Test func `reaches a file that was opened while it was dataless`() throws {
    let harness = harness()
    let handle = try harness.handle("a.pdf")
    _ = harness.write(remotely: "hello", to: "a.pdf")
    guard case .content(handle, 0, 4096, nil, nil) = harness.readReply(handle) else {
      Issue.record("not read")
      return
    }
    #expect(bytes(harness, handle) == "hello")
    harness.release(handle)
    #expect(harness.sourceFiles.isEmpty)
  }

  @Test func `begins a download under way again, whose readers get all of the new content`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(1)) }
    let handle = try harness.handle("a.pdf")
    let read = harness.read(handle)
    harness.pass(.milliseconds(900))
    _ = harness.write(remotely: "hello", to: "a.pdf")
    harness.pass(.milliseconds(900))
    #expect(harness.replies[read] == nil)
    harness.pass(.milliseconds(100))
    #expect(harness.replies[read] == .content(handle, offset: 0, length: 4096, nil, nil))
    #expect(bytes(harness, handle) == "hello")
  }

  @Test func `appends to what the server has`() throws {
    let harness = harness(local: true)
    _ = harness.write(remotely: "hello", to: "a.pdf", appends: true)
    let blob = try #require(harness.blobBases.keys.first)
    #expect(
      harness.blobBases[blob]?.reference == .source("a.pdf") && harness.blobBases[blob]?.stamp.size == 100)
    harness.ask(.download(["a.pdf"]))
    #expect(try harness.attributes("a.pdf").size == 105)
  }

  @Test func `appends to what another has written meanwhile`() throws {
    let harness = harness()
    harness.keepsPromptly = false
    let command = { (text: String) in
      Command.remote(
        .write("a.pdf", NewContent(.text(Array(text.utf8)), appends: true), keepsModified: false),
        at: FileTime())
    }
    let first = harness.begin(command("12345"))
    let second = harness.begin(command("123"))
    harness.makeBlobs()
    #expect(harness.answer(first) != nil && harness.answer(second) != nil)
    #expect(try harness.attributes("a.pdf").size == 108)
    #expect(try harness.status("a.pdf").version == 3)
    harness.expectRightCounts()
  }

  @Test func `makes a new file where there is none, in a folder that nobody has listed yet`() throws {
    let harness = harness()
    guard case .remote(let result) = harness.write(remotely: "hello", to: "d/new.txt") else {
      Issue.record("no result")
      return
    }
    #expect(result.path == "d/new.txt" && result.version == 1)
    #expect(try #require(result.id).rawValue & 1 << 62 != 0)
    #expect(try harness.names("d") == ["b.pdf", "new.txt"])
    let attributes = try harness.attributes("d/new.txt")
    #expect(attributes.size == 5 && attributes.blocks == 0 && attributes.permissions == 0o644)
    #expect(try harness.attributes("d").modified == FileTime(seconds: 1_000))
    #expect(
      harness.reply(.listAttributes(try harness.node("d/new.txt"), capacity: 9))
        == .sourceAttributeList(nil, also: [], capacity: 9))
  }

  @Test func `can keep the time of the last change`() throws {
    let harness = harness()
    let before = try harness.attributes("a.pdf").modified
    harness.remote(.write("a.pdf", NewContent(.text([1])), keepsModified: true))
    let after = try harness.attributes("a.pdf")
    #expect(after.modified == before && after.size == 1)
  }

  @Test func `evicts, if the profile says so, what nobody has open`() throws {
    let harness = harness(local: true) { $0.items.onRemoteUpdate = .evict }
    let handle = try harness.handle("d/b.pdf")
    _ = harness.write(remotely: "hello", to: "a.pdf")
    _ = harness.write(remotely: "hello", to: "d/b.pdf")
    #expect(try harness.status("a.pdf").copy == .dataless)
    #expect(try harness.status("d/b.pdf").copy == .stale)
    harness.release(handle)
    #expect(try harness.status("d/b.pdf").copy == .dataless)
  }

  @Test func `is refused where there is nothing to write to`() throws {
    let harness = harness()
    harness.source.add("link", size: 3, kind: .symbolicLink)
    func refusal(_ path: ItemPath) -> ProviderError? {
      guard case .failure(let error, _) = harness.write(remotely: "x", to: path) else { return nil }
      return error
    }
    #expect(refusal("d") == .isADirectory)
    #expect(refusal(ItemPath()) == .isADirectory)
    #expect(refusal("no/such.txt") == .noSuchItem)
    #expect(refusal("a.pdf/x") == .noSuchItem)
    #expect(refusal("link") == .invalid("it is a symbolic link; write to the file that it leads to"))
    #expect(harness.blobs.isEmpty)
  }

  @Test func `changes nothing when its content cannot be had`() throws {
    let harness = harness()
    harness.keepsPromptly = false
    let number = harness.begin(
      .remote(.write("a.pdf", NewContent(.text([1])), keepsModified: false), at: FileTime()))
    harness.makeBlobs(failing: .content(.ENOSPC, "the disk is full"))
    #expect(harness.answer(number) == .failure(.content(.ENOSPC, "the disk is full"), "a.pdf"))
    #expect(try harness.status("a.pdf").version == 1)
    #expect(harness.blobs.isEmpty)
  }

  @Test func `leaves no bytes behind when its client goes away`() throws {
    let harness = harness()
    harness.keepsPromptly = false
    let other = Actor(9, "other")
    harness.join(other)
    harness.begin(
      .remote(.write("a.pdf", NewContent(.text([1])), keepsModified: false), at: FileTime()), by: other)
    harness.leave(other)
    harness.makeBlobs()
    #expect(harness.blobs.isEmpty)
    #expect(try harness.status("a.pdf").version == 1)
  }

  @Test func `loses a stale copy whose file in the source is another by now`() throws {
    let harness = harness(local: true)
    _ = harness.write(remotely: "hello", to: "a.pdf")
    harness.source.edit("a.pdf", size: 1)
    #expect(try harness.openReply("a.pdf") == .error(.sourceChanged))
    #expect(try harness.status("a.pdf").copy == .dataless)
    #expect(bytes(harness, try harness.handle("a.pdf")) == "hello")
    #expect(harness.events(.sourceChanged).count == 1)
  }

  @Test func `is told that the child could not show it, and is in force nevertheless`() throws {
    let harness = harness()
    harness.childError = .EACCES
    guard case .remote(let result) = harness.write(remotely: "hello", to: "a.pdf") else {
      Issue.record("no result")
      return
    }
    #expect(result.unseen == .EACCES && result.version == 2)
    #expect(try harness.attributes("a.pdf").size == 5)
  }
}
