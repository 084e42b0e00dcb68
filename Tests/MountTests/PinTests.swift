import Foundation
import ProviderTesting
import Testing

/// A provider whose profile has these members.
private func withProfile(
  _ members: String..., source: SourceFolder, body: (RunningProvider) async throws -> Void
) async throws {
  let folder = try SourceFolder()
  let all = [#""schemaVersion": 1, "name": "test""#] + members
  try folder.write("test.json", Data("{ \(all.joined(separator: ",\n")) }".utf8))
  try await withProvider(profile: "\(folder.path)/test.json", source: source.source, body)
}

@Suite(.serialized) struct `A pinned item of a mounted provider` {
  private let source: SourceFolder

  init() throws {
    source = try SourceFolder([
      "a.pdf": content(100_000), "kept/b.pdf": content(50_000, seed: 2),
      "kept/in/c.pdf": content(10, seed: 3),
    ])
  }

  @Test func `comes by itself, stays, and can be let go`() async throws {
    try await withProfile(source: source) { provider in
      #expect(try await provider.pin("a.pdf").map(\.isPinned) == [true])
      try await provider.wait(for: .state("a.pdf", .local))
      // Nobody has opened anything.
      #expect(try await provider.journal().allSatisfy { $0.operation != "open" })
      let said = try await lines(
        """
        client = access("a.pdf")
        say(os.stat(at("a.pdf")).st_blocks > 0, read("a.pdf") == original("a.pdf"))
        say(error(lambda: os.setxattr(at("a.pdf"), "user.fakeprovider.do", b"evict")))
        reply = client.call("evict", path="a.pdf")
        say(reply["error"]["code"], reply["error"]["errno"])
        """, in: provider, source: source)
      #expect(said == ["True True", "EBUSY", "nonEvictable EBUSY"])
      #expect(try await provider.evict(pressure: "1MB").freed == 0)
      #expect(try await provider.unpin("a.pdf").map(\.isPinned) == [false])
      #expect(try await provider.status(of: "a.pdf").copy == .local)
      try await provider.evict("a.pdf")
      #expect(try await provider.status(of: "a.pdf").copy == .dataless)
    }
  }

  @Test func `of the profile follows the server, and so does what comes into its folder`() async throws {
    let items = #""items": { "pinned": ["kept"], "onRemoteUpdate": "evict" }"#
    try await withProfile(items, source: source) { provider in
      #expect(try await provider.status(of: "kept/in/c.pdf").copy == .local)
      #expect(try await provider.status(of: "a.pdf").copy == .dataless)
      try await provider.remoteWrite("kept/b.pdf", .text("newer"))
      try await provider.remoteWrite("kept/in/new.txt", .text("new"))
      try await provider.wait(for: .state("kept/b.pdf", .local))
      try await provider.wait(for: .state("kept/in/new.txt", .local))
      let said = try await lines(
        """
        client = access(".")
        say(read("kept/b.pdf"), read("kept/in/new.txt"))
        """, in: provider)
      #expect(said == ["b'newer' b'new'"])
      let started = try await provider.journal().filter { $0.name == "downloadStarted" }.map(\.path)
      #expect(started == ["kept/b.pdf", "kept/in/new.txt"])
    }
  }
}

@Suite(.serialized) struct `A package of a mounted provider` {
  private let source: SourceFolder

  init() throws {
    source = try SourceFolder([
      "Essay.pages/index.xml": content(1_000), "Essay.pages/Data/a.png": content(2_000, seed: 2),
      "Essay.pages/Data/b.png": content(3_000, seed: 3), "plain/a.txt": content(10, seed: 4),
    ])
  }

  private static let parts: [ItemPath] = [
    "Essay.pages/index.xml", "Essay.pages/Data/a.png", "Essay.pages/Data/b.png",
  ]

  private func copies(_ provider: RunningProvider) async throws -> [CopyState] {
    var copies: [CopyState] = []
    for part in Self.parts { copies.append(try await provider.status(of: part).copy) }
    return copies
  }

  @Test func `can be here in part, and looking at it brings nothing`() async throws {
    let items = #""items": { "local": ["Essay.pages/index.xml"] }"#
    try await withProfile(items, source: source) { provider in
      let said = try await lines(
        """
        client = access("Essay.pages")
        for folder, folders, files in os.walk(at("Essay.pages")):
            for name in sorted(files):
                status = os.stat(folder + "/" + name)
                say(name, status.st_size, status.st_blocks > 0)
        say(error(lambda: read("Essay.pages")))
        """, in: provider)
      #expect(said == ["index.xml 1000 True", "a.png 2000 False", "b.png 3000 False", "EISDIR"])
      #expect(try await copies(provider) == [.local, .dataless, .dataless])
      let journal = try await provider.journal()
      #expect(!journal.contains { $0.name == "downloadStarted" || $0.operation == "read" })
      #expect(try await provider.status(of: "Essay.pages").isPackage)
    }
  }

  @Test func `is downloaded and evicted as a whole`() async throws {
    try await withProfile(source: source) { provider in
      try await provider.download("Essay.pages")
      #expect(try await copies(provider) == [.local, .local, .local])
      try await provider.evict("Essay.pages")
      #expect(try await copies(provider) == [.dataless, .dataless, .dataless])
      try await provider.pin("Essay.pages/index.xml")
      let said = try await lines(
        """
        client = Provider()
        reply = client.call("evict", path="Essay.pages")["error"]
        say(reply["code"], reply["errno"], reply["path"])
        say(client.call("download", path="plain")["error"]["code"])
        """, in: provider)
      #expect(said == ["nonEvictableChildren EBUSY Essay.pages/index.xml", "isADirectory"])
    }
  }

  @Test func `is here as a whole once a coordinated read of it is granted`() async throws {
    try await withProfile(source: source) { provider in
      let said = try await lines(
        """
        client = access("Essay.pages")
        def coordinate(*options):
            intent = {"path": "Essay.pages", "kind": "read", "options": list(options)}
            client.call("finish", claim=client.call("coordinate", intents=[intent])["claim"])
            say(sum(os.stat(at("Essay.pages/" + name)).st_blocks > 0
                    for name in ("index.xml", "Data/a.png", "Data/b.png")))
        coordinate("immediatelyAvailableMetadataOnly")
        coordinate()
        """, in: provider)
      #expect(said == ["0", "3"])
    }
  }
}
