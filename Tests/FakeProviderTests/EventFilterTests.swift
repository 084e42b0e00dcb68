import FoundationEssentials
import ProviderControl
import Testing

@testable import fakeprovider

private func parsed(_ words: [String]) throws -> ParsedArguments {
  let reading = CommandLineReading((["events"] + words).map { Argument($0) })
  guard case .verb(let arguments) = reading else { throw VerbFailure("\(reading)") }
  return arguments
}

private func event(_ fields: String) throws -> EventLine {
  try JSONDecoder().decode(
    EventLine.self, from: Data("{\"sequence\":1,\"atNanoseconds\":0,\(fields)}".utf8))
}

@Suite struct `What events shows` {
  private let events: [EventLine]

  init() throws {
    events = try [
      #""name":"started","profile":"p","seed":1"#,
      #""name":"operation","operation":"lookup","path":"a.pdf","app":"/usr/bin/ls""#,
      #""name":"operation","operation":"lookup","path":"none","error":"noSuchItem","errno":"ENOENT""#,
      #""name":"operation","operation":"getattr","path":"a.pdf","rule":"r""#,
      #""name":"operation","operation":"readdir","path":"d","error":"source","errno":"EIO""#,
      #""name":"operation","operation":"open","path":"a.pdf","app":"/usr/bin/cat","process":3"#,
      #""name":"operation","operation":"mkdir","path":"d","error":"readOnly","errno":"EROFS""#,
      #""name":"held","operation":"open","path":"d/b.pdf","app":"org.example""#,
      #""name":"downloadStarted","path":"a.pdf""#,
      #""name":"evicted","path":"a.pdf""#,
    ].map(event)
  }

  private func shown(_ words: String...) throws -> [Int] {
    let filter = try EventFilter(parsed(words))
    return events.indices.filter { filter.shows(events[$0]) }
  }

  @Test func `is what went beyond looking around, unless all is asked for`() throws {
    #expect(try shown() == [0, 3, 4, 5, 6, 7, 8, 9])
    #expect(try shown("--all") == Array(0...9))
    #expect(try shown("--json") == Array(0...9))
  }

  @Test func `can be narrowed down`() throws {
    #expect(try shown("--operation", "lookup") == [1, 2])
    #expect(try shown("--operation", "open,download", "--operation", "change") == [5, 6, 7, 8])
    #expect(try shown("--operation", "mkdir") == [6])
    #expect(try shown("--name", "held,evicted") == [7, 9])
    #expect(try shown("--path", "*.pdf") == [3, 5, 8, 9])
    #expect(try shown("--path", "**/b.pdf") == [7])
    #expect(try shown("--app", "cat") == [5])
    #expect(try shown("--app", "/usr/bin/ls", "--all") == [1])
    #expect(try shown("--app", "org.example", "--operation", "open") == [7])
  }

  @Test(
    arguments: [
      (["--operation", "opn"], "\"open\""), (["--name", "evict"], "\"evicted\""),
      (["--path", "/a"], "slash"),
      (["--operation", ","], "needs"),
    ])
  func `cannot be what there is none of`(words: [String], says: String) throws {
    let arguments = try parsed(words)
    #expect {
      _ = try EventFilter(arguments)
    } throws: { error in
      guard let failure = error as? VerbFailure else { return false }
      return failure.exitCode == 2 && failure.message.contains(says)
    }
  }
}

@Suite struct `What expect says` {
  @Test func `is a line for each assertion, with what broke it`() throws {
    let event = try event(
      #""name":"operation","operation":"open","path":"a\u0007","app":"/bin/cat","process":3,"error":"readOnly","errno":"EROFS""#
    )
    let table = Expect.table([
      Verdict(assertion: "no-errors", holds: false, reason: "it failed", event: event),
      Verdict(assertion: "opened a", holds: true),
    ])
    #expect(
      Render.harmlessLines(table) == """
        broken  no-errors
                it failed
                0.000s /bin/cat (process 3): open a\u{FFFD}, readOnly (EROFS)
        holds   opened a

        """)
  }
}
