import FakeServer
import Foundation
import ProviderControl
import ScopedAccess
import Testing

/// By the real mount table, with a mount that would hang whoever asked it anything.
@Suite(.enabled(if: StuckMount.isPossible, "mounting needs root and /dev/fuse"), .timeLimit(.minutes(10)))
struct `On a provider whose mount is stuck` {
  private let seen: Mailbox<RequestLine>
  private let mount: StuckMount
  private let server: FakeServer

  init() throws {
    let seen = Mailbox<RequestLine>(limit: 64)
    server = try FakeServer { socket in
      try socket.answerHello()
      while true {
        let request = try socket.nextRequest()
        seen.put(request)
        try socket.reply(request, ok: request.verb != "coordinate") { reply in
          switch request.verb {
          case "start": reply.started = request.path?.text == "in/a b.pdf"
          case "coordinate":
            reply.error = ErrorLine(code: "serverUnreachable", errno: "ETIMEDOUT", message: "offline")
          default: break
          }
        }
      }
    }
    mount = try StuckMount(socket: server.path)
    self.seen = seen
  }

  private func url(_ name: String) throws -> URL {
    // Not URL(fileURLWithPath:) alone, which asks the file system whether it is a folder.
    URL(fileURLWithPath: "\(mount.mountpoint)/\(name)", isDirectory: false)
  }

  private func verbs(_ count: Int) async throws -> [String] {
    let seen = seen
    return try await blocking {
      (0..<count).compactMap { _ in
        if case .value(let request) = seen.take(until: .never) { request.verb } else { nil }
      }
    }
  }

  @Test func `scopes are started and stopped`() async throws {
    let (granted, other) = (try url("in/a b.pdf"), try url("b.pdf"))
    let started = try await blocking {
      let started = granted.startAccessingSecurityScopedResource()
      granted.stopAccessingSecurityScopedResource()
      let throughNSURL = (granted as NSURL).startAccessingSecurityScopedResource()
      (granted as NSURL).stopAccessingSecurityScopedResource()
      return [started, throughNSURL, other.startAccessingSecurityScopedResource()]
    }
    #expect(started == [true, true, false])
    #expect(try await verbs(5) == ["start", "stop", "start", "stop", "start"])
  }

  @Test func `a token stops what it started, and only that`() async throws {
    let (granted, other) = (try url("in/a b.pdf"), try url("b.pdf"))
    let active = try await blocking {
      let first = granted.withSecurityScope { $0.isActive }
      let second = other.withSecurityScope { $0.isActive }
      let token = AccessToken(startingAccessTo: granted)
      let third = token.isActive
      token.stop()
      struct Failure: Error {}
      try? granted.withSecurityScope { (_) throws(Failure) in throw Failure() }
      return [first, second, third]
    }
    #expect(active == [true, false, true])
    #expect(try await verbs(7) == ["start", "stop", "start", "start", "stop", "start", "stop"])
  }

  @Test func `a failed coordinated read sets the error and runs no accessor`() async throws {
    let url = try url("in/a b.pdf")
    let (runs, error) = try await blocking {
      var error: NSError?
      var runs = 0
      NSFileCoordinator().coordinate(readingItemAt: url, error: &error) { _ in runs += 1 }
      NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in runs += 1 }
      return (runs, error.map { "\($0.domain) \($0.code)" })
    }
    #expect(runs == 0)
    #expect(error == "NSFileProviderErrorDomain -1004")
  }

  @Test func `start is false once the provider is gone`() async throws {
    server.stop()
    let url = try url("in/a b.pdf")
    #expect(try await blocking { !url.startAccessingSecurityScopedResource() })
  }
}
