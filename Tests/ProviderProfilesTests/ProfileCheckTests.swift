import Foundation
import ProviderModel
import Testing

@testable import ProviderProfiles

// What is wrong or remarkable between the parts of a profile, and very large ones.

private func rule(_ name: String, _ members: String = "", on: String = "\"open\"") -> String {
  "{ \"name\": \"\(name)\", \"on\": \(on), \(members.isEmpty ? "" : members + ", ")\"effect\": { \"hold\": \"h\" } }"
}

private func rules(_ rules: String...) -> String {
  profile("\"rules\": [\n\(rules.joined(separator: ",\n")) ]")
}

@Suite struct `The rules of a profile` {
  @Test func `have a name of their own each`() {
    #expect(
      problems(rules(rule("a"), rule("b", on: "\"read\""), rule("a", on: "\"lookup\""))) == [
        "p:5:11: rules[2].name: is the name of rules[0] too; each rule has its own"
      ])
    // One that is wrong does not hide that two others have one name.
    #expect(
      problems(rules(rule("a"), rule("b", on: "\"raed\""), rule("a", on: "\"lookup\""))).map { $0.prefix(14) }
        == ["p:4:22: rules[", "p:5:11: rules["])
  }

  @Test(arguments: [
    (rule("a"), rule("b")), (rule("a", "\"path\": \"*.pdf\""), rule("b", "\"path\": \"*.pdf\"")),
    (rule("a", "\"path\": \"**\""), rule("b", "\"copy\": \"local\"")),
    (rule("a", on: "[\"open\", \"read\"]"), rule("b", "\"path\": \"x\"", on: "\"read\"")),
    (rule("a", "\"fail\": { \"count\": \"total\" }"), rule("b")),
  ])
  func `are never reached behind one that always strikes`(_ first: String, _ second: String) throws {
    let said = try remarks(rules(first, second))
    #expect(said.count == 1)
    #expect(
      said.first?.contains(
        "rules[1].on: warning: the rule is never reached: \"a\" strikes before it whenever it would match")
        == true)
  }

  @Test(arguments: [
    (rule("a", "\"copy\": \"local\""), rule("b")), (rule("a", "\"probability\": \"99%\""), rule("b")),
    (rule("a", "\"fail\": { \"times\": 1 }"), rule("b")), (rule("a"), rule("b", on: "[\"open\", \"read\"]")),
    (rule("a", "\"path\": \"*.pdf\""), rule("b", "\"path\": \"*.txt\"")),
    (rule("a", "\"path\": \"*.pdf\""), rule("b")),
  ])
  func `are reached behind one that strikes sometimes`(_ first: String, _ second: String) throws {
    #expect(try remarks(rules(first, second)) == [])
  }

  @Test(arguments: [
    (
      "\"fail\": { \"times\": 1, \"count\": \"total\" }",
      "rules[0].fail.count: note: counting all items together"
    ),
    ("\"window\": { \"from\": \"1s\" }", "rules[0].window: note: a time window"),
    ("\"untilEvent\": \"evicted\"", "rules[0].untilEvent: note: what an event ends"),
  ])
  func `say what is repeatable only by one client`(_ members: String, _ expected: String) throws {
    let said = try remarks(rules(rule("a", members)))
    #expect(said.count == 1)
    #expect(said.first?.contains("\(expected) is repeatable only with one client and a manual clock") == true)
  }

  @Test func `may be ten thousand, and no more`() throws {
    func json(_ count: Int) -> String {
      profile(
        "\"rules\": [\((0..<count).map { rule("r\($0)", "\"path\": \"\($0)*\"") }.joined(separator: ",\n"))]")
    }
    let read = try ProfileReader.read(Array(json(10_000).utf8), file: "p")
    #expect(read.rules.count == 10_000)
    #expect(try ProfileReader.read(Array(ProfileWriter.json(read).utf8), file: "p") == read)
    #expect(problems(json(10_001)) == ["p:2:10: rules: has 10001 elements; at most 10000 fit"])
  }
}

@Suite struct `The timed events of a profile` {
  @Test func `are repeatable only by one client`() throws {
    #expect(
      try remarks(profile(#""events": [ { "at": "1s", "do": { "evict": true } } ]"#)) == [
        "p:2:21: events[0].at: note: a timed event is repeatable only with one client and a manual clock"
      ])
  }

