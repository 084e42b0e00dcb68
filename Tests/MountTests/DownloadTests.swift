import Foundation
import ProviderTesting
import Testing

// Downloads as a program without any module of ours meets them. Time is moved by hand, so that every figure is exact.

@Suite(.serialized) struct `A download` {
  private let source: SourceFolder
  private static let size = 1_000_000

  init() throws {
    source = try SourceFolder(["a.pdf": content(Self.size), "b.pdf": content(Self.size, seed: 2)])
  }

  /// - Parameter members: of the profile's file.
  private func provider(
    _ members: String..., body: (RunningProvider) async throws -> Void
  ) async throws {
    let folder = try SourceFolder()
    let all = [#""schemaVersion": 1, "name": "test""#] + members
    try folder.write("test.json", Data("{ \(all.joined(separator: ",\n")) }".utf8))
    try await withProvider(
      profile: "\(folder.path)/test.json", source: source.source, clock: .manual, body)
  }

  private func phase(_ provider: RunningProvider, _ path: ItemPath) async throws -> String? {
    try await provider.status(of: path).phase
  }

  @Test func `in parts is read as far as it has come, and stalls there`() async throws {
    try await provider(
      #""download": { "bandwidth": "100kB/s", "partial": true, "stalls": [{ "at": "40%", "for": "60s" }] }"#
    ) { provider in
      let reader = try python(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        whole = original("a.pdf")
        say(os.pread(fd, 400000, 0) == whole[:400000])
        say(os.pread(fd, 1, 400000) == whole[400000:400001])
        say(os.pread(fd, 1000000, 0) == whole)
        """, in: provider, source: source)
      try await provider.wait(for: .state("a.pdf", .downloading))
      try await provider.clock.advance(by: .seconds(4))
      #expect(try await reader.line() == "True")
      #expect(try await phase(provider, "a.pdf") == "stalled")
      #expect(try await provider.status(of: "a.pdf").arrived == 400_000)
      _ = try await provider.event { $0.name == "operation" && $0.operation == "read" }
      // Nothing more comes for a minute, however much that is asked for.
      try await provider.clock.advance(by: .seconds(59))
      #expect(try await provider.status(of: "a.pdf").arrived == 400_000)
      try await provider.clock.advance(by: .seconds(2))
      #expect(try await reader.line() == "True")
      let status = try await provider.status(of: "a.pdf")
      #expect(status.phase == "streaming" && status.bytesPerSecond == 100_000 && status.arrived == 500_000)
      try await provider.clock.advance(by: .seconds(5))
      #expect(try await reader.finished().lines == ["True"])
    }
  }

  @Test func `that keeps failing gives ETIMEDOUT after a minute, and -1004 in coordination at once`()
    async throws
  {
    try await provider(
      #""rules": [{ "name": "down", "on": "download", "effect": { "error": "serverUnreachable" } }]"#
    ) { provider in
      let reader = try python(
        "client = access('a.pdf'); say(error(lambda: read('a.pdf')))", in: provider)
      _ = try await provider.event { $0.name == "downloadFailed" }
      let coordinated = try await lines(
        """
        client = access("a.pdf")
        reply = client.call("coordinate", intents=[{"path": "a.pdf", "kind": "read"}], purpose="")
        say(reply["ok"], reply["error"]["code"], reply["error"]["errno"])
        """, in: provider)
      #expect(coordinated == ["False serverUnreachable ETIMEDOUT"])
      try await provider.clock.advance(by: .seconds(59))
      #expect(try await phase(provider, "a.pdf") == "retrying")
      try await provider.clock.advance(by: .seconds(1))
      #expect(try await reader.finished().lines == ["ETIMEDOUT"])
      let read = try await provider.event { $0.name == "operation" && $0.operation == "read" }
      #expect(read.waited == .seconds(60) && read.error == "serverUnreachable")
      #expect(try await provider.status(of: "a.pdf").copy == .dataless)
    }
  }

  @Test func `that fails once only makes its reader wait`() async throws {
    try await provider(
      """
      "rules": [{ "name": "hiccup", "on": "download", "bytes": { "from": "60%" }, "fail": { "times": 1 },
        "effect": { "error": "serverUnreachable" } }]
      """, #""download": { "bandwidth": "1MB/s" }"#
    ) { provider in
      let reader = try python(
        "client = access('a.pdf'); say(read('a.pdf') == original('a.pdf'))", in: provider, source: source)
      try await provider.wait(for: .state("a.pdf", .downloading))
      try await provider.clock.advance(by: .milliseconds(2_600))
      #expect(try await reader.finished().lines == ["True"])
      let failed = try await provider.event { $0.name == "downloadFailed" }
      #expect(failed.offset == 600_000 && failed.rule == "hiccup" && failed.at == .milliseconds(600))
    }
  }

  @Test func `that an open triggers keeps the open, which a signal ends`() async throws {
    try await provider(#""download": { "latency": "10s", "trigger": "open" }"#) { provider in
      let reader = try python(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        say("opened", os.read(fd, 10) == original("a.pdf")[:10])
        """, in: provider, source: source)
      let killed = try python("client = access('b.pdf'); os.open(at('b.pdf'), os.O_RDONLY)", in: provider)
      try await provider.wait(for: .state("a.pdf", .downloading))
      try await provider.wait(for: .state("b.pdf", .downloading))
      #expect(try await killed.killed() == .signaled(9))
      try await provider.clock.advance(by: .seconds(10))
      #expect(try await reader.finished().lines == ["opened True"])
    }
  }

  @Test func `shares what there is, and each has no more than its limit`() async throws {
    try await provider(
      #""download": { "bandwidth": "1MB/s", "itemBandwidth": "600kB/s" }"#
    ) { provider in
      let readers = try ["a.pdf", "b.pdf"].map { path in
        try python("client = access(sys.argv[1]); say(len(read(sys.argv[1])))", [path], in: provider)
      }
      try await provider.wait(for: .state("a.pdf", .downloading))
      try await provider.wait(for: .state("b.pdf", .downloading))
      try await provider.clock.advance(by: .seconds(1))
      for path in ["a.pdf", "b.pdf"] as [ItemPath] {
        let status = try await provider.status(of: path)
        #expect(status.arrived == 500_000 && status.bytesPerSecond == 500_000)
      }
      try await provider.clock.advance(by: .seconds(1))
      for reader in readers { #expect(try await reader.finished().lines == ["1000000"]) }
      // Alone it has 600 kB/s.
      try await provider.evict("a.pdf")
      let again = try python("client = access('a.pdf'); say(len(read('a.pdf')))", in: provider)
      try await provider.wait(for: .state("a.pdf", .downloading))
      try await provider.clock.advance(by: .seconds(1))
      #expect(try await provider.status(of: "a.pdf").arrived == 600_000)
      try await provider.clock.advance(by: .seconds(1))
      #expect(try await again.finished().lines == ["1000000"])
    }
  }
}
