import ProviderModel
import Testing

@testable import ProviderProfiles

// Profiles that extend others.

private func file(_ name: String, extends: String? = nil, _ members: String...) -> (
  name: String, text: String
) {
  let first =
    ["\"schemaVersion\": 1", "\"name\": \"\(name)\""] + (extends.map { ["\"extends\": \"\($0)\""] } ?? [])
  return ("\(name).json", "{\n\((first + members).joined(separator: ",\n"))\n}")
}

/// What is wrong with a profile, a line each, without the folder.
private func failures(_ name: String, in folder: String) -> [String] {
  do throws(ProfileLoadError) {
    _ = try ProfileLibrary.load(nameOrPath: "\(folder)/\(name)", in: folder)
    return []
  } catch {
    return "\(error)".split(separator: "\n").map { line in
      String(line.replacing("\(folder)/", with: ""))
    }
  }
}

@Suite struct `A profile that extends another` {
  @Test func `takes over what it does not say`() throws {
    try withFolder([
      file(
        "base", #""summary": "of the base""#, #""basis": { "standing": "reported", "sources": ["x"] }"#,
        #""kind": "legacy", "seed": 7"#,
        #""download": { "latency": { "min": "1s", "max": "2s" }, "bandwidth": "1MB/s", "concurrency": 2 }"#,
        #""items": { "local": ["a", "b"] }"#,
        #""rules": [ { "name": "r", "on": "open", "effect": { "stall": true } } ]"#),
      file(
        "own", extends: "./base.json",
        #""download": { "concurrency": 9, "latency": { "median": "3s", "p99": "4s" } }"#,
        #""items": { "local": ["c"] }"#),
    ]) { (folder) throws in
      let own = try ProfileLibrary.load(nameOrPath: "\(folder)/own.json")
      var expected = Profile(name: "own")
      expected.kind = .legacy
      expected.seed = 7
      expected.download.latency = .logNormal(median: .seconds(3), p99: .seconds(4))
      expected.download.bandwidth = 1_000_000
      expected.download.concurrency = 9
      expected.items.local = [try #require(Glob("c"))]
      expected.rules = [Rule(name: "r", operations: [.open], effect: RuleEffect(disturbance: .stall))]
      #expect(own == expected)
      // By its name, and from what show --effective prints.
      #expect(try ProfileLibrary.load(nameOrPath: "own", in: folder) == own)
      #expect(try ProfileReader.read(Array(ProfileWriter.json(own).utf8), file: "p") == own)
    }
  }

  @Test func `takes over from a shipped one by its name`() throws {
    try withFolder([file("own", extends: "slow-cloud", #""seed": 3"#)]) { (folder) throws in
      let own = try ProfileLibrary.load(nameOrPath: "\(folder)/own.json")
      var expected = try ProfileLibrary.load(nameOrPath: "slow-cloud")
      expected.name = "own"
      expected.summary = ""
      expected.basis = Basis()
      expected.seed = 3
      #expect(own == expected)
    }
  }

  @Test func `may follow eight others and no more`() throws {
    let files = (0...9).map { file("p\($0)", extends: $0 == 9 ? nil : "p\($0 + 1).json", "\"seed\": \($0)") }
    try withFolder(files) { (folder) throws in
      #expect(try ProfileLibrary.load(nameOrPath: "\(folder)/p1.json").seed == 1)
      let chain = (0...8).map { "p\($0).json" }.joined(separator: " → ")
      #expect(
        failures("p0.json", in: folder) == [
          "p8.json:4:12: extends: at most 8 profiles may follow one another, and here \(chain) → p9.json"
        ])
    }
  }

  @Test func `does not go in a circle, whatever ways lead there`() throws {
    try withFolder([
      file("a", extends: "b"), file("b", extends: "./../\("x/../")c.json"), file("c", extends: "a.json"),
      file("self", extends: "./self.json"),
    ]) { (folder) throws in
      #expect(
        failures("self.json", in: folder) == [
          "self.json:4:12: extends: goes in a circle: self.json → self.json"
        ])
      let found = failures("a.json", in: folder)
      #expect(found.count == 1)
    }
    try withFolder([file("a", extends: "b"), file("b", extends: "c"), file("c", extends: "b.json")]) {
      folder in
      #expect(
        failures("a.json", in: folder) == [
          "c.json:4:12: extends: goes in a circle: b.json → c.json → b.json"
        ])
    }
  }

  @Test func `names the file of each mistake`() throws {
    try withFolder([
      file("base", #""seed": "x""#, #""download": { "concurrency": 0 }"#, #""rules": [ { "name": "r" } ]"#),
      file("own", extends: "base.json", #""sead": 1"#, #""download": { "concurrency": 4 }"#),
    ]) { (folder) throws in
      #expect(
        failures("own.json", in: folder).map { String($0.prefix { $0 != " " }) } == [
          "own.json:5:1:", "base.json:4:9:", "base.json:5:30:", "base.json:6:12:", "base.json:6:12:",
        ])
    }
  }

  @Test func `names the rule of the base that does not fit it`() throws {
    try withFolder([
      file(
        "base", #""kind": "volume""#,
        #""rules": [ { "name": "r", "basis": { "standing": "reported" }, "on": "read", "effect": { "error": "EIO" } } ]"#
      ),
      file("own", extends: "base", #""kind": "replicated""#),
    ]) { (folder) throws in
      #expect(failures("base.json", in: folder) == [])
      let found = failures("own.json", in: folder)
      #expect(found.count == 1)
      #expect(
        found.first?.hasPrefix("base.json:5:99: rules[0].effect.error: on a replicated provider") == true)
    }
  }

  @Test(arguments: [
    ("none.json", "own.json:4:12: extends: none.json: No such file or directory"),
    ("instnat", #"own.json:4:12: extends: no shipped profile is called "instnat"; nearest name "list""#),
    ("bad.json", "bad.json:1:2: a key in double quotes was expected, not \"b\""),
    ("list.json", "list.json:1:1: a profile is an object in braces, not an array"),
  ])
  func `says what is wrong with what it extends`(_ base: String, _ expected: String) throws {
    try withFolder([file("own", extends: base), ("bad.json", "{bad"), ("list.json", "[]")]) {
      (folder) throws in
      let found = failures("own.json", in: folder)
      #expect(found.count == 1)
      #expect(found.first?.hasPrefix(expected) == true, "\(found)")
    }
  }

  @Test func `needs a file to be followed from`() {
    #expect(
      problems(profile(#""extends": "instant""#)) == [
        "p:2:12: extends: can be followed only where the profile is read from a file"
      ])
  }
}
