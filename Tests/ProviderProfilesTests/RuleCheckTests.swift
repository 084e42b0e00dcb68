import ProviderModel
import Testing

@testable import ProviderProfiles

// Rules that are right key by key and make no sense.

/// What is wrong with a rule of these members, a line each; it is read and fails with EIO unless they say otherwise.
private func wrong(_ members: String, kind: ProviderKind? = nil) -> [String] {
  var json = "{ \"name\": \"n\", \(members)"
  if !members.contains("\"on\"") { json += ", \"on\": \"read\"" }
  if !members.contains("\"effect\"") { json += ", \"effect\": { \"error\": \"EIO\" }" }
  do throws(ProfileProblems) {
    _ = try ProfileReader.readRule(Array("\(json) }".utf8), file: "r", kind: kind)
    return []
  } catch {
    return error.problems.map { "\($0.keyPath): \($0.message)" }
  }
}

@Suite struct `A rule that makes no sense` {
  @Test(arguments: [
    (#""bytes": { "from": "60%", "to": "40%" }"#, #"bytes.to: 40% is not after "from", 60%"#),
    (#""bytes": { "from": "4KiB", "to": "4096" }"#, #"bytes.to: 4096 is not after "from", 4096"#),
    (
      #""bytes": { "from": "10", "to": "0%" }"#,
      "bytes.to: no byte comes before 0%, so the rule never strikes"
    ),
    (#""bytes": { "from": "100%" }"#, "bytes.from: no byte comes after 100%, so the rule never strikes"),
    (
      #""window": { "from": "20s", "until": "20000ms" }"#,
      #"window.until: 20s is not after "from", 20s"#
    ),
    (#""window": { "until": "0" }"#, "window.until: must be at least 1ns, not 0"),
    (#""probability": "0%""#, #"probability: must be from "0.0001%" to "100%", not "0%""#),
    (#""probability": "101%""#, #"probability: must be from "0.0001%" to "100%", not "101%""#),
    (#""probability": 0.5"#, #"probability: must be from "0.0001%" to "100%", not a number"#),
    (#""fail": { "times": 0 }"#, "fail.times: must be a whole number from 1 to 1000000000, not 0"),
    (#""app": """#, "app: must not be empty"),
    (
      #""on": "download", "copy": "local""#,
      "copy: a local file is not downloaded, so the rule never strikes"
    ),
    (#""effect": { "delay": "0" }"#, "effect.delay: is no delay; leave it out instead"),
    (
      #""effect": { "delay": { "min": "0", "max": "0" } }"#, "effect.delay: is no delay; leave it out instead"
    ),
    (#""effect": { "short": "100%" }"#, "effect.short: changes nothing there"),
    (
      #""on": "getattr", "effect": { "size": { "larger": "0" } }"#,
      "effect.size.larger: changes nothing there"
    ),
    (
      #""on": "getattr", "effect": { "size": { "shrinking": { "to": "100%", "step": "1", "every": "1s" } } }"#,
      "effect.size.shrinking.to: changes nothing there"
    ),
  ])
  func `is refused, and the reason told`(_ members: String, _ expected: String) {
    #expect(wrong(members) == [expected])
  }

  @Test(arguments: [
    (#""on": "download", "effect": { "short": "1" }"#, "effect.short", "download, which gets no content"),
    (#""on": "getattr", "effect": { "zeroed": "1" }"#, "effect.zeroed", "getattr, which gets no content"),
    (#""on": "readdir", "effect": { "altered": "1" }"#, "effect.altered", "readdir, which gets no content"),
    (#""on": "open", "effect": { "size": "zero" }"#, "effect.size", "open, which tells no size"),
    (#""on": "open", "bytes": { "from": "1" }"#, "bytes", "open, which has no range of bytes"),
    (
      #""on": "opendir", "effect": { "replace": { "by": "rename" } }"#, "effect.replace",
      "opendir, which is of no file"
    ),
    (#""on": "readlink", "effect": { "update": true }"#, "effect.update", "readlink, which is of no file"),
    (#""on": "readdir", "effect": { "conflict": true }"#, "effect.conflict", "readdir, which is of no file"),
    (
      #""on": "download", "effect": { "update": true }"#, "effect.update",
      "download, which would begin anew each time"
    ),
    (#""on": "open", "effect": { "stale": true }"#, "effect.stale", "open, which brings no content"),
    (#""on": "statfs", "path": "*""#, "path", "statfs, which is of the provider and of no item"),
    (
      #""on": "statfs", "effect": { "evict": true }"#, "effect.evict",
      "statfs, which is of the provider and of no item"
    ),
  ])
  func `has an effect that its operation cannot have`(_ members: String, _ path: String, _ reason: String) {
    #expect(wrong(members) == ["\(path): does not fit the operation \(reason)"])
  }

  @Test func `is told everything at once`() {
    let all = wrong(
      #""on": ["open", "download"], "bytes": { "from": "9", "to": "1" }, "probability": "30%","#
        + #""window": { "from": "2s", "until": "1s" }, "effect": { "short": "100%" }"#)
    #expect(
      all == [
        "bytes: does not fit the operation open, which has no range of bytes",
        "bytes.to: 1 is not after \"from\", 9", "window.until: 1s is not after \"from\", 2s",
        "effect.short: does not fit the operation download, which gets no content",
        "effect.short: changes nothing there",
      ])
  }

  @Test(arguments: [
    #""probability": "0.0001%""#, #""bytes": { "from": "40%", "to": "4096" }"#, #""fail": { "times": 1 }"#,
    #""on": "readdir", "bytes": { "from": "3" }"#, #""window": { "from": "1s", "until": "1001ms" }"#,
    #""on": ["lookup", "getattr", "readdir"], "effect": { "size": "late" }"#,
  ])
  func `is another than one on the limit`(_ members: String) { #expect(wrong(members) == []) }
}

@Suite struct `A rule on a kind of provider` {
  private static let claimed = #""basis": { "standing": "reported" }, "#

  @Test(arguments: [
    (#""effect": { "error": "EIO" }"#, "effect.error"), (#""effect": { "stall": true }"#, "effect.stall"),
    (#""copy": "local", "effect": { "zeroed": "1" }"#, "effect.zeroed"),
    (#""copy": ["dataless", "stale"], "effect": { "altered": "1" }"#, "effect.altered"),
  ])
  func `cannot fail reads of what is a plain file`(_ members: String, _ path: String) {
    let problems = wrong(Self.claimed + members, kind: .replicated)
    #expect(problems.count == 1)
    #expect(
      problems.first?.hasPrefix("\(path): on a replicated provider what is local is a plain file") == true)
    #expect(wrong(Self.claimed + members, kind: .legacy) == [])
    #expect(wrong(#""basis": { "standing": "synthetic" }, "# + members, kind: .replicated) == [])
    #expect(wrong(members, kind: .replicated) == [])
  }

  @Test(arguments: [
    #""copy": ["dataless", "downloading"], "effect": { "error": "EIO" }"#,
    #""effect": { "hold": "h" }"#, #""on": "open", "effect": { "short": "40%" }"#,
    #""on": "download", "effect": { "stall": true }"#,
  ])
  func `can do all else on a replicated one`(_ members: String) {
    #expect(wrong(Self.claimed + members, kind: .replicated) == [])
  }

  @Test(arguments: [
    (#""on": "download""#, "on"), (#""copy": ["local", "stale"]"#, "copy"),
    (#""on": "open", "effect": { "evict": true }"#, "effect.evict"),
    (#""effect": { "error": "serverUnreachable" }"#, "effect.error"),
    (#""on": "download", "effect": { "stale": true }"#, "on"),
  ])
  func `cannot be of downloads on a volume`(_ members: String, _ path: String) {
    let problems = wrong(Self.claimed + members, kind: .volume)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("\(path): a volume has ") == true)
    #expect(wrong(Self.claimed + #""effect": { "error": "EIO" }"#, kind: .volume) == [])
  }

  @Test func `is taken with a warning when it claims nothing`() throws {
    let rules = #""rules": [ { "name": "r", "on": "read", "effect": { "error": "EIO" } } ]"#
    let said = try remarks(profile(rules))
    #expect(said.count == 1)
    #expect(
      said.first?.hasPrefix("p:2:62: rules[0].effect.error: warning: on a replicated provider") == true,
      "\(said)")
    #expect(try remarks(profile(#""kind": "legacy""#, rules)) == [])
    // What a misspelled kind would allow, nobody knows.
    #expect(problems(profile(#""kind": "legcy""#, rules)).count == 1)
  }
}
