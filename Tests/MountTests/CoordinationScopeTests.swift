import Foundation
import ProviderTesting
import Testing

/// Security scopes through URL, each app a process of its own.
@Suite(.timeLimit(.minutes(5))) struct `A scope that a URL started` {
  private let source: StagingFolder

  init() throws {
    source = try StagingFolder()
    try source.write("a.pdf", Data(repeating: 7, count: 10_000))
    try source.write("b.pdf", Data(repeating: 8, count: 10_000))
    try source.write("c.pdf", Data(repeating: 9, count: 10_000))
  }

  private func with(profile: String = "instant", _ body: (RunningProvider) async throws -> Void) async throws
  {
    try await withProvider(profile: profile, source: .folder(source.path)) { provider in
      try await provider.pick(".")
      try await body(provider)
    }
  }

  private func profile(_ access: String, named name: String) throws -> StagingFolder {
    let folder = try StagingFolder()
    let text = """
      {
        "schemaVersion": 1,
        "name": "\(name)",
        "basis": { "standing": "synthetic", "sources": [] },
        "access": { "mode": "device", \(access) },
        "items": { "initial": "dataless" },
        "download": { "latency": "0", "bandwidth": "unlimited" }
      }
      """
    try folder.write("\(name).json", Data(text.utf8))
    return folder
  }

  private static let denied = "failed 257 over EPERM"

  @Test func `is counted, and is its process's alone`() async throws {
    try await with { provider in
      let app = try SteeredApp(in: provider)
      let other = try SteeredApp(in: provider)
      #expect(try await app.ask("load", item: "a.pdf") == Self.denied)
      for _ in 0..<2 { #expect(try await app.ask("start", item: "a.pdf") == "started true") }
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      #expect(try await app.ask("load", item: "b.pdf") == Self.denied)
      #expect(try await other.ask("load", item: "a.pdf") == Self.denied)
      #expect(try await app.ask("stop", item: "a.pdf") == "stopped")
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      #expect(try await provider.status(of: "a.pdf").scopes == [app.pid])
      #expect(try await app.ask("stop", item: "a.pdf") == "stopped")
      #expect(try await app.ask("load", item: "a.pdf") == Self.denied)
      #expect(try await provider.status(of: "a.pdf").scopes == [])
      // One too many does nothing, least of all to the next start.
      #expect(try await app.ask("stop", item: "a.pdf") == "stopped")
      #expect(try await app.ask("start", item: "a.pdf") == "started true")
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
    }
  }

  @Test func `ends for new opens, and an open file goes on`() async throws {
    try await with { provider in
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("start", item: "a.pdf") == "started true")
      #expect(try await app.ask("open", "before", item: "a.pdf") == "before opened")
      #expect(try await app.ask("stop", item: "a.pdf") == "stopped")
      // Its first byte, even: nothing of it was read or downloaded before the stop.
      #expect(try await app.ask("pread", "before") == "before 100")
      #expect(try await app.ask("open", "after", item: "a.pdf") == "after failed EPERM")
    }
  }

  @Test func `on a folder covers what is in it`() async throws {
    try await with { provider in
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("start", item: "") == "started true")
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      #expect(try await app.ask("stop", item: "") == "stopped")
      #expect(try await app.ask("load", item: "a.pdf") == Self.denied)
    }
  }

  @Test func `by withSecurityScope ends when its body throws`() async throws {
    try await with { provider in
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("scope", "s", item: "a.pdf") == "s inside true")
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      #expect(try await app.ask("go", "s") == "s threw true")
      #expect(try await app.ask("load", item: "a.pdf") == Self.denied)
      #expect(try await provider.status(of: "a.pdf").scopes == [])
    }
  }

  @Test func `by the asynchronous withSecurityScope lasts until its body returns`() async throws {
    try await with { provider in
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("scopeAsync", "s", item: "a.pdf") == "s inside true")
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      #expect(try await app.ask("go", "s") == "s outside")
      #expect(try await app.ask("load", item: "a.pdf") == Self.denied)
    }
  }

  @Test func `by a token ends when the token is stopped, and only once`() async throws {
    try await with { provider in
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("start", item: "a.pdf") == "started true")
      #expect(try await app.ask("token", "t", item: "a.pdf") == "t active true")
      #expect(try await app.ask("go", "t") == "t stopped")
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      let events = try await provider.journal().map(\.name).filter { $0.hasPrefix("scope") }
      #expect(events == ["scopeStarted", "scopeStarted", "scopeStopped"])
    }
  }

  @Test func `by a token that was refused has nothing to stop`() async throws {
    try await with { provider in
      try await provider.revoke("a.pdf")
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("token", "t", item: "a.pdf") == "t active false")
      #expect(try await app.ask("go", "t") == "t stopped")
      let events = try await provider.journal().map(\.name).filter { $0.hasPrefix("scope") }
      #expect(events == ["scopeRefused"])
    }
  }

  @Test func `dies with its process`() async throws {
    try await with { provider in
      let app = try SteeredApp(in: provider)
      let pid = app.pid
      for item in ["a.pdf", "b.pdf", "b.pdf"] {
        #expect(try await app.ask("start", item: item) == "started true")
      }
      #expect(try await provider.status(of: "b.pdf").scopes == [pid])
      try await app.kill()
      _ = try await provider.event { $0.name == "processEnded" && $0.process == pid }
      for status in try await provider.status("a.pdf", "b.pdf") { #expect(status.scopes == []) }
    }
  }

  @Test func `is not a child's, unless the profile says so`() async throws {
    let inheriting = try profile(#""inheritScopes": "children""#, named: "inheriting")
    for (profile, code) in [("instant", "1"), ("\(inheriting.path)/inheriting.json", "0")] {
      try await with(profile: profile) { provider in
        let app = try SteeredApp(in: provider)
        #expect(try await app.ask("start", item: "a.pdf") == "started true")
        #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
        #expect(try await app.ask("child", item: "a.pdf") == "child \(code)")
        // No child has what its parent has not, or no longer.
        #expect(try await app.ask("child", item: "b.pdf") == "child 1")
        #expect(try await app.ask("stop", item: "a.pdf") == "stopped")
        #expect(try await app.ask("child", item: "a.pdf") == "child 1")
      }
    }
  }

  @Test func `is everybody's under fakeprovider access`() async throws {
    try await with { provider in
      let words = [BuiltProgram.path("fakeprovider"), "access", "\(provider.path)/a.pdf", "--"]
      let app = try SteeredApp(in: provider, under: words)
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      #expect(try await app.ask("load", item: "b.pdf") == Self.denied)
      #expect(try await app.ask("read", "r", "-", item: "a.pdf") == "r granted")
      #expect(try await app.ask("go", "r") == "r done")
      #expect(try await app.ask("child", item: "a.pdf") == "child 0")
      #expect(try await app.ask("child", item: "b.pdf") == "child 1")
      app.process.closeInput()
      _ = try await provider.event { $0.name == "scopeStopped" }
      #expect(try await provider.status(of: "a.pdf").scopes == [])
    }
  }

  @Test func `beyond the profile's limit is refused, and the others go on`() async throws {
    let limited = try profile(#""scopeLimit": 2"#, named: "limited")
    try await with(profile: "\(limited.path)/limited.json") { provider in
      let app = try SteeredApp(in: provider)
      for item in ["a.pdf", "b.pdf"] { #expect(try await app.ask("start", item: item) == "started true") }
      for item in ["c.pdf", "a.pdf"] { #expect(try await app.ask("start", item: item) == "started false") }
      #expect(try await app.ask("load", item: "c.pdf") == Self.denied)
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      let refused = try await provider.event { $0.name == "scopeRefused" }
      #expect(refused.error == "tooManyScopes" && refused.path == "c.pdf")
      // Another process has its own; a stop makes room.
      let other = try SteeredApp(in: provider)
      #expect(try await other.ask("start", item: "c.pdf") == "started true")
      #expect(try await app.ask("stop", item: "b.pdf") == "stopped")
      #expect(try await app.ask("start", item: "c.pdf") == "started true")
      #expect(try await app.ask("load", item: "c.pdf") == "loaded 10000")
    }
  }
}
