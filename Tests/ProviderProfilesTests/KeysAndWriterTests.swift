import ProviderModel
import Testing

@testable import ProviderProfiles

// The table of keys, and what is written from it.

@Suite struct `The table of keys` {
  @Test func `has every key once, in a group that it names`() {
    for outline in [ProfileKeys.table.outline, RuleKeys.table.outline, EventKeys.table.outline] {
      let paths = outline.keys.map(\.path)
      #expect(Set(paths).count == paths.count)
      // Some groups have only groups in them.
      let groups = Set(paths.map { DottedPath.parted($0).group }).subtracting([""])
      #expect(groups.isSubset(of: outline.groups.map(\.path)))
      for group in outline.groups {
        #expect(!outline.members(of: group.path).isEmpty)
        #expect(group.alternatives.allSatisfy(outline.members(of: group.path).contains))
        #expect(group.summary.hasSuffix("."))
      }
      for key in outline.keys { #expect(key.summary.hasSuffix(".")) }
    }
  }

  @Test func `has a value for every key of a profile but the two addresses`() {
    for key in ProfileKeys.all {
      // The two addresses are not kept; what stands in an object of its own is there with it.
      let isAside = ["$schema", "extends"].contains(key.path) || key.path.hasPrefix("download.slowStart.")
      #expect((key.get(Profile(name: "n")) == nil) == isAside)
      #expect((ProfileKeys.defaultValue(of: key) == nil) == (key.isRequired || isAside))
    }
  }

  @Test func `refuses a value of another type, and takes back its own`() {
    let samples: [ProfileValue] = [
      .text("x"), .word("x"), .words(["x"]), .flag(true), .wholeNumber(1), .span(.seconds(1)),
      .latency(.fixed(.seconds(1))), .bandwidth(1), .rate(1), .mapping([:]), .patience(nil), .byteCount(1),
      .room(nil),
      .point(.bytes(1)), .share(1), .texts([]),
      .globs([]), .objects([]),
    ]
    for key in ProfileKeys.all where !["$schema", "extends", "schemaVersion"].contains(key.path) {
      var profile = Profile(name: "n")
      #expect(key.get(profile).map { key.set($0, &profile) } ?? key.isRequired)
      #expect(profile == Profile(name: "n"))
      let taken = samples.filter { key.set($0, &profile) }
      // "x" is no word of any key.
      if case .word = key.type { #expect(taken.isEmpty) } else { #expect(taken.count == 1) }
    }
  }

  @Test func `has no default that a file could not say`() throws {
    for key in ProfileKeys.table.outline.keys + RuleKeys.table.outline.keys + EventKeys.table.outline.keys {
      guard let value = key.defaultValue else { continue }
      var problems = ProblemList(file: "p")
      let json = try PositionedJSON.parse(Array(ProfileWriter.json(value).utf8))
      #expect(ValueReading.read(json, as: key.type, at: key.path, &problems) == value)
    }
  }
}

@Suite struct `Writing a profile` {
  @Test func `shows every key with the value in effect`() {
    let expected = """
      {
        "schemaVersion": 1,
        "name": "n",
        "summary": "",
        "basis": {
          "standing": "synthetic",
          "sources": []
        },
        "kind": "replicated",
        "seed": 1,
        "io": "observed",
        "access": {
          "mode": "device",
          "scopeLimit": 2000,
          "inheritScopes": "none"
        },
        "items": {
          "initial": "dataless",
          "local": [],
          "pinned": [],
          "packages": ["**/*.app", "**/*.band", "**/*.bundle", "**/*.framework", "**/*.graffle", "**/*.key", \
      "**/*.logicx", "**/*.numbers", "**/*.pages", "**/*.photoslibrary", "**/*.pkg", "**/*.playground", "**/*.rtfd", \
      "**/*.sparsebundle", "**/*.xcodeproj", "**/*.xcworkspace"],
          "datalessFolders": [],
          "onRemoteUpdate": "keep",
          "localLimit": "unlimited",
          "placeholders": "dataless",
          "placeholderSuffix": ".nextcloud",
          "pointers": []
        },
        "naming": {
          "case": "sensitive",
          "normalization": "preserve"
        },
        "download": {
          "latency": "0",
          "bandwidth": "unlimited",
          "itemBandwidth": "unlimited",
          "concurrency": 4,
          "stalls": [],
          "trigger": "read",
          "partial": false,
          "timeout": "1m",
          "retryInterval": "1s"
        },
        "latency": {
          "lookup": "0",
          "getattr": "0",
          "readlink": "0",
          "open": "0",
          "read": "0",
          "list": "0",
          "attributes": "0"
        },
        "conditions": {
          "throttledBandwidth": "50kB/s"
        },
        "process": {
          "materialize": "allow",
          "forbid": []
        },
        "picker": {
          "purgeAfter": "never"
        },
        "errors": {},
        "journal": {
          "ignore": [".Trash", ".Trash-*", ".hidden", ".directory", ".xdg-volume-info", "autorun.inf", "desktop.ini", \
      "Thumbs.db", ".DS_Store", "._*"]
        },
        "rules": [],
        "events": []
      }

      """
    #expect(ProfileWriter.json(Profile(name: "n")) == expected)
  }

  @Test func `is read back as the same profile, whatever it says`() throws {
    var profile = Profile(name: "\"q\" \\ é\u{301}😀\u{202E}")
    profile.summary = "<>&/"
    profile.basis.sources = ["a", "b"]
    profile.kind = .volume
    profile.seed = .max
    profile.access.mode = .simulator
    profile.access.scopeLimit = 1
    profile.access.inheritScopes = .children
    profile.items.initial = .local
    profile.items.local = [try #require(Glob("**/[a\"]*")), try #require(Glob("b?"))]
    profile.items.pinned = [try #require(Glob("**/kept"))]
    profile.items.packages = [try #require(Glob("*.doc"))]
    profile.naming.case = .insensitive
    profile.naming.normalization = .nfc
    profile.items.pointers = [try #require(Glob("**/*.gdoc"))]
    profile.download.latency = .uniform(minimum: Span(nanoseconds: 1), maximum: .seconds(90))
    profile.download.bandwidth = 1_048_577
    profile.download.concurrency = 128
    profile.download.itemBandwidth = 3
    profile.download.slowStart = .init(bandwidth: 1_001, length: .seconds(5))
    profile.download.stalls = [
      .init(at: .millionths(333_300), length: nil, path: Glob("*.pdf")),
      .init(at: .bytes(7), length: .milliseconds(1), bandwidth: 1_000),
    ]
    profile.download.trigger = .open
    profile.download.partial = true
    profile.download.timeout = nil
    profile.download.retryInterval = .milliseconds(20)
    profile.items.datalessFolders = [try #require(Glob("Archive"))]
    profile.conditions.throttledBandwidth = 7
    profile.process.materialize = .forbid
    profile.process.forbid = ["com.example.notes", "/usr/bin/cat"]
    profile.picker.purgeAfter = .seconds(60)
    profile.errors = [.notAuthenticated: .EACCES, .serverUnreachable: .EIO]
    profile.latency.open = .logNormal(median: .milliseconds(1_500), p99: .seconds(3_600))
    profile.latency.list = .fixed(Span(nanoseconds: 86_399_999_999_999))
    profile.latency.lookup = .fixed(.milliseconds(1))
    profile.latency.getattr = .fixed(.milliseconds(2))
    profile.latency.readlink = .fixed(.milliseconds(3))
    profile.latency.read = .fixed(.milliseconds(4))
    profile.latency.attributes = .fixed(.milliseconds(5))
    let json = ProfileWriter.json(profile)
    #expect(!json.unicodeScalars.contains("\u{202E}"))
    #expect(try ProfileReader.read(Array(json.utf8), file: "p") == profile)
    // What stubs are called fits no other naming.
    var stubs = Profile(name: "stubs")
    stubs.kind = .legacy
    stubs.items.placeholders = .suffix
    stubs.items.placeholderSuffix = ".owncloud"
    #expect(try ProfileReader.read(Array(ProfileWriter.json(stubs).utf8), file: "p") == stubs)
  }
}
