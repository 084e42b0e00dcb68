import Foundation
import ProviderTesting
import Testing

/// An error with which a held operation is released reaches the program, however the program reads.
@Suite(.timeLimit(.minutes(5))) struct `A read that was released with an error` {
  private static let size = 1_000_000
  private let source: StagingFolder

  init() throws {
    source = try StagingFolder()
    try source.write("a.pdf", Data(repeating: 1, count: Self.size))
  }

  /// An app that has opened the item; it was granted and started.
  private func with(
    kernel: String?, _ body: (RunningProvider, SteeredApp) async throws -> Void
  ) async throws {
    try await withProvider(profile: "instant", source: .folder(source.path), kernel: kernel) { provider in
      try await provider.pick("a.pdf")
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("start", item: "a.pdf") == "started true")
      #expect(try await app.ask("open", "f", item: "a.pdf") == "f opened")
      try await body(provider, app)
    }
  }

  @Test func `fails once, and the next goes on`() async throws {
    try await with(kernel: nil) { provider, app in
      for _ in 0..<2 {
        let hold = try await provider.hold(.read, "a.pdf")
        app.tell("pread", "f")
        try await hold.waitUntilParked()
        #expect(try await hold.release(error: "EIO") == 1)
        #expect(try await app.line() == "f failed EIO")
      }
      #expect(try await app.ask("pread", "f") == "f 100")
    }
  }

  /// Before Linux 6.6 a file that was opened before there was a hold is read through the page cache, always.
  @Test(arguments: [("sendfile", nil), ("sendfile", "6.1"), ("pread", "6.1")] as [(String, String?)])
  func `through the page cache fails as long as it is open, and the next open goes on`(
    verb: String, kernel: String?
  ) async throws {
    try await with(kernel: kernel) { provider, app in
      let hold = try await provider.hold(.read, "a.pdf", at: verb == "pread" ? nil : "41%")
      app.tell(verb, "f")
      try await hold.waitUntilParked()
      #expect(try await hold.release(error: "EIO") == 1)
      #expect(try await app.line() == "f failed EIO")
      for _ in 0..<3 { #expect(try await app.ask(verb, "f") == "f failed EIO") }
      #expect(try await app.ask("open", "g", item: "a.pdf") == "g opened")
      #expect(try await app.ask(verb, "g").contains("failed") == false)
    }
  }

  @Test(arguments: [nil, "6.1"] as [String?], ["pread", "sendfile"])
  func `fails for want of its download, which is not begun again unasked`(
    kernel: String?, verb: String
  ) async throws {
    try await with(kernel: kernel) { provider, app in
      let hold = try await provider.hold(.download, "a.pdf", at: "40%")
      app.tell(verb, "f")
      try await hold.waitUntilParked()
      try await hold.release(error: "EIO")
      #expect(try await app.line() == "f failed EIO")
      #expect(try await provider.status(of: "a.pdf").copy == .dataless)
      let downloads = try await provider.journal().map(\.name).filter { $0.hasPrefix("download") }
      #expect(downloads == ["downloadStarted", "downloadFailed"])
    }
  }

  @Test func `ends who reads through a map with SIGBUS`() async throws {
    try await with(kernel: nil) { provider, app in
      let hold = try await provider.hold(.read, "a.pdf", at: "40%")
      app.tell("map", "f")
      try await hold.waitUntilParked()
      try await hold.release(error: "EIO")
      #expect(try await app.end() == .signaled(SIGBUS))
    }
  }
}
