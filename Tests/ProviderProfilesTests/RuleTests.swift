import ProviderModel
import Testing

@testable import ProviderProfiles

// Rules and timed events in a profile's file, and a rule alone.

private func rule(_ json: String) throws -> Rule {
  try ProfileReader.readRule(Array(json.utf8), file: "rule")
}

private func wrong(_ json: String) -> [String] {
  do throws(ProfileProblems) {
    _ = try ProfileReader.readRule(Array(json.utf8), file: "r")
    return []
  } catch {
    return error.description.split(separator: "\n").map(String.init)
  }
}

@Suite struct `Reading a rule` {
  @Test func `takes every key`() throws {
    var expected = Rule(
      name: "n", operations: [.read, .download],
      effect: RuleEffect(
        delay: .uniform(minimum: .seconds(1), maximum: .seconds(2)),
        changes: [
          .evict, .revoke, .conflict,
          .provider(.signedOut, duration: .seconds(5)),
        ],
        disturbance: .fail(.provider(.serverUnreachable))))
    expected.basis = Basis(standing: .reported, sources: ["https://example.com"])
    expected.path = Glob("**/*.pdf")
    expected.copy = [.dataless, .downloading]
    expected.app = AppID("com.example.app")
    expected.coordinated = false
    expected.bytes = Rule.Span(from: .millionths(400_000), to: .bytes(65_536))
    expected.occurrence.after = 1
    expected.occurrence.times = 2
    expected.occurrence.count = .total
    expected.probability = 300_000
    expected.window = Rule.Window(from: .seconds(10), until: .seconds(20))
    expected.untilEvent = .downloadFinished
    let json = """
      { "name": "n", "basis": { "standing": "reported", "sources": ["https://example.com"] },
        "on": ["download", "read"], "path": "**/*.pdf", "copy": ["downloading", "dataless"], "app": "com.example.app",
        "coordinated": false, "bytes": { "to": "64KiB", "from": "40%" },
        "fail": { "after": 1, "times": 2, "count": "total" }, "probability": "30%",
        "window": { "from": "10s", "until": "20s" }, "untilEvent": "downloadFinished",
        "effect": { "delay": { "min": "1s", "max": "2s" }, "error": "serverUnreachable", "evict": true,
          "revoke": true, "conflict": true,
          "provider": { "is": "signed-out", "for": "5s" } } }
      """
    #expect(try rule(json) == expected)
    #expect(try rule(ProfileWriter.json(expected)) == expected)
  }

