import Testing

@testable import ProviderModel

@Suite struct `A package` {
  private static let files: [ItemPath: Int64] = [
    "Essay.pages/index.xml": 1_000, "Essay.pages/Data/a.png": 2_000, "Essay.pages/Data/b.png": 3_000,
    "folder/a.txt": 10,
  ]
  private static let parts = files.keys.filter { $0.names.count > 1 && "\($0)".hasPrefix("Essay") }
    .sorted { "\($0)" < "\($1)" }

  private func harness(_ change: (inout Profile) -> Void = { _ in }) -> ModelHarness {
    let harness = ModelHarness(Self.files, change)
    harness.openGate()
    return harness
  }

  private func copies(_ harness: ModelHarness) throws -> [CopyState] {
    try Self.parts.map { try harness.status($0).copy }
  }

  @Test func `is told by status, and a plain folder is none`() throws {
    let harness = harness()
    #expect(try harness.status("Essay.pages").isPackage)
    #expect(try !harness.status("folder").isPackage)
    #expect(try !harness.status("Essay.pages/index.xml").isPackage)
  }

  @Test func `is downloaded with all that is in it, listed or not`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(1)) }
    let number = harness.begin(.download(["Essay.pages"]))
    #expect(harness.answer(number) == nil)
    harness.pass(.seconds(1))
    guard case .items(let items) = harness.answer(number) else {
      Issue.record("\(String(describing: harness.answer(number)))")
      return
    }
    #expect(items.map(\.path) == ["Essay.pages"])
    #expect(try copies(harness) == [.local, .local, .local])
    #expect(harness.ask(.download(["folder"])) == .failure(.isADirectory, "folder"))
  }

  @Test func `whose part fails says which`() throws {
    let harness = harness()
    harness.ask(.hold(.download, "Essay.pages/Data/a.png", at: nil, name: "h"))
    let number = harness.begin(.download(["Essay.pages"]))
    harness.fail("Essay.pages/Data/a.png", .provider(.serverUnreachable))
    #expect(
      harness.answer(number) == .failure(.provider(.serverUnreachable), "Essay.pages/Data/a.png"))
  }

  @Test func `with a folder that only the server knows says so while that cannot be reached`() throws {
    let harness = harness { $0.items.datalessFolders = [Glob("*/Data")].compactMap { $0 } }
    _ = try harness.node("Essay.pages/index.xml")
    harness.ask(.setCondition(.offline, for: nil))
    #expect(
      harness.ask(.download(["Essay.pages"])) == .failure(.provider(.serverUnreachable), "Essay.pages/Data"))
    #expect(
      harness.ask(.coordinate([Intent(path: "Essay.pages", kind: .read)], purpose: ""), by: harness.app)
        == .failure(.provider(.serverUnreachable), "Essay.pages/Data"))
  }

  @Test func `is evicted with all that is in it`() throws {
    let harness = harness { $0.items.initial = .local }
    // Though nobody has listed it.
    harness.ask(.evict(["Essay.pages"]))
    #expect(try copies(harness) == [.dataless, .dataless, .dataless])
    #expect(harness.ask(.evict(["folder"])) == .failure(.isADirectory, "folder"))
  }

  @Test func `is evicted up to the first part that refuses, and the rest stays as it fell`() throws {
    let harness = harness { $0.items.initial = .local }
    _ = try copies(harness)
    let order = harness.provider.items.contents(of: try #require(harness.slot("Essay.pages"))).reversed()
      .filter { harness.provider.items[$0].kind == .file }.map { harness.provider.items.path(of: $0) }
    harness.ask(.pin([order[1]]))
    #expect(harness.ask(.evict(["Essay.pages"])) == .failure(.nonEvictableChild(.nonEvictable), order[1]))
    #expect(try order.map { try harness.status($0).copy } == [.dataless, .local, .local])
    #expect(
      try harness.writeReply("evict", to: "Essay.pages") == .error(.nonEvictableChild(.nonEvictable)))
    #expect(ProviderError.nonEvictableChild(.busy).name == "nonEvictableChildren")
  }

  @Test func `of which a part is open waits for its close, and no longer than a second`() throws {
    let harness = harness { $0.items.initial = .local }
    let handle = try harness.handle("Essay.pages/index.xml")
    let first = harness.begin(.evict(["Essay.pages"]))
    #expect(harness.answer(first) == nil)
    harness.tell(.limitReached(harness.client.session, number: first))
    #expect(harness.answer(first) == .failure(.nonEvictableChild(.busy), "Essay.pages/index.xml"))
    let second = harness.begin(.evict(["Essay.pages"]))
    harness.release(handle)
    guard case .items = harness.answer(second) else {
      Issue.record("\(String(describing: harness.answer(second)))")
      return
    }
    #expect(try copies(harness) == [.dataless, .dataless, .dataless])
  }

  @Test func `is read in coordination once all of it is here`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(1)) }
    let number = harness.begin(
      .coordinate([Intent(path: "Essay.pages", kind: .read)], purpose: ""), by: harness.app)
    #expect(harness.answer(number, of: harness.app) == nil)
    harness.pass(.seconds(1))
    guard case .claim = harness.answer(number, of: harness.app) else {
      Issue.record("\(String(describing: harness.answer(number, of: harness.app)))")
      return
    }
    #expect(try copies(harness) == [.local, .local, .local])
    // What is claimed as a part of it is spared when room is short.
    #expect(harness.ask(.relieve(10)) == .relieved([], bytes: 0))
  }

  @Test func `of which only the metadata is asked for stays as it is`() throws {
    let harness = harness()
    let intent = Intent(path: "Essay.pages", kind: .read, options: [.immediatelyAvailableMetadataOnly])
    guard case .claim = harness.ask(.coordinate([intent], purpose: ""), by: harness.app) else {
      Issue.record("not granted")
      return
    }
    #expect(try copies(harness) == [.dataless, .dataless, .dataless])
  }

  @Test func `claim that is given up waits for nothing`() throws {
    let harness = harness { $0.download.latency = .fixed(.seconds(1)) }
    _ = try copies(harness)
    let number = harness.begin(
      .coordinate([Intent(path: "Essay.pages", kind: .read)], purpose: ""), by: harness.app)
    harness.ask(.cancel(request: number), by: harness.app)
    #expect(harness.answer(number, of: harness.app) == .failure(.canceled, nil))
    #expect(harness.waiterCount == 0)
  }

  @Test func `is downloaded and evicted by its attribute as well`() throws {
    let harness = harness()
    #expect(try harness.writeReply("download", to: "Essay.pages") == .done)
    #expect(try copies(harness) == [.local, .local, .local])
    #expect(try harness.writeReply("evict", to: "Essay.pages") == .done)
    #expect(try copies(harness) == [.dataless, .dataless, .dataless])
  }

  @Test func `can be here in part, and explain rehearses the rest`() throws {
    let harness = harness { $0.items.local = [Glob("Essay.pages/index.xml")].compactMap { $0 } }
    #expect(try copies(harness) == [.dataless, .dataless, .local])
    let fresh = self.harness()
    guard
      case .explanation(let explanation) = fresh.ask(
        .explain("Essay.pages", .coordinate, app: fresh.app.app, at: nil))
    else {
      Issue.record("no explanation")
      return
    }
    #expect(explanation.outcome == .served)
    #expect(explanation.steps.count { $0.hasPrefix("downloadFinished") } == 3)
  }

  @Test func `is whatever the profile says`() throws {
    let harness = harness { $0.items.packages = [Glob("folder")].compactMap { $0 } }
    #expect(try harness.status("folder").isPackage)
    #expect(harness.ask(.download(["Essay.pages"])) == .failure(.isADirectory, "Essay.pages"))
  }
}
