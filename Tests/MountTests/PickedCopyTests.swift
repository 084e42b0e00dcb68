import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `A copy that the picker makes` {
  private let source: SourceFolder
  private let inbox: SourceFolder

  init() throws {
    source = try SourceFolder([
      "a.pdf": content(300_000), "d/a.pdf": content(1_000, seed: 2), "e.txt": Data(),
    ])
    inbox = try SourceFolder()
  }

  private func provider<Value>(
    _ profile: String = "instant", _ body: (RunningProvider) async throws -> Value
  ) async throws -> Value {
    try await withProvider(profile: profile, source: source.source, body)
  }

  private func bytes(_ copy: PickedCopy) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: copy.file))
  }

  @Test func `has the bytes and the time of the original, and a name of its own`() async throws {
    try await provider { provider in
      let copies = try await provider.pickCopies("a.pdf", "d/a.pdf", "e.txt", into: inbox.path)
      #expect(
        copies.map(\.file) == ["a.pdf", "a-2.pdf", "e.txt"].map { "\(inbox.path)/\($0)" }, "\(copies)")
      #expect(try bytes(copies[0]) == content(300_000))
      #expect(try bytes(copies[1]) == content(1_000, seed: 2))
      #expect(try bytes(copies[2]).isEmpty)
      let time = try FileManager.default.attributesOfItem(atPath: copies[0].file)[.modificationDate] as? Date
      let original =
        try FileManager.default.attributesOfItem(atPath: source.path + "/a.pdf")[.modificationDate] as? Date
      #expect(time == original)
      #expect(copies[0].url == URL(fileURLWithPath: copies[0].file).absoluteString)
      // It is the app's own, and says nothing of the original.
      let said = try await lines(
        "say(error(lambda: read('a.pdf')))", in: provider)
      #expect(said == ["EPERM"])
    }
  }

  @Test func `is of what another device has written`() async throws {
    try await provider { provider in
      try await provider.remoteWrite("a.pdf", .text("newer"))
      let copies = try await provider.pickCopies("a.pdf", into: inbox.path + "/made")
      #expect(try String(decoding: bytes(copies[0]), as: UTF8.self) == "newer")
    }
  }

  @Test func `goes when its time is over, unless another file has its place`() async throws {
    let profile = try SourceFolder([
      "p.json": Data(
        #"{ "schemaVersion": 1, "name": "p", "picker": { "purgeAfter": "1m" } }"#.utf8)
    ])
    try await withProvider(profile: profile.path + "/p.json", source: source.source, clock: .manual) {
      provider in
      let copies = try await provider.pickCopies("a.pdf", "d/a.pdf", into: inbox.path)
      try FileManager.default.removeItem(atPath: copies[1].file)
      try Data("mine".utf8).write(to: URL(fileURLWithPath: copies[1].file))
      try await provider.clock.advance(by: .seconds(60))
      try await eventually { !FileManager.default.fileExists(atPath: copies[0].file) }
      #expect(try bytes(copies[1]) == Data("mine".utf8))
    }
  }

  @Test func `is not made where there is no place for it, and says so`() async throws {
    try await provider { provider in
      let file = inbox.path + "/file"
      try Data().write(to: URL(fileURLWithPath: file))
      let inside = provider.path + "/d"
      for folder in [file, "/proc/none/at/all", inside] {
        await #expect(throws: ProviderFailure.self) { try await provider.pickCopies("a.pdf", into: folder) }
      }
      await #expect(throws: ProviderFailure.self) { try await provider.pickCopies("d", into: inbox.path) }
      // The server's content is never changed, whichever way leads there.
      let link = inbox.path + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: source.path + "/d")
      let before = try source.state()
      for folder in [source.path, source.path + "/d", source.path + "/new", link, link + "/new"] {
        await #expect(throws: ProviderFailure.self) { try await provider.pickCopies("a.pdf", into: folder) }
      }
      #expect(try source.state() == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: inbox.path).sorted() == ["file", "link"])
    }
  }
}