  @Test(
    arguments: [
      (#""error": "EDEADLK""#, .fail(.errno(.EDEADLK))),
      (#""error": "xpcConnectionInterrupted""#, .fail(.cocoa(.xpcConnectionInterrupted))),
      (#""hold": "h""#, .hold("h")), (#""stall": true"#, .stall),
      (#""short": "40%""#, .content(.short(.millionths(400_000)))),
      (#""zeroed": "4KiB""#, .content(.zeroed(.bytes(4_096)))),
      (#""altered": "0""#, .content(.altered(.bytes(0)))),
      (#""size": "zero""#, .size(.zero)), (#""size": "late""#, .size(.late)),
      (#""size": { "larger": "100" }"#, .size(.larger(by: .bytes(100)))),
      (#""size": { "smaller": "12.5%" }"#, .size(.smaller(by: .millionths(125_000)))),
      (
        #""size": { "growing": { "every": "1s", "from": "10%", "step": "64KiB" } }"#,
        .size(.growing(from: .millionths(100_000), step: 65_536, every: .seconds(1)))
      ),
      (
        #""size": { "shrinking": { "to": "0", "step": "1MB", "every": "250ms" } }"#,
        .size(.shrinking(to: .bytes(0), step: 1_000_000, every: .milliseconds(250)))
      ),
    ] as [(String, Disturbance)])
  func `takes what befalls an operation`(_ effect: String, _ expected: Disturbance) throws {
    let operation = if case .size = expected { OperationName.getattr } else { OperationName.open }
    let read = try rule(#"{ "name": "n", "on": "\#(operation.rawValue)", "effect": { \#(effect) } }"#)
    #expect(read == Rule(name: "n", operations: [operation], effect: RuleEffect(disturbance: expected)))
    #expect(try rule(ProfileWriter.json(read)) == read)
  }

  @Test(
    arguments: [
      (#""evict": true"#, .evict), (#""update": true"#, .update), (#""conflict": true"#, .conflict),
      (#""replace": { "by": "rename" }"#, .replace(.rename, gap: .zero)),
      (#""replace": { "gap": "20ms", "by": "recreate" }"#, .replace(.recreate, gap: .milliseconds(20))),
      (#""provider": "offline""#, .provider(.offline, duration: nil)),
      (#""provider": { "is": "offline" }"#, .provider(.offline, duration: nil)),
    ] as [(String, RuleChange)])
  func `takes what happens to the world`(_ effect: String, _ expected: RuleChange) throws {
    let read = try rule(#"{ "name": "n", "on": "open", "effect": { \#(effect) } }"#)
    #expect(read.effect == RuleEffect(changes: [expected]))
    #expect(try rule(ProfileWriter.json(read)) == read)
  }

  @Test(arguments: [
    (#"5"#, "r:1:1: a rule is an object in braces, not a number"),
    (#"{ "on": "open", "effect": { "stall": true } }"#, "r:1:1: name: is missing; every rule has it"),
    (#"{ "name": "n", "effect": { "stall": true } }"#, "r:1:1: on: is missing; every rule has it"),
    (#"{ "name": "n", "on": "open" }"#, "r:1:1: effect: is missing; every rule has it"),
    (
      #"{ "name": "n", "on": "open", "effect": { "dealy": "1s" } }"#,
      #"r:1:42: effect.dealy: is not a key; nearest key "effect.delay""#
    ),
    (
      #"{ "name": "n", "on": "open", "stall": true, "effect": { "delay": "1s" } }"#,
      #"r:1:30: stall: is not a key; nearest key "effect.stall""#
    ),
    (
      #"{ "name": "n", "on": [], "effect": { "stall": true } }"#,
      "r:1:22: on: is empty; it has at least one word"
    ),
    (
      #"{ "name": "n", "on": ["open", "read", "open"], "effect": { "stall": true } }"#,
      #"r:1:39: on[2]: "open" stands here twice"#
    ),
    (
      #"{ "name": "n", "on": "open", "effect": { "stall": true, "error": "EIO", "size": "zero" } }"#,
      #"""
      r:1:57: effect.error: stands beside "stall"; one alone of error, hold, stall, short, zeroed, altered, size, stale fits
      r:1:73: effect.size: stands beside "stall"; one alone of error, hold, stall, short, zeroed, altered, size, stale fits
      """#
    ),
    (
      #"{ "name": "n", "on": "getattr", "effect": { "size": 0 } }"#,
      #"r:1:53: effect.size: must be "zero", "late" or an object, not a number"#
    ),
    (
      #"{ "name": "n", "on": "getattr", "effect": { "size": {} } }"#,
      "r:1:53: effect.size: is empty; it has one of larger, smaller, growing, shrinking"
    ),
    (
      #"{ "name": "n", "on": "getattr", "effect": { "size": { "larger": "1", "smaller": "1" } } }"#,
      #"r:1:70: effect.size.smaller: stands beside "larger"; one alone of larger, smaller, growing, shrinking fits"#
    ),
    (
      #"{ "name": "n", "on": "getattr", "effect": { "size": { "growing": { "from": "1" } } } }"#,
      """
      r:1:66: effect.size.growing.step: is missing; every "effect.size.growing" has it
      r:1:66: effect.size.growing.every: is missing; every "effect.size.growing" has it
      """
    ),
    (
      #"{ "name": "n", "on": "open", "effect": { "replace": { "gap": "1s" } } }"#,
      #"r:1:53: effect.replace.by: is missing; every "effect.replace" has it"#
    ),
    (
      #"{ "name": "n", "on": "open", "bytes": { "to": "1" }, "effect": { "stall": true } }"#,
      #"r:1:39: bytes.from: is missing; every "bytes" has it"#
    ),
    (
      #"{ "name": "n", "on": "open", "effect": { "stall": false } }"#,
      "r:1:51: effect.stall: must be true, not false; leave it out instead"
    ),
    (
      #"{ "name": "n", "on": "open", "effect": { "error": "EDEADLOCK" } }"#,
      "r:1:51: effect.error: must be one of the \(Fault.allNames.count) names in docs/profiles.md, not "
        + #""EDEADLOCK"; nearest value "EDEADLK""#
    ),
    (
      #"{ "name": "n", "on": "open", "coordinated": "yes", "effect": { "stall": true } }"#,
      "r:1:45: coordinated: must be true or false, not a text"
    ),
  ])
  func `names the place, the key and the mistake`(_ json: String, _ expected: String) {
    let found = wrong(json)
    let wanted = expected.split(separator: "\n")
    #expect(found.count == wanted.count)
    for (found, wanted) in zip(found, wanted) { #expect(found.contains(wanted), "\(found)") }
  }

  @Test func `is written on one line, without what it need not say`() throws {
    let plain = Rule(name: "n", operations: [.read], effect: RuleEffect(disturbance: .stall))
    #expect(ProfileWriter.json(plain) == #"{ "name": "n", "on": "read", "effect": { "stall": true } }"#)
  }
}

@Suite struct `Rules and events of a profile` {
  @Test func `keep their order`() throws {
    let json = """
      { "schemaVersion": 1, "name": "p",
        "rules": [ { "name": "b", "on": "open", "effect": { "stall": true } },
          { "name": "a", "on": "read", "effect": { "delay": "1s" } } ],
        "events": [ { "at": "30s", "path": "a/b.pdf", "do": { "evict": true } },
          { "at": "10s", "do": { "provider": "offline" } } ] }
      """
    let profile = try ProfileReader.read(Array(json.utf8), file: "p")
    #expect(profile.rules.map(\.name) == ["b", "a"])
    #expect(
      profile.events == [
        TimedEvent(at: .seconds(30), path: ItemPath("a/b.pdf"), change: .evict),
        TimedEvent(at: .seconds(10), change: .provider(.offline, duration: nil)),
      ])
    #expect(try ProfileReader.read(Array(ProfileWriter.json(profile).utf8), file: "p") == profile)
  }

  @Test func `are told apart by their place in the array`() {
    let json = """
      { "schemaVersion": 1, "name": "p", "rules": [
        { "name": "a", "on": "open", "effect": { "stall": true } },
        { "name": "b", "on": "opne", "effect": { "stall": true } },
        7 ],
        "events": [ { "at": "1s", "do": { "evict": true, "revoke": true } } ] }
      """
    do throws(ProfileProblems) {
      _ = try ProfileReader.read(Array(json.utf8), file: "p")
      Issue.record("it was read")
    } catch {
      let starts = error.problems.map { "\($0.position) \($0.keyPath)" }
      #expect(starts == ["3:24 rules[1].on", "4:3 rules[2]", "5:52 events[0].do.revoke"])
    }
  }
}
