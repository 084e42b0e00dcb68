import Testing

@testable import ProviderModel

@Suite struct `Names` {
  private static let composed: Name = "\u{DC}bung.pdf"
  private static let decomposed: Name = "U\u{308}bung.pdf"

  private func harness(
    _ names: [Name], _ folding: Naming.Case = .sensitive, _ form: Naming.Normalization = .preserve,
    _ change: (inout Profile) -> Void = { _ in }
  ) -> ModelHarness {
    var source = SourceTree()
    for (index, name) in names.enumerated() { source.add(ItemPath([name]), size: Int64(100 + index)) }
    let harness = ModelHarness(source) {
      $0.naming.case = folding
      $0.naming.normalization = form
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func id(_ name: Name, _ harness: ModelHarness) throws -> ItemID {
    try harness.attributes(ItemPath([name])).id
  }

  private func bytes(_ harness: ModelHarness) throws -> [[UInt8]] {
    try harness.names("").map { Array($0.utf8) }
  }

  /// What the item was to be called.
  private func wanted(_ path: ItemPath, _ harness: ModelHarness) throws -> Reply? {
    harness.reply(
      .getAttribute(try harness.node(path), name: Array(Provider.bounceAttribute.utf8), capacity: 100))
  }

  @Test func `are their bytes by default`() throws {
    let harness = harness([Self.composed, Self.decomposed, "a", "A"])
    #expect(try Set([Self.composed, Self.decomposed, "a", "A"].map { try id($0, harness) }).count == 4)
    #expect(throws: (any Error).self) { try harness.node("\u{FC}bung.pdf") }
  }

  @Test func `that differ in case are one where case does not matter, and stay as they are`() throws {
    let harness = harness(["Letter.PDF", Self.composed], .insensitive)
    #expect(try id("letter.pdf", harness) == id("Letter.PDF", harness))
    #expect(try id("\u{FC}BUNG.pdf", harness) == id(Self.composed, harness))
    #expect(try harness.names("") == ["Letter.PDF", "\u{DC}bung.pdf"])
    #expect(throws: (any Error).self) { try harness.node(ItemPath([Self.decomposed])) }
    #expect(try harness.status("LETTER.pdf").path == "Letter.PDF")
  }

  @Test(arguments: [Naming.Normalization.insensitive, .nfd, .nfc], [composed, decomposed])
  func `of any normal form are one where forms do not matter`(form: Naming.Normalization, name: Name) throws {
    let harness = harness([name], .sensitive, form)
    #expect(try id(Self.composed, harness) == id(Self.decomposed, harness))
    let shown = form == .nfd ? Self.decomposed : form == .nfc ? Self.composed : name
    #expect(try bytes(harness) == [shown.bytes])
    #expect(throws: (any Error).self) { try harness.node("\u{FC}bung.pdf") }
    // Its identifier and its content are those of the source's name.
    #expect(try id(name, harness) == ItemTable.identifier(of: name, in: .root))
    #expect(try harness.contentOfOpen(ItemPath([name])) == .source(ItemPath([name])))
  }

  @Test(arguments: [
    ("\u{3A3}\u{3C2}", "\u{3C3}\u{3C3}", true), ("\u{1E9E}", "\u{DF}", true), ("\u{DF}", "ss", false),
    ("\u{130}", "i", false), ("\u{212A}", "k", true), ("\u{C5}", "a\u{30A}", true),
  ]) func `are folded scalar by scalar`(a: Name, b: Name, areOne: Bool) {
    var naming = Naming()
    naming.case = .insensitive
    naming.normalization = .insensitive
    #expect((naming.key(of: a.bytes[...]) == naming.key(of: b.bytes[...])) == areOne)
  }

  @Test func `that are no UTF-8 are themselves`() throws {
    let odd = try #require(Name([0x41, 0xFF]))
    let harness = harness([odd, "a"], .insensitive, .nfd)
    guard case .entry = harness.reply(.lookup(parent: .root, name: odd)) else {
      Issue.record("it is not found")
      return
    }
    #expect(try harness.names("").count == 2)
    let lower = try #require(Name([0x61, 0xFF]))
    #expect(harness.reply(.lookup(parent: .root, name: lower)) == .error(.noSuchItem))
  }

  @Test func `that would be too long in another form stay as they are`() throws {
    let long = try #require(Name(String(repeating: "\u{DC}", count: 120)))
    let harness = harness([long], .sensitive, .nfd)
    #expect(try bytes(harness) == [long.bytes])
    #expect(try harness.status(ItemPath([long])).size == 100)
  }

  // MARK: Two for one

  @Test func `of the source that are one here give the later another, and lose nothing`() throws {
    let harness = harness(["a.pdf", "b.pdf", "A.pdf"], .insensitive)
    #expect(try harness.names("") == ["A.pdf", "a 2.pdf", "b.pdf"])
    #expect(try wanted("a 2.pdf", harness) == .bytes(Array("a.pdf".utf8)))
    #expect(try wanted("A.PDF", harness) != .bytes(Array("A.pdf".utf8)))
    #expect(try harness.contentOfOpen("a 2.pdf") == .source("a.pdf"))
    #expect(try harness.contentOfOpen("a.pdf") == .source("A.pdf"))
    #expect(try id("a 2.pdf", harness) == ItemTable.identifier(of: "a.pdf", in: .root))
  }

  @Test func `in folders of which the source has two have the right contents`() throws {
    let harness = ModelHarness(["D/x": 1, "d/y": 2]) { $0.naming.case = .insensitive }
    harness.openGate()
    #expect(try harness.names("d") == ["x"])
    #expect(try harness.names("d 2") == ["y"])
    #expect(try harness.contentOfOpen("D 2/y") == .source("d/y"))
  }

  @Test func `that other devices make meet those that are one with them`() throws {
    let harness = harness(["a.pdf", "b.pdf"], .insensitive)
    _ = harness.write(remotely: "x", to: "A.PDF")
    #expect(try harness.names("") == ["a.pdf", "b.pdf"])
    #expect(try harness.status("a.pdf").version == 2)
    harness.remote(.rename("b.pdf", "A.pdf"))
    #expect(try harness.names("") == ["a.pdf", "A 2.pdf"])
    harness.remote(.makeDirectory("A.Pdf"))
    #expect(try harness.names("").contains("A 3.Pdf") || harness.names("").contains("A 2.Pdf"))
  }

  @Test func `can change in case alone`() throws {
    let harness = harness(["a.pdf"], .insensitive)
    let before = try id("a.pdf", harness)
    guard case .remote(let result) = harness.remote(.rename("a.pdf", "A.pdf")) else {
      Issue.record("no answer")
      return
    }
    #expect(result.path == "A.pdf" && result.unseen == nil)
    #expect(try harness.names("") == ["A.pdf"])
    #expect(try id("a.PDF", harness) == before)
    #expect(try harness.contentOfOpen("a.pdf") == .source("a.pdf"))
    #expect(
      harness.remote(.rename("a.pdf", "A.pdf")) == .failure(.invalid("it is there already"), "a.pdf"))
  }

  @Test func `that are taken are not given back to who has a made one`() throws {
    let harness = harness(["a.pdf", "b.pdf"])
    harness.remote(.rename("b.pdf", "a.pdf"))
    harness.remote(.rename("a 2.pdf", "a.pdf"))
    #expect(try harness.names("") == ["a.pdf", "a 3.pdf"])
  }

  @Test func `of a coordinated write of what is not there yet are one, too`() {
    let harness = harness(["b"], .insensitive)
    harness.ask(.coordinate([Intent(path: "new.txt", kind: .write)], purpose: ""), by: harness.app)
    let second = harness.begin(
      .coordinate([Intent(path: "NEW.txt", kind: .write)], purpose: ""), by: harness.app)
    #expect(harness.answer(second, of: harness.app) == nil)
  }

  @Test func `in patterns are bytes, and explain says what they miss by`() throws {
    let harness = harness(["Letter.pdf", Self.composed], .insensitive, .insensitive)
    for (name, pattern) in [("case", "letter.pdf"), ("form", "U\u{308}bung.pdf")] {
      var rule = Rule(
        name: name, operations: [.open], effect: RuleEffect(disturbance: .fail(.errno(.EIO))))
      rule.path = Glob(pattern)
      harness.ask(.addRule(rule))
    }
    #expect(try harness.handle("Letter.pdf").rawValue > 0)
    func reasons(_ path: ItemPath) -> String {
      guard case .explanation(let explanation) = harness.ask(.explain(path, .open, app: nil, at: nil)) else {
        return ""
      }
      return explanation.nearMisses.flatMap(\.reasons).joined(separator: "; ")
    }
    #expect(reasons("Letter.pdf").contains("(only upper and lower case differ)"))
    #expect(reasons(ItemPath([Self.composed])).contains("(only their Unicode normal forms differ)"))
  }
}
