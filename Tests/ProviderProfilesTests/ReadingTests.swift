import ProviderModel
import Testing

@testable import ProviderProfiles

// Profile files with one mistake each, and with many.

private func lines(_ json: String) -> [String] { lines(Array(json.utf8)) }

private func lines(_ bytes: [UInt8]) -> [String] {
  do throws(ProfileProblems) {
    _ = try ProfileReader.read(bytes, file: "p.json")
    return []
  } catch {
    return error.description.split(separator: "\n").map(String.init)
  }
}

/// A complete profile with `member` on its second line, at column 1.
private func with(_ member: String) -> String {
  "{ \"schemaVersion\": 1, \"name\": \"n\",\n\(member) }"
}

@Suite struct `Reading a profile` {
  @Test func `gives the defaults for what the file does not say`() throws {
    #expect(try ProfileReader.read(Array(with("\"seed\": 1").utf8), file: "p") == Profile(name: "n"))
  }

  @Test func `sets every key`() throws {
    let json = """
      { "$schema": "./schema.json", "schemaVersion": 1, "name": "all", "summary": "é \\" x",
        "basis": { "standing": "reported", "sources": ["https://example.com/a"] },
        "kind": "legacy", "seed": 18446744073709551615, "io": "observed",
        "access": { "mode": "simulator", "scopeLimit": 3, "inheritScopes": "children" },
        "items": { "initial": "local", "local": ["Recent/**", "*.pdf"] },
        "download": { "latency": { "median": "800ms", "p99": "6s" }, "bandwidth": "1.5MiB/s",
          "concurrency": 128 },
        "latency": { "open": "10us", "list": { "min": "0", "max": "24h" } } }
      """
    var profile = Profile(name: "all")
    profile.summary = "é \" x"
    profile.basis = Basis(standing: .reported, sources: ["https://example.com/a"])
    profile.kind = .legacy
    profile.seed = .max
    profile.access.mode = .simulator
    profile.access.scopeLimit = 3
    profile.access.inheritScopes = .children
    profile.items.initial = .local
    profile.items.local = [try #require(Glob("Recent/**")), try #require(Glob("*.pdf"))]
    profile.download.latency = .logNormal(median: .milliseconds(800), p99: .seconds(6))
    profile.download.bandwidth = 1_572_864
    profile.download.concurrency = 128
    profile.latency.open = .fixed(Span(nanoseconds: 10_000))
    profile.latency.list = .uniform(minimum: .zero, maximum: .seconds(86_400))
    #expect(try ProfileReader.read(Array(json.utf8), file: "p") == profile)
  }

  @Test(arguments: [
    // Keys that are not.
    (#""downlod": {}"#, #"1: downlod: is not a key; nearest key "download""#),
    (
      #""download": { "latensy": "1s" }"#,
      #"15: download.latensy: is not a key; nearest key "download.latency""#
    ),
    (#""concurrency": 2"#, #"1: concurrency: is not a key; nearest key "download.concurrency""#),
    (
      #""items": { "bandwidth": 1 }"#, #"12: items.bandwidth: is not a key; nearest key "download.bandwidth""#
    ),
    (#""see\u001bd": 2"#, #"1: see\u{1b}d: is not a key; nearest key "seed""#),
    (
      #""download.latency": "1s""#,
      #"1: download.latency: is not a key with dots; write it inside "download": {}"#
    ),
    // Types.
    (#""access": 5"#, "11: access: must be an object, not a number"),
    (#""access": null"#, "11: access: must be an object, not null"),
    (#""summary": 5"#, "12: summary: must be a text, not a number"),
    (#""kind": true"#, #"9: kind: must be one of "replicated", "legacy", "volume", not true or false"#),
    (#""seed": "1""#, "9: seed: must be a whole number from 0 to 18446744073709551615, not a text"),
    (#""items": { "local": "a" }"#, "21: items.local: must be an array in brackets, not a text"),
    (#""items": { "local": ["a", 1] }"#, "27: items.local[1]: must be a text, not a number"),
    (
      #""latency": { "open": 800 }"#,
      #"22: latency.open: must be a duration such as "800ms", {min, max} or {median, p99}, not a number"#
    ),
    (
      #""latency": { "open": { "min": 1, "max": "2s" } }"#,
      #"31: latency.open.min: must be a duration such as "800ms" (ns, us, ms, s, m or h), not a number"#
    ),
    (
      #""download": { "bandwidth": 2000 }"#,
      #"28: download.bandwidth: must be a rate such as "2MB/s", "500kB/s" or "1MiB/s", or "unlimited", "#
        + "not a number"
    ),
    // Words.
    (
      #""access": { "mode": "devcie" }"#,
      #"21: access.mode: must be one of "device", "simulator", not "devcie"; nearest value "device""#
    ),
    (
      #""basis": { "standing": "rumored" }"#,
      #"24: basis.standing: must be one of "documented", "reported", "synthetic", not "rumored"; "#
        + #"nearest value "reported""#
    ),
    (#""io": "fast""#, #"7: io: must be "observed", not "fast"; nearest value "observed""#),
    // Texts.
    (#""summary": "a\nb""#, "12: summary: must be one line, without control characters"),
    (#""basis": { "sources": [""] }"#, "24: basis.sources[0]: must not be empty"),
    // Patterns.
    (
      #""items": { "local": ["a", "/a"] }"#,
      #"27: items.local[1]: "/a" begins with "/"; patterns start at the provider's root without one"#
    ),
    (
      #""journal": { "ignore": ["a", "d/b"] }"#,
      #"30: journal.ignore[1]: "d/b" has a "/"; it is matched against names, whatever folder they are in"#
    ),
    (#""items": { "local": ["[a"] }"#, #"22: items.local[0]: "[a" has a "[" without its "]""#),
    (#""items": { "local": [""] }"#, "22: items.local[0]: must not be empty"),
    // Latencies.
    (
      #""latency": { "list": "fast" }"#,
      #"22: latency.list: must be a duration such as "800ms" (ns, us, ms, s, m or h), not "fast""#
    ),
    (#""latency": { "list": "25h" }"#, "22: latency.list: must be at most 24h, not 25h"),
    (
      #""latency": { "list": { "min": "3s", "max": "2s" } }"#,
      "44: latency.list: max 2s is less than min 3s"
    ),
    (
      #""latency": { "list": { "p99": "2s", "median": "3000ms" } }"#,
      "31: latency.list: p99 2s is less than median 3s"
    ),
    (
      #""latency": { "list": { "median": "0", "p99": "1s" } }"#,
      #"34: latency.list: median must be more than 0; for no delay write "0" alone"#
    ),
    (
      #""latency": { "list": { "min": "1s" } }"#,
      "22: latency.list: has min and max, or median and p99, and here min"
    ),
    (
      #""latency": { "list": { "min": "1s", "p99": "2s" } }"#,
      "22: latency.list: has min and max, or median and p99, and here min, p99"
    ),
    (#""latency": { "list": {} }"#, "22: latency.list: has min and max, or median and p99, and here nothing"),
    (
      #""latency": { "list": { "min": "1s", "mx": "2s" } }"#,
      #"37: latency.list.mx: is not a key; nearest key "latency.list.max""#
    ),
  ])
  func `names the place, the key and the mistake`(_ member: String, _ expected: String) {
    #expect(lines(with(member)) == ["p.json:2:\(expected)"])
  }

  @Test func `asks for what every profile has`() {
    #expect(
      lines(" {}") == [
        "p.json:1:2: schemaVersion: is missing; every profile has it",
        "p.json:1:2: name: is missing; every profile has it",
      ])
    #expect(
      lines("{ \"schemaVersion\": 2, \"name\": \"\" }") == [
        "p.json:1:20: schemaVersion: must be 1, not 2", "p.json:1:31: name: must not be empty",
      ])
  }

  @Test func `tells everything at once, in the order of the file`() {
    let json = """
      {
        "schemaVersion": "1",
        "sead": 4,
        "access": { "mode": "phone", "scopeLimit": 0 },
        "items": { "local": ["ok", "/x", 3, "[z"] },
        "download": { "latency": { "min": "x", "max": 2 }, "bandwidth": "quick" }
      }
      """
    #expect(
      lines(json).map { String($0.prefix { $0 != " " }) } == [
        "p.json:1:1:", "p.json:2:20:", "p.json:3:3:", "p.json:4:23:", "p.json:4:46:", "p.json:5:30:",
        "p.json:5:36:", "p.json:5:39:", "p.json:6:37:", "p.json:6:49:", "p.json:6:67:",
      ])
  }

  @Test func `keeps a hundred problems and counts the others`() {
    let members = (0..<250).map { "\"k\($0)\": 1" }.joined(separator: ",\n")
    let lines = lines(with(members))
    #expect(lines.count == 101)
    #expect(lines.last == "… and 150 more")
  }

  @Test func `reads through a file of nothing but mistakes`() {
    let members = (0..<150_000).map { "\"key number \($0)\":1" }.joined(separator: ",")
    #expect(lines(with(members)).last == "… and 149900 more")
  }

  @Test func `stops at the first thing that is not JSON`() {
    #expect(lines("{ \"name\": 3, }") == ["p.json:1:14: a key in double quotes was expected, not \"}\""])
    #expect(lines("[]") == ["p.json:1:1: a profile is an object in braces, not an array"])
    #expect(lines([0x7B, 0xFF]) == ["p.json:1:2: this is not UTF-8"])
    #expect(
      lines(with("\"seed\": 1, \"seed\": 2")) == [
        "p.json:2:12: the key \"seed\" stands here again; it was at 2:1"
      ])
  }

  @Test func `keeps each message on one line`() {
    let problem = ProfileProblem(
      file: "a\nb", position: .start, keyPath: "x\u{2028}\u{202E}y", message: "is not a key")
    #expect(problem.description == "a\\u{a}b:1:1: x\\u{2028}\\u{202e}y: is not a key")
  }
}

@Suite struct `A limit of a profile` {
  @Test(arguments: [
    ("seed", "0", "-1"), ("seed", "18446744073709551615", "18446744073709551616"),
    ("seed", "7", "7.0"), ("seed", "7", "7e0"),
    ("access.scopeLimit", "1", "0"), ("access.scopeLimit", "1000000", "1000001"),
    ("download.concurrency", "1", "0"), ("download.concurrency", "128", "129"),
    ("download.bandwidth", "\"1B/s\"", "\"0B/s\""), ("download.bandwidth", "\"100GB/s\"", "\"101GB/s\""),
    ("download.bandwidth", "\"unlimited\"", "\"Unlimited\""),
    ("download.bandwidth", "\"2MB/s\"", "\"2MB\""), ("download.bandwidth", "\"1GiB/s\"", "\"-1GiB/s\""),
    ("download.latency", "\"24h\"", "\"86400001ms\""), ("download.latency", "\"0\"", "\"1\""),
    ("download.latency", "\"1.5s\"", "\"1.5.0s\""), ("download.latency", "\"10ns\"", "\"+10ns\""),
    ("latency.open", #"{ "min": "1s", "max": "1s" }"#, #"{ "min": "1s", "max": "999ms" }"#),
    ("latency.open", #"{ "median": "1s", "p99": "1s" }"#, #"{ "median": "1s", "p99": "999ms" }"#),
    ("latency.open", #"{ "median": "1s", "p99": "24h" }"#, #"{ "median": "1s", "p99": "25h" }"#),
  ])
  func `lets a value on it pass and none beyond it`(_ path: String, _ good: String, _ bad: String) {
    func json(_ value: String) -> String {
      let (group, name) = DottedPath.parted(path)
      let member = "\"\(name)\": \(value)"
      return with(group.isEmpty ? member : "\"\(group)\": { \(member) }")
    }
    #expect(lines(json(good)) == [])
    let problems = lines(json(bad))
    #expect(problems.count == 1)
    let problem = problems.first ?? ""
    #expect(problem.contains(": \(path)"))
    #expect(problem.contains(": must be") || problem.contains(" is less than "))
  }

  @Test(arguments: [("name", 100), ("summary", 1_000)])
  func `counts the bytes of a text`(_ key: String, _ limit: Int) {
    func json(_ count: Int) -> String {
      let text = String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
      return key == "name"
        ? "{ \"schemaVersion\": 1,\n\"name\": \"\(text)\" }" : with("\"\(key)\": \"\(text)\"")
    }
    #expect(lines(json(limit)) == [])
    let place = "p.json:2:\(key.utf8.count + 5): \(key)"
    #expect(lines(json(limit + 1)) == ["\(place): has \(limit + 1) bytes; at most \(limit) fit"])
  }

  @Test func `counts patterns`() {
    func json(_ count: Int) -> String {
      with("\"items\": { \"local\": [\(Array(repeating: "\"a\"", count: count).joined(separator: ","))] }")
    }
    #expect(lines(json(1_000)) == [])
    #expect(lines(json(1_001)) == ["p.json:2:21: items.local: has 1001 elements; at most 1000 fit"])
  }
}
