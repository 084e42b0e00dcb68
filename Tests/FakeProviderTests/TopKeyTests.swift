import ProviderControl
import Testing

@testable import fakeprovider

private func request(_ verb: String, _ fill: (inout RequestLine) -> Void = { _ in }) -> RequestLine {
  var request = RequestLine(verb: verb)
  fill(&request)
  return request
}

private func path(_ text: String) -> WirePath { WirePath(bytes: Array(text.utf8)) }

@Suite struct `A key of top` {
  private let snapshot: TopModel.Snapshot

  init() throws {
    snapshot = try Told.snapshot(
      items: [Told.item("a.pdf", "dataless"), Told.item("d", "folder")],
      holds: [Told.hold("h", "b.pdf", parked: 0)])
  }

  @Test(
    arguments: [
      ([0x71], [.character("q")]),
      (Array("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D".utf8), [.up, .down, .right, .left]),
      (Array("\u{1B}OA".utf8), [.up]), ([0x0D, 0x0A, 0x7F, 0x08], [.enter, .enter, .backspace, .backspace]),
      ([0x1B], [.escape]), (Array("\u{1B}q".utf8), [.escape, .character("q")]),
      (Array("\u{1B}[3~x".utf8), [.character("x")]), (Array("é漢".utf8), [.character("é"), .character("漢")]),
      ([0xFF, 0x01, 0x61], [.character("a")]),
    ] as [([UInt8], [TopKey])])
  func `is read from a terminal's bytes`(bytes: [UInt8], keys: [TopKey]) {
    var reader = TopKeyReader()
    #expect(reader.keys(bytes) == keys)
  }

  @Test func `is put together when its bytes come apart`() {
    var reader = TopKeyReader()
    let bytes = Array("漢".utf8)
    #expect(reader.keys(Array(bytes[..<1])) == [] && reader.keys(Array(bytes[1...])) == [.character("漢")])
  }

  @Test func `moves the selection, which stays on its row while others come and go`() throws {
    var model = try Told.model(snapshot)
    #expect(model.selection == .item(path("a.pdf")))
    model.press("j")
    #expect(model.selection == .item(path("d")))
    model.take(
      try Told.snapshot(items: ["0", "1", "d"].map { Told.item($0, $0 == "d" ? "folder" : "local") }))
    #expect(model.selection == .item(path("d")))
    model.take(try Told.snapshot(items: ["0", "1"].map { Told.item($0, "local") }))
    #expect(model.selection == .item(path("1")))
    model.press("kkkk")
    #expect(model.selection == .item(path("0")))
    model.take(try Told.snapshot())
    #expect(model.selection == nil && model.press(.down) == nil)
  }

  @Test func `stays on a hold when somebody runs into it`() throws {
    var model = try Told.model(snapshot)
    model.press("jjj")
    #expect(model.selection == .hold("h"))
    model.take(
      try Told.snapshot(
        items: [Told.item("a.pdf", "dataless")], holds: [Told.hold("h", "b.pdf", parked: 1)],
        waiting: [Told.waiter("z", hold: nil), Told.waiter("b.pdf", hold: "h")]))
    #expect(model.selectedRow?.hold == "h")
  }

  @Test func `holds the next operation of the selected item`() throws {
    var model = try Told.model(snapshot)
    #expect(model.press("h") == [])
    #expect(model.screen()[22] == "hold the next o open, r read or d download of a.pdf? (Esc: none)")
    #expect(
      model.press("o") == [
        .send([
          request("hold") {
            $0.operation = "open"
            $0.path = path("a.pdf")
          }
        ])
      ])
    #expect(model.press("hd40%") == [])
    #expect(model.screen()[22].hasSuffix("at (40%, a byte; Enter: its start): 40%_"))
    #expect(model.press(.backspace) == nil)
    #expect(
      model.press("\n") == [
        .send([
          request("hold") {
            $0.operation = "download"
            $0.path = path("a.pdf")
            $0.at = "40"
          }
        ])
      ])
    #expect(model.press("hx") == [] && model.mode == .list)
    #expect(model.press("hr") == [] && model.press(.escape) == nil && model.mode == .list)
  }

  @Test func `releases the selected hold, with an error or without`() throws {
    var model = try Told.model(snapshot)
    model.press("jj")
    #expect(model.press("r\n") == [.send([request("release") { $0.name = "h" }])])
    #expect(
      model.press("rEIO\n") == [
        .send([
          request("release") {
            $0.name = "h"
            $0.error = "EIO"
          }
        ])
      ])
  }

  @Test func `releases all holds after it has asked`() throws {
    var model = try Told.model(snapshot)
    #expect(model.press("rn\n") == [])
    #expect(model.press("ry\n") == [.send([request("release") { $0.name = "h" }])])
    model.take(try Told.snapshot(items: [Told.item("a.pdf", "dataless")]))
    #expect(model.press("r") == [] && model.message == "nothing is held")
  }

  @Test(arguments: [("v", "revoke"), ("e", "evict"), ("d", "download")])
  func `acts on the selected item`(key: String, verb: String) throws {
    var model = try Told.model(snapshot)
    #expect(model.press(key) == [.send([request(verb) { $0.path = path("a.pdf") }])])
    var empty = try Told.model(Told.snapshot())
    #expect(empty.press(key) == [] && empty.message == "select an item first")
  }

  @Test func `advances the clock`() throws {
    var model = try Told.model(snapshot)
    let next = request("clock") { $0.action = "advanceToNext" }
    #expect(model.press("n") == [.send([next])] && model.press("an\n") == [.send([next])])
    let advance = request("clock") {
      $0.action = "advance"
      $0.value = "60s"
    }
    #expect(model.press("a60s\n") == [.send([advance])])
    #expect(model.press("a\n") == [])
  }

  @Test func `looks into a folder and out again`() throws {
    var model = try Told.model(snapshot)
    #expect(model.press(.enter) == nil)
    model.press("j")
    #expect(model.press(.right) == .refresh && model.folder == path("d"))
    model.take(try Told.snapshot(items: [Told.item("d/e", "folder")], folder: "d"))
    #expect(model.screen()[1].hasSuffix("in d/"))
    #expect(model.press(.enter) == .refresh && model.folder == path("d/e"))
    #expect(model.press(.left) == .refresh && model.folder == path("d"))
    #expect(model.press(.left) == .refresh && model.folder.text == ".")
    #expect(model.press(.left) == nil)
  }

  @Test func `asks for help, and quits`() throws {
    var model = try Told.model(snapshot)
    #expect(model.press("?") == [] && model.screen()[3].contains("arrows"))
    #expect(model.press("x") == [] && model.mode == .list)
    #expect(model.press("q") == [.quit])
    // What is typed is no command.
    #expect(model.press("aq") == [] && model.press(.escape) == nil && model.press("?q") == [.quit])
  }

  @Test func `is told what came of it`() throws {
    var model = try Told.model(snapshot)
    var reply = ReplyLine(id: 1, ok: true)
    reply.name = "h1"
    let hold = request("hold") {
      $0.operation = "read"
      $0.path = path("a.pdf")
      $0.at = "40%"
    }
    model.take(.success(reply), of: hold)
    #expect(model.message == "the next read of a.pdf stops at 40%, at the hold h1")
    model.take(.failure(VerbFailure("a.pdf: it is open (EBUSY)")), of: request("evict"))
    #expect(model.message == "a.pdf: it is open (EBUSY)")
    model.press("j")
    #expect(model.message == "")
  }
}
