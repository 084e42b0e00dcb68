import Foundation
import ProviderTesting
import Testing

/// Coordinated reads by NSFileCoordinator, each app a process of its own, and writes by a process that speaks
/// the control protocol by itself.
@Suite(.timeLimit(.minutes(5))) struct `Coordination between processes` {
  private let source: StagingFolder

  init() throws {
    source = try StagingFolder()
    for name in ["a.pdf", "b.pdf"] { try source.write(name, Data(repeating: 7, count: 10_000)) }
  }

  private func with(_ body: (RunningProvider) async throws -> Void) async throws {
    try await withProvider(profile: "instant", source: .folder(source.path)) { provider in
      try await provider.pick(".")
      try await body(provider)
    }
  }

  /// An app with a started scope on the item; "" is the root.
  private func app(in provider: RunningProvider, started item: String = "a.pdf") async throws -> SteeredApp {
    let app = try SteeredApp(in: provider)
    #expect(try await app.ask("start", item: item) == "started true")
    return app
  }

  @Test func `lets readers run side by side`() async throws {
    try await with { provider in
      let apps = try await [app(in: provider), app(in: provider), app(in: provider)]
      for app in apps {
        #expect(try await app.ask("read", "r", "-", item: "a.pdf") == "r granted")
        #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      }
      #expect(try await provider.claims(on: "a.pdf").count == 3)
      for app in apps { #expect(try await app.ask("go", "r") == "r done") }
      #expect(try await provider.claims(on: "a.pdf") == [])
    }
  }

  @Test func `makes readers wait for a writer that asked earlier`() async throws {
    try await with { provider in
      let writer = try await RawWriter(in: provider, "a.pdf")
      let claim = try await writer.ask(for: "a.pdf").granted()
      let app = try await app(in: provider)
      app.tell("read", "r", "-", item: "a.pdf")
      try await provider.waitForClaims(2, on: "a.pdf")
      // Another item is nobody's business, and neither is who does not coordinate.
      #expect(try await app.ask("start", item: "b.pdf") == "started true")
      #expect(try await app.ask("read", "other", "-", item: "b.pdf") == "other granted")
      #expect(try await app.ask("load", item: "a.pdf") == "loaded 10000")
      try await writer.finish(claim)
      #expect(try await app.line() == "r granted")
      #expect(try await app.ask("go", "r") == "r done")
      let me = ProcessInfo.processInfo.processIdentifier
      #expect(
        try await provider.claimEvents() == [
          ClaimEvent(what: "claimGranted write", process: me),
          ClaimEvent(what: "claimGranted read", process: app.pid),
          ClaimEvent(what: "claimFinished write", process: me),
          ClaimEvent(what: "claimGranted read", process: app.pid),
          ClaimEvent(what: "claimFinished read", process: app.pid),
        ])
    }
  }

  @Test func `makes a writer wait for readers, and later readers for the writer`() async throws {
    try await with { provider in
      let first = try await app(in: provider)
      let second = try await app(in: provider)
      let writer = try await RawWriter(in: provider, "a.pdf")
      #expect(try await first.ask("read", "r", "-", item: "a.pdf") == "r granted")
      let asked = try await writer.ask(for: "a.pdf")
      try await provider.waitForClaims(2, on: "a.pdf")
      second.tell("read", "r", "-", item: "a.pdf")
      try await provider.waitForClaims(3, on: "a.pdf")
      #expect(try await first.ask("go", "r") == "r done")
      let claim = try await asked.granted()
      #expect(try await provider.claims(on: "a.pdf").count == 2)
      try await writer.finish(claim)
      #expect(try await second.line() == "r granted")
      #expect(try await second.ask("go", "r") == "r done")
      #expect(
        try await provider.claimEvents().map(\.what) == [
          "claimGranted read", "claimFinished read", "claimGranted write", "claimFinished write",
          "claimGranted read", "claimFinished read",
        ])
    }
  }

  @Test func `grants a batch whole, so that half of it is not held`() async throws {
    try await with { provider in
      let app = try await app(in: provider, started: "")
      let writer = try await RawWriter(in: provider, ".")
      #expect(try await app.ask("read", "a", "-", item: "a.pdf") == "a granted")
      let asked = try await writer.ask(for: "a.pdf", "b.pdf")
      try await provider.waitForClaims(1, on: "b.pdf")
      #expect(try await provider.claimEvents().map(\.what) == ["claimGranted read"])
      #expect(try await app.ask("go", "a") == "a done")
      let claim = try await asked.granted()
      app.tell("read", "b", "-", item: "b.pdf")
      try await provider.waitForClaims(2, on: "b.pdf")
      try await writer.finish(claim)
      #expect(try await app.line() == "b granted")
    }
  }

  @Test func `finishes the claim of a process that is killed`() async throws {
    try await with { provider in
      let holder = try await app(in: provider)
      let writer = try await RawWriter(in: provider, "a.pdf")
      #expect(try await holder.ask("read", "r", "-", item: "a.pdf") == "r granted")
      let asked = try await writer.ask(for: "a.pdf")
      try await provider.waitForClaims(2, on: "a.pdf")
      try await holder.kill()
      try await writer.finish(asked.granted())
      #expect(try await provider.claims(on: "a.pdf") == [])
    }
  }

  @Test func `forgets a process that is killed while it waits`() async throws {
    try await with { provider in
      let waiting = try await app(in: provider)
      let reader = try await app(in: provider)
      let writer = try await RawWriter(in: provider, "a.pdf")
      let claim = try await writer.ask(for: "a.pdf").granted()
      waiting.tell("read", "r", "-", item: "a.pdf")
      try await provider.waitForClaims(2, on: "a.pdf")
      try await waiting.kill()
      try await provider.waitForClaims(1, on: "a.pdf")
      reader.tell("read", "r", "-", item: "a.pdf")
      try await provider.waitForClaims(2, on: "a.pdf")
      try await writer.finish(claim)
      #expect(try await reader.line() == "r granted")
    }
  }

  @Test func `ends a wait for a writer when it is canceled`() async throws {
    try await with { provider in
      let writer = try await RawWriter(in: provider, "a.pdf")
      let claim = try await writer.ask(for: "a.pdf").granted()
      let app = try await app(in: provider)
      app.tell("read", "r", "c", item: "a.pdf")
      try await provider.waitForClaims(2, on: "a.pdf")
      app.tell("cancel", "c")
      // Its accessor says "granted", so it has not run; the two lines come from two threads.
      #expect(try await Set([app.line(), app.line()]) == ["canceled", "r failed 3072"])
      try await provider.waitForClaims(1, on: "a.pdf")
      // Later calls of this coordinator don't even ask; others do.
      #expect(try await app.ask("read", "again", "c", item: "a.pdf") == "again failed 3072")
      try await writer.finish(claim)
      #expect(try await app.ask("read", "other", "-", item: "a.pdf") == "other granted")
      #expect(try await app.ask("go", "other") == "other done")
    }
  }

  @Test func `ends a wait for a download when it is canceled, and the download goes on`() async throws {
    try await with { provider in
      let hold = try await provider.hold(.download, "a.pdf", at: "40%")
      let app = try await app(in: provider)
      app.tell("read", "r", "c", item: "a.pdf")
      try await hold.waitUntilParked()
      app.tell("cancel", "c")
      #expect(try await Set([app.line(), app.line()]) == ["canceled", "r failed 3072"])
      try await provider.waitForClaims(0, on: "a.pdf")
      try await hold.release()
      try await provider.wait(for: .state("a.pdf", .local))
    }
  }

  @Test func `does not download for who wants metadata only`() async throws {
    try await with { provider in
      // Nor does it ask for a scope.
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("metadata", "m", "-", item: "a.pdf") == "m granted")
      #expect(try await provider.status(of: "a.pdf").copy == .dataless)
      #expect(try await app.ask("go", "m") == "m done")
      #expect(try await provider.journal().allSatisfy { $0.name != "downloadStarted" })
      // It waits as any reader does.
      let writer = try await RawWriter(in: provider, "a.pdf")
      let claim = try await writer.ask(for: "a.pdf").granted()
      app.tell("metadata", "m", "-", item: "a.pdf")
      try await provider.waitForClaims(2, on: "a.pdf")
      try await writer.finish(claim)
      #expect(try await app.line() == "m granted")
    }
  }

  @Test func `is refused without a scope, before anything is downloaded`() async throws {
    try await with { provider in
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("read", "r", "-", item: "a.pdf") == "r failed 257 over EPERM")
      #expect(try await app.ask("start", item: "a.pdf") == "started true")
      #expect(try await app.ask("stop", item: "a.pdf") == "stopped")
      #expect(try await app.ask("read", "r", "-", item: "a.pdf") == "r failed 257 over EPERM")
      #expect(try await app.ask("read", "m", "-", item: "missing.pdf") == "m failed 257 over EPERM")
      #expect(try await provider.status(of: "a.pdf").copy == .dataless)
      #expect(try await provider.claims(on: "a.pdf") == [])
    }
  }

  @Test func `runs the accessor for an item that does not exist`() async throws {
    try await with { provider in
      let app = try await app(in: provider, started: "")
      #expect(try await app.ask("read", "r", "-", item: "missing.pdf") == "r granted")
      #expect(try await app.ask("load", item: "missing.pdf") == "failed 260 over ENOENT")
      #expect(try await app.ask("go", "r") == "r done")
      #expect(try await app.ask("read", "s", "-", item: "no/such/folder.pdf") == "s failed 260 over ENOENT")
    }
  }

  @Test(arguments: [("-", "-"), ("c", "c"), ("c", "d")])
  func `lets a read in a read of the same item run`(outer: String, inner: String) async throws {
    try await with { provider in
      let app = try await app(in: provider)
      #expect(try await app.ask("nest", "n", outer, inner, item: "a.pdf") == "n outer")
      app.go("n")
      #expect(try await app.line() == "n inner")
      #expect(try await app.line() == "n done")
      #expect(try await provider.claims(on: "a.pdf") == [])
    }
  }

  @Test func `blocks a read in a read when a writer asked in between, until it is canceled`() async throws {
    try await with { provider in
      let app = try await app(in: provider)
      let writer = try await RawWriter(in: provider, "a.pdf")
      #expect(try await app.ask("nest", "n", "c", "d", item: "a.pdf") == "n outer")
      let asked = try await writer.ask(for: "a.pdf")
      try await provider.waitForClaims(2, on: "a.pdf")
      app.go("n")
      try await provider.waitForClaims(3, on: "a.pdf")
      app.tell("cancel", "d")
      let lines = try await [app.line(), app.line(), app.line()]
      #expect(lines.filter { $0 != "canceled" } == ["n failed 3072", "n done"])
      try await writer.finish(asked.granted())
    }
  }

  @Test func `never makes one purpose wait for itself, whatever its processes`() async throws {
    try await with { provider in
      let app = try await app(in: provider)
      let writer = try await RawWriter(in: provider, "a.pdf")
      let claim = try await writer.ask(for: "a.pdf", purpose: "org.example.sync").granted()
      app.tell("purpose", "c", "org.example.sync")
      #expect(try await app.ask("read", "r", "c", item: "a.pdf") == "r granted")
      #expect(try await app.ask("go", "r") == "r done")
      try await writer.finish(claim)
    }
  }

  @Test func `tells a provider that was lost in mid-wait from one that cannot be reached`() async throws {
    try await with { provider in
      let app = try await app(in: provider)
      let hold = try await provider.hold(.download, "a.pdf")
      app.tell("read", "r", "-", item: "a.pdf")
      try await hold.waitUntilParked()
      try await provider.kill()
      #expect(try await app.line() == "r failed 4097")
      // Mounted still, and nobody answers.
      #expect(try await app.ask("read", "r", "-", item: "a.pdf") == "r failed 4099")
      #expect(try await app.ask("start", item: "a.pdf") == "started false")
    }
  }
}
