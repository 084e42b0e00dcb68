import Foundation
import ProviderControl
@testable import ProviderTesting
import Testing

extension RunningProvider {
  /// Coordinated accesses to an item, granted or waiting.
  func claims(on path: ProviderTesting.ItemPath) async throws -> [UInt64] {
    let reply = try await call("status") { $0.path = WirePath(bytes: path.bytes) }
    return try #require(reply.items?.first).claims
  }

  /// Returns once the item has so many claims, granted or waiting: one that begins to wait leaves no event.
  func waitForClaims(_ count: Int, on path: ProviderTesting.ItemPath) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await claims(on: path).count != count {
      guard ContinuousClock.now < end else {
        throw StagingTrouble(description: "\(path) never had \(count) claims")
      }
      await Task.yield()
    }
  }

  /// The journal's events of claims, each as "claimGranted read" and whose it was.
  func claimEvents() async throws -> [ClaimEvent] {
    try await journal().filter { $0.name.hasPrefix("claim") }.map {
      ClaimEvent(what: "\($0.name) \($0.operation ?? "")", process: $0.process ?? 0)
    }
  }
}

struct ClaimEvent: Hashable {
  var what: String
  var process: Int32
}

/// An app in a process of its own, which does what it is told: Tests/CoordinationHelper.
final class SteeredApp: Sendable {
  let process: ChildProcess
  private let root: String

  init(in provider: RunningProvider, under words: [String] = []) throws {
    root = provider.path
    process = try ChildProcess(
      words + [BuiltProgram.path("CoordinationHelper")],
      // Without the crash reporter an app that is to crash ends at once.
      environment: ["FAKEPROVIDER_APP": nil, "SWIFT_BACKTRACE": "enable=no"])
  }

  var pid: Int32 { process.pid }

  /// Tells it to do something with an item. A last word that is empty means the root.
  func tell(_ verb: String, _ words: String..., item: String? = nil) {
    var words = [verb] + words
    if let item { words.append("\(root)/\(item)") }
    process.send(line: words.joined(separator: "\t"))
  }

  /// Lets what waits under this key go on.
  func go(_ key: String) { tell("go", key) }

  /// The next line that it says.
  func line() async throws -> String {
    try await blocking { [process] in
      guard let line = process.readLine(timeout: .seconds(60)) else {
        throw StagingTrouble(description: "the app says nothing: \(process.errorText)")
      }
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// What it says to a command that is answered at once.
  func ask(_ verb: String, _ words: String..., item: String? = nil) async throws -> String {
    var words = [verb] + words
    if let item { words.append("\(root)/\(item)") }
    process.send(line: words.joined(separator: "\t"))
    return try await line()
  }

  /// Kills it and waits until it is gone.
  func kill() async throws {
    process.send(signal: 9)
    _ = try await end()
  }

  /// Waits for its end.
  func end() async throws -> ChildProcess.End {
    try await blocking { [process] in
      guard let end = process.waitForEnd(timeout: .seconds(60)) else {
        throw StagingTrouble(description: "the app does not end")
      }
      return end
    }
  }

  deinit {
    process.send(signal: 9)
    process.closeInput()
  }
}

/// A writer that speaks the control protocol by itself: the test's own process.
final class RawWriter: Sendable {
  private let client: Client

  /// - Parameter items: what it is granted, and starts access to.
  init(in provider: RunningProvider, _ items: String...) async throws {
    let socket = Array(provider.socket.utf8)
    client = try await blocking { try Client(connectingTo: socket) }
    for item in items {
      try await call("pick") { $0.path = WirePath(bytes: Array(item.utf8)) }
      let reply = try await call("start") { $0.path = WirePath(bytes: Array(item.utf8)) }
      try #require(reply.started == true)
    }
  }

  /// A request to write that is on its way.
  struct Claim: Sendable {
    let reply: PendingReply
    let writer: RawWriter

    /// Returns once it is granted.
    func granted() async throws -> UInt64 {
      let reply = reply
      let answer = try await blocking { try reply.wait(timeout: .seconds(60)).checked() }
      return try #require(answer.claim)
    }
  }

  /// Asks for a coordinated write of all these items at once.
  func ask(for items: String..., purpose: String = "writer") async throws -> Claim {
    var request = RequestLine(verb: "coordinate")
    request.intents = items.map { IntentLine(path: WirePath(bytes: Array($0.utf8)), kind: "write") }
    request.purpose = purpose
    let filled = request
    let reply = try await blocking { [client] in try client.begin(filled) }
    return Claim(reply: reply, writer: self)
  }

  func finish(_ claim: UInt64) async throws { try await call("finish") { $0.claim = claim } }

  @discardableResult
  private func call(_ verb: String, _ fill: (inout RequestLine) -> Void) async throws -> ReplyLine {
    var request = RequestLine(verb: verb)
    fill(&request)
    let filled = request
    return try await blocking { [client] in try client.call(filled, timeout: .seconds(60)) }
  }

  deinit { client.close() }
}