  @Test(arguments: [
    (#""do": { "replace": { "by": "rename" } }"#, #"names no item, and "replace" is of one file"#),
    (
      #""path": ".", "do": { "replace": { "by": "rename" } }"#,
      #"names no item, and "replace" is of one file"#
    ),
    (#""path": "a", "do": { "provider": "offline" }"#, #"does not fit "provider", which is of all items"#),
    (#""path": "a/../b", "do": { "evict": true }"#, "has a name that is none"),
    (#""path": "/a", "do": { "evict": true }"#, #"begins with "/""#),
  ])
  func `are of what there is`(_ members: String, _ expected: String) {
    let said = problems(profile("\"events\": [ { \"at\": \"1s\", \(members) } ]"))
    #expect(said.count == 1)
    #expect(said.first?.contains("events[0].path: ") == true)
    #expect(said.first?.contains(expected) == true)
  }
}

@Suite struct `A profile of absurd size` {
  @Test func `is refused without being read to its end`() throws {
    try withFolder([("large.json", "{")]) { (folder) throws in
      let path = "\(folder)/large.json"
      // A hundred megabytes that take no room on the disk.
      #expect(truncate(path, 100_000_000) == 0)
      do throws(ProfileLoadError) {
        _ = try ProfileLibrary.load(nameOrPath: path)
        Issue.record("it was read")
      } catch {
        #expect("\(error)" == "\(path):1:1: the file is larger than 4194304 bytes")
      }
    }
  }

  @Test func `of nothing but mistakes is told a hundred of them`() {
    let elements = Array(repeating: "7", count: 9_999).joined(separator: ",")
    let said = problems(profile("\"rules\": [\(elements)], \"events\": [\(elements)]"))
    #expect(said.count == 101)
    #expect(said.last == "… and 19898 more")
  }

  @Test func `has a hundred remarks, and the others are counted`() throws {
    let events = Array(repeating: #"{ "at": "1s", "do": { "revoke": true } }"#, count: 10_000)
    let said = try remarks(profile("\"events\": [\(events.joined(separator: ","))]"))
    #expect(said.count == 101)
    #expect(said.last == "… and 9900 more")
  }
}

@Suite struct `Stubs of a profile` {
  private func profile(_ items: String, _ more: String = "") -> String {
    """
    { "schemaVersion": 1, "name": "n", \(more)
    "items": { \(items) } }
    """
  }

  @Test func `belong to a legacy provider, or to one that is made up`() throws {
    let stubs = "\"placeholders\": \"icloud\""
    let reported = "\"basis\": { \"standing\": \"reported\", \"sources\": [\"a\"] },"
    let said = "only a legacy provider has stubs in place of its files; say \"kind\": \"legacy\", or "
    #expect(
      problems(profile(stubs, reported)) == [
        "p:2:28: items.placeholders: \(said)\"basis\": { \"standing\": \"synthetic\" }"
      ])
    #expect(
      try remarks(profile(stubs)) == [
        "p:2:28: items.placeholders: warning: \(said)say that its basis is synthetic"
      ])
    #expect(try remarks(profile(stubs, reported + "\"kind\": \"legacy\",")) == [])
    #expect(try remarks(profile(stubs, "\"basis\": { \"standing\": \"synthetic\" },")) == [])
  }

  @Test func `keep names byte for byte`() throws {
    let naming = "\"kind\": \"legacy\", \"naming\": { \"case\": \"insensitive\" },"
    #expect(
      problems(profile("\"placeholders\": \"icloud\"", naming)).first?.contains(
        "items.placeholders: stubs' names are kept byte for byte") == true)
  }

  @Test func `have a suffix that a name can have, where they have one`() throws {
    let said = problems(profile("\"placeholders\": \"suffix\", \"placeholderSuffix\": \".a/b\""))
    #expect(
      said.count == 1 && said[0].hasSuffix("has a slash or a NUL, which no name can have; say \".nextcloud\"")
    )
    #expect(
      try remarks(profile("\"placeholderSuffix\": \".b\"")).first?.contains("no name ends in it; say") == true
    )
  }
}
