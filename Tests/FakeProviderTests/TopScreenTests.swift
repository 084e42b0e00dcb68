import ProviderControl
import Testing

@testable import fakeprovider

@Suite struct `The screen of top` {
  @Test func `has everything that goes on`() throws {
    var model = try Told.model(Told.full())
    model.message = "Letter.pdf is local"
    #expect(
      model.screen() == [
        "fakeprovider top  /tmp/cloud  slow-cloud  seed 1  device",
        "online  2.000s  manual clock  next due in 0.800s",
        "  ITEMS 6                     SIZE  COPY           %       RATE  PHASE      OPEN",
        "> Grain Study.pdf           5.0 MB  downloading   40      0 B/s  held",
        "  Letter.pdf                1.4 kB  local",
        "  Recent/                           folder",
        "  旅行ガイド.txt             498 B  dataless",
        "  A name that… column.pdf   1.0 kB  dataless",
        "  a\u{FFFD}b                       1.0 kB  dataless",
        "  WAITING 3            HOLD          OPERATION   WHO                         FOR",
        "  Letter.pdf           h2            read        nobody yet               at 40%",
        "  Grain Study.pdf      forty         read        cat 77                   0.500s",
        "  b.pdf                (content)     read        cat 77                   0.500s",
        "  SCOPES 1                APP                       PROCESS  STARTS  COVERS",
        "  Recent                  org.example                    76       1  process",
        "  CLAIMS 1             KIND   PHASE          WHO                             FOR",
        "  Letter.pdf +1        write  granted        78                           1.000s",
        "  RULES 1                                     ON                            HITS",
        "  fails once                                  open,download                   12",
        "", "", "", "Letter.pdf is local", TopScreen.keys,
      ])
  }

  @Test(arguments: [(80, 24), (81, 25), (120, 40), (200, 60)])
  func `fills its terminal and no more`(columns: Int, rows: Int) throws {
    var model = try Told.model(Told.full())
    for mode in [
      TopModel.Mode.list, .help, .choosing(WirePath(bytes: [0x61])), .prompt(.advance, text: "1s"),
    ] {
      model.mode = mode
      let lines = TopScreen.lines(model, columns: columns, rows: rows)
      #expect(lines.count == rows)
      #expect(lines.allSatisfy { Render.width(of: $0.text) <= columns })
      #expect(lines.last?.text.hasPrefix(TopScreen.keys) == true)
      // What we say ourselves is never cut.
      if mode == .help { #expect(!lines.contains { $0.text.contains("…") }) }
    }
  }

  @Test func `sets sections apart where there is room`() throws {
    let model = try Told.model(Told.snapshot(items: [Told.item("a", "local")], scopes: [Told.scope("a")]))
    let screen = model.screen()
    #expect(
      screen[2] == "" && screen[3].hasPrefix("  ITEMS 1") && screen[5] == ""
        && screen[6].hasPrefix("  SCOPES 1"))
  }

  @Test func `shows a part of what does not fit, the selected row in it`() throws {
    let items = (100..<200).map { Told.item("item \($0)", "dataless") }
    let waiting = (0..<50).map { Told.waiter("w\($0)", hold: nil, process: $0) }
    var model = try Told.model(Told.snapshot(items: items, waiting: waiting, total: 5_000))
    var screen = model.screen()
    #expect(screen[2].hasPrefix("  ITEMS 100 of 5000"))
    #expect(screen.contains("  … 92 more") && screen.contains("  … 42 more"))
    #expect(screen.contains { $0.hasPrefix("> item 100") })
    for _ in 0..<50 { _ = model.press(.down) }
    screen = model.screen()
    #expect(screen.contains { $0.hasPrefix("> item 150") })
    #expect(screen.count == 24 && screen.contains("  … 92 more"))
    for _ in 0..<500 { _ = model.press(.down) }
    #expect(model.screen().contains { $0.hasPrefix("> w49") })
  }

  @Test(arguments: [
    ([3, 100], 20, [3, 15]), ([50, 50], 12, [5, 5]), ([1, 1, 90], 10, [1, 1, 5]), ([5, 5], 2, [0, 0]),
  ])
  func `gives short sections all that they need`(counts: [Int], rows: Int, shares: [Int]) throws {
    let sections = try counts.map { count in
      let items = (0..<count).map { Told.item("\($0)", "local") }
      return try #require(Told.model(Told.snapshot(items: items)).sections.first)
    }
    #expect(TopScreen.shares(of: sections, rows: rows) == shares)
  }

  @Test func `says when its terminal is too small`() throws {
    let model = try Told.model(Told.full())
    #expect(
      model.screen(columns: 60, rows: 20) == [
        "top needs 80 columns and 24 rows;", "this terminal has 60 and 20.", "q quits.",
      ])
    #expect(model.screen(columns: 10, rows: 1).count == 1)
    #expect(model.screen(columns: 2, rows: 3).allSatisfy { Render.width(of: $0) <= 2 })
    #expect(model.screen(columns: 80, rows: 23).first?.contains("needs") == true)
    // Whole on what a split window may leave.
    #expect(model.screen(columns: 40, rows: 10).allSatisfy { !$0.contains("…") })
  }

  @Test func `has all rows and no keys when it is printed`() throws {
    let items = (100..<200).map { Told.item("item \($0)", "dataless") }
    let screen = try Told.model(Told.snapshot(items: items)).screen(rows: nil)
    #expect(screen.count == 2 + 2 + 100 && !screen.contains(TopScreen.keys))
  }

  @Test func `says what it waits for before the provider has answered, and when it is silent`() throws {
    var model = try Told.model()
    #expect(model.screen()[1] == "waiting for the provider")
    model.take(try Told.snapshot())
    #expect(model.screen()[3] == "nothing is here")
    model.silence = 4
    #expect(model.screen()[1] == "no answer for 4s: is the provider stopped?")
    model.take(try Told.snapshot(clock: #"{"mode":"scaled","scale":100,"paused":true,"nowNanoseconds":0}"#))
    #expect(model.screen()[1] == "online  0.000s  100 times as fast  paused")
    model.snapshot?.overview.condition = "offline"
    model.snapshot?.overview.locked = true
    #expect(model.screen()[1].hasPrefix("offline  device locked  0.000s"))
  }
}
