import Foundation
import ProviderModel
import Testing

@testable import ProviderProfiles

// The schema against its file, the reader, and a validator that is not ours.

@Suite struct `The schema of profiles` {
  /// What another implementation says of each document: whether the schema accepts it.
  private func verdicts(of documents: [String]) throws -> [Bool] {
    let script = """
      import json, sys
      try:
          from jsonschema import Draft202012Validator
      except ImportError:
          sys.exit("python3-jsonschema is missing: make deps")
      given = json.load(sys.stdin)
      schema = json.loads(given["schema"])
      Draft202012Validator.check_schema(schema)
      validator = Draft202012Validator(schema)
      print(json.dumps([validator.is_valid(json.loads(text)) for text in given["documents"]]))
      """
    let given = try JSONSerialization.data(
      withJSONObject: ["schema": ProfileSchema.text, "documents": documents])
    var verdicts: [Bool] = []
    try withFolder([("given.json", String(decoding: given, as: UTF8.self))]) { (folder) throws in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", "-c", script]
      process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: "\(folder)/given.json"))
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let said = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
      verdicts = try JSONDecoder().decode([Bool].self, from: said)
    }
    return verdicts
  }

  @Test func `is the file that ships`() throws {
    let file = try String(contentsOfFile: "\(repository)/provider-profiles/schema.json", encoding: .utf8)
    #expect(file == ProfileSchema.text, "make profiles writes it anew")
  }

  @Test func `is named by every shipped profile`() throws {
    for name in try ProfileLibrary.names() {
      let text = String(decoding: try ProfileLibrary.bytes(nameOrPath: name), as: UTF8.self)
      #expect(text.contains(#""$schema": "./schema.json""#), "\(name)")
    }
  }

  @Test func `accepts what the reader accepts`() throws {
    var documents: [String] = []
    for name in try ProfileLibrary.names() {
      documents.append(String(decoding: try ProfileLibrary.bytes(nameOrPath: name), as: UTF8.self))
      documents.append(ProfileWriter.json(try ProfileLibrary.load(nameOrPath: name)))
    }
    let shipped = documents.count
    documents += (0..<100 as Range<UInt64>).map { ProfileWriter.json(ProfileSampler().profile(seed: $0)) }
    documents += Self.unusual.map { profile($0) }
    for (index, isValid) in try verdicts(of: documents).enumerated() {
      let document = documents[index]
      // Those that ship are read as files, since they may extend one another.
      if index >= shipped { #expect(problems(document) == []) }
      #expect(isValid, "the schema refuses \(document)")
    }
  }

  private static let unusual = [
    #""latency": { "open": "007.500000000ms", "list": { "p99": "2s", "median": "1.5s" } }"#,
    #""download": { "bandwidth": "1.5KiB/s" }, "seed": 18446744073709551615"#,
    #""rules": [ { "name": "r", "on": "read", "probability": "00.5%", "effect": { "short": "099.9999%" } } ]"#,
    #""rules": [ { "name": "r", "on": ["read"], "bytes": { "from": "0" }, "effect": { "zeroed": "0.5MiB" } } ]"#,
    #""events": [ { "at": "0", "do": { "provider": { "is": "offline" } } } ]"#,
  ]

  private static let bad = [
    #""sead": 1"#, #""seed": "1""#, #""seed": -1"#, #""seed": 1.5"#, #""kind": "cloud""#, #""name2": "x""#,
    #""access": { "mod": "device" }"#, #""access": []"#, #""access": { "scopeLimit": 1000001 }"#,
    #""items": { "local": "a" }"#, #""items": { "local": ["/a"] }"#, #""items": { "local": [""] }"#,
    #""latency": { "open": "1" }"#, #""latency": { "open": 1 }"#, #""latency": { "open": { "min": "1s" } }"#,
    #""latency": { "open": { "min": "1s", "p99": "2s" } }"#, #""download": { "bandwidth": "2MB" }"#,
    #""rules": {}"#, #""rules": [ 1 ]"#, #""rules": [ { "name": "r", "on": "open" } ]"#,
    #""rules": [ { "on": "open", "effect": { "stall": true } } ]"#,
    #""rules": [ { "name": "r", "on": "open", "effect": {} } ]"#,
    #""rules": [ { "name": "r", "on": [], "effect": { "stall": true } } ]"#,
    #""rules": [ { "name": "r", "on": ["open", "open"], "effect": { "stall": true } } ]"#,
    #""rules": [ { "name": "r", "on": "open", "effect": { "stall": false } } ]"#,
    #""rules": [ { "name": "r", "on": "open", "effect": { "stall": true, "hold": "h" } } ]"#,
    #""rules": [ { "name": "r", "on": "open", "effect": { "error": "EWHATEVER" } } ]"#,
    #""rules": [ { "name": "r", "on": "open", "probability": "0%", "effect": { "stall": true } } ]"#,
    #""rules": [ { "name": "r", "on": "open", "probability": "100.1%", "effect": { "stall": true } } ]"#,
    #""rules": [ { "name": "r", "on": "open", "fail": { "times": 0 }, "effect": { "stall": true } } ]"#,
    #""rules": [ { "name": "r", "on": "read", "bytes": { "to": "1" }, "effect": { "stall": true } } ]"#,
    #""rules": [ { "name": "r", "on": "getattr", "effect": { "size": "large" } } ]"#,
    #""rules": [ { "name": "r", "on": "getattr", "effect": { "size": { "larger": "1", "smaller": "1" } } } ]"#,
    #""events": [ { "at": "1s", "do": {} } ]"#, #""events": [ { "do": { "evict": true } } ]"#,
    #""events": [ { "at": "1s", "do": { "evict": true, "revoke": true } } ]"#,
    #""events": [ { "at": "1s", "do": { "provider": { "is": "offline", "for": "0s" } } } ]"#,
  ]

  @Test func `refuses what the reader refuses for its keys and types`() throws {
    let documents = Self.bad.map { profile($0) }
    for (document, isValid) in zip(documents, try verdicts(of: documents)) {
      #expect(problems(document) != [])
      #expect(!isValid, "the schema accepts \(document)")
    }
  }
}

@Suite struct `The page of profiles` {
  private static func page() throws -> String {
    try String(contentsOfFile: "\(repository)/docs/profiles.md", encoding: .utf8)
  }

  @Test func `has the reference that the table of keys makes`() throws {
    let parts = try Self.page().split(separator: "table of keys. -->\n\n", maxSplits: 1)
    #expect(parts.last.map(String.init) == ProfileReference.text, "make profiles writes it anew")
  }

  @Test func `has examples that are right`() throws {
    var count = 0
    for part in try Self.page().components(separatedBy: "```json\n").dropFirst() {
      let example = part.components(separatedBy: "```")[0]
      count += 1
      if example.contains("schemaVersion") {
        try withFolder([("example.json", example)]) { (folder) throws in
          _ = try ProfileLibrary.load(nameOrPath: "\(folder)/example.json")
        }
      } else {
        _ = try ProfileReader.readRule(Array(example.utf8), file: "example \(count)", kind: .replicated)
      }
    }
    #expect(count > 5)
  }
}
