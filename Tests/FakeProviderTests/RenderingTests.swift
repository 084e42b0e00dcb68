import FoundationEssentials
import ProviderControl
import Testing

@testable import fakeprovider

private func decoded<Line: Decodable>(_ type: Line.Type, _ json: String) throws -> Line {
  try JSONDecoder().decode(type, from: Data(json.utf8))
}

private func item(
  _ name: String, copy: String, size: Int64, arrived: Int64? = nil, _ more: String = ""
) throws -> ItemLine {
  try decoded(
    ItemLine.self,
    """
    {\(more)"path":"\(name)","id":7,"kind":"file","copy":"\(copy)","upload":"clean","size":\(size),
     "arrived":\(arrived.map { "\($0)" } ?? "null"),"version":1,"open":0,"scopes":[4,5],"claims":[]}
    """)
}

@Suite struct `A table` {
  @Test func `aligns its columns, numbers to the right, with nothing after the last`() {
    #expect(
      Render.table(["NAME", "SIZE", "X"], [["a", "10 B", ""], ["longer", "1 B", "y"]], right: [1])
        == "NAME    SIZE  X\na       10 B\nlonger   1 B  y\n")
  }

  @Test func `counts two columns for wide characters`() {
    #expect(Render.width(of: "旅行.txt") == 8)
    #expect(Render.width(of: "călătorie") == 9)
    #expect(Render.width(of: "e\u{301}") == 1)
    #expect(Render.width(of: "한글") == 4 && Render.width(of: "\u{1112}\u{1161}\u{11AB}") == 2)
    #expect(Render.width(of: "🚀✅👩\u{200D}👧") == 6)
  }
}

@Suite struct `A value for people` {
  @Test(arguments: [
    (Int64(0), "0 B"), (999, "999 B"), (1000, "1.0 kB"), (93_529, "93.5 kB"), (4_194_304, "4.1 MB"),
    (123_456_789, "123 MB"), (.max, "9223372 TB"),
  ])
  func `of bytes has a unit`(_ bytes: Int64, _ text: String) { #expect(Render.size(bytes) == text) }

  @Test func `of time is in seconds`() {
    #expect(Render.seconds(0) == "0.000s")
    #expect(Render.seconds(61_002_000_000) == "61.002s")
    #expect(Render.seconds(.max).hasSuffix("s"))
  }

  @Test func `of progress is the nearest one, and 100 only at the end`() {
    #expect(Render.percent(999, of: 1000) == 99)
    #expect(Render.percent(2_097_151, of: 5_242_880) == 40)
    #expect(Render.percent(394, of: 1000) == 39)
    #expect(Render.percent(1000, of: 1000) == 100)
    #expect(Render.percent(0, of: 0) == 100)
    #expect(Render.percent(-5, of: 10) == 0)
    #expect(Render.percent(.max - 1, of: .max) == 100 || Render.percent(.max - 1, of: .max) == 99)
  }

  @Test func `of an app is its executable's name, else its identifier`() {
    #expect(Render.app("/usr/bin/cat") == "cat")
    #expect(Render.app("com.example.notes") == "com.example.notes")
  }

  @Test func `cannot command a terminal`() {
    #expect(Render.harmless("a\u{1B}[2Jb\n") == "a\u{FFFD}[2Jb\u{FFFD}")
    #expect(Render.harmless("a\r\nb\u{9B}") == "a\u{FFFD}\u{FFFD}b\u{FFFD}")
  }

  @Test func `shows what would not be seen, or would turn the line around`() {
    #expect(Render.harmless("photo\u{202E}gnp.exe") == "photo\u{FFFD}gnp.exe")
    #expect(Render.harmless("a\u{2067}b\u{200F}c\u{2028}d") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
    #expect(Render.harmless("a\u{200B}b\u{FEFF}c\u{200D}d") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
    #expect(Render.harmless("\u{301}a") == "\u{25CC}\u{301}a")
  }

  @Test(arguments: ["Însemnări", "e\u{301}", "العربية.pdf", "旅行", "👩\u{200D}👧 ☂\u{FE0F}", "क्षत्रिय"])
  func `stays as it is when it is only foreign`(text: String) {
    #expect(Render.harmless(text).unicodeScalars.elementsEqual(text.unicodeScalars))
  }
}

@Suite struct `Items and events` {
  @Test func `show how much of a download has arrived`() throws {
    let text = Status.table([("a.pdf", try item("a.pdf", copy: "downloading", size: 1000, arrived: 400))])
    #expect(text.contains("a.pdf  downloading 40 %  clean    1.0 kB        1     0  4,5     -\n"))
  }

  @Test(
    arguments: [
      ("\"phase\":\"stalled\",\"bytesPerSecond\":0,", "40 %, stalled"),
      ("\"phase\":\"streaming\",\"bytesPerSecond\":2000000,", "40 %, 2.0 MB/s"),
      ("\"phase\":\"streaming\",", "40 %"),
    ])
  func `show how a download goes on`(more: String, shown: String) throws {
    let item = try item("a.pdf", copy: "downloading", size: 1000, arrived: 400, more)
    #expect(Status.table([("a.pdf", item)]).contains("a.pdf  downloading \(shown)  clean"))
  }

  @Test func `fit a progress bar into the terminal's line`() throws {
    let items = [
      ("a", try item("a", copy: "local", size: 500)),
      ("b", try item("b", copy: "downloading", size: 500, arrived: 250)),
    ]
    #expect(
      ProgressBar.text(items.map { (name: $0.0, line: $0.1) }, columns: 80)
        == "[###############-----] 75 %  750 B of 1.0 kB  b")
    #expect(ProgressBar.text(items.map { (name: $0.0, line: $0.1) }, columns: 20).count == 19)
  }

  @Test func `stand in the columns of their titles`() throws {
    let event = try decoded(
      EventLine.self,
      """
      {"sequence":3,"atNanoseconds":1500000000,"name":"operation","operation":"read","path":"a.pdf",
       "app":"/usr/bin/cat","process":42,"copy":"dataless","scoped":false,"errno":"EPERM",
       "error":"accessNotGranted","offset":0,"bytes":9223372036854775807,"waitedNanoseconds":2000000}
      """)
    let (titles, row) = (EventRow.titles, EventRow.text(event))
    for (title, value) in [("APP", "cat"), ("WHAT", "read"), ("COPY", "dataless"), ("ERROR", "EPERM")] {
      let column = titles.firstRange(of: title)?.lowerBound.utf16Offset(in: titles)
      let found = row.firstRange(of: value)?.lowerBound.utf16Offset(in: row)
      #expect(column != nil && column == found)
    }
    #expect(row.hasSuffix("accessNotGranted, bytes 0..<9223372036854775807\n"))
  }

  @Test func `that were dropped are counted, whatever their number`() throws {
    let event = try decoded(
      EventLine.self, #"{"sequence":9,"atNanoseconds":0,"name":"dropped","dropped":18446744073709551615}"#)
    #expect(EventRow.more(event).hasSuffix("events missing"))
  }
}
