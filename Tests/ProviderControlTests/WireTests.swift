import ProviderControl
@testable import ProviderModel
import Testing

private func roundTrip<Message: Codable & Equatable>(_ message: Message) throws -> Message {
  let line = try LineCoding.line(message)
  #expect(line.last == 0x0A)
  #expect(line.filter { $0 == 0x0A }.count == 1)
  return try LineCoding.message(Message.self, from: Array(line.dropLast()))
}

@Suite struct `A line` {
  @Test func `carries every field of a request`() throws {
    var request = RequestLine(id: 7, verb: "coordinate")
    request.path = WirePath(bytes: Array("Übung/a\nb \"c\".pdf".utf8))
    request.paths = [WirePath(bytes: Array("x".utf8))]
    request.app = "org.example"
    request.covers = "descendants"
    request.byUser = true
    request.reads = false
    request.operation = "read"
    request.at = "40%"
    request.name = "h"
    request.error = "EIO"
    request.condition = "hold:h"
    request.action = "advance"
    request.value = "60s"
    request.follow = true
    request.since = .max
    request.intents = [IntentLine(path: WirePath(bytes: [0x61]), kind: "read", options: ["withoutChanges"])]
    request.purpose = "p"
    request.claim = .max
    request.request = 3
    #expect(try roundTrip(request) == request)
  }

  @Test(arguments: [[0xFF, 0xFE, 0x2F, 0x61], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]])
  func `carries a path that is not UTF-8`(bytes: [UInt8]) throws {
    let line = try LineCoding.line(WirePath(bytes: bytes))
    #expect(String(decoding: line, as: UTF8.self).contains("path_b64"))
    #expect(try roundTrip(WirePath(bytes: bytes)).bytes == bytes)
  }

  @Test func `keeps names apart that differ only in normalization`() throws {
    let composed = WirePath(bytes: Array("\u{E9}".utf8))
    let decomposed = WirePath(bytes: Array("e\u{301}".utf8))
    #expect(try roundTrip(composed) != roundTrip(decomposed))
  }

  @Test func `may say a path as an object`() throws {
    let path = try LineCoding.message(WirePath.self, from: Array(#"{"path": "a/b"}"#.utf8))
    #expect(path.text == "a/b")
  }

  @Test(arguments: [
    #"{"id": 1, "verb": "pick", "path": {"path_b64": "%%"}}"#, #"{"id": 1}"#, #"{"id": "1", "verb": "x"}"#,
    "[]", "", "{", "\u{0}",
  ])
  func `that makes no sense is malformed`(text: String) {
    let error = #expect(throws: ConnectionProblem.self) {
      try LineCoding.message(RequestLine.self, from: Array(text.utf8))
    }
    guard case .malformed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `may have keys that nobody knows`() throws {
    let text = #"{"id": 1, "verb": "holds", "colour": "red"}"#
    #expect(
      try LineCoding.message(RequestLine.self, from: Array(text.utf8)) == RequestLine(id: 1, verb: "holds"))
  }

  @Test func `is a mebibyte long at most`() {
    var request = RequestLine(verb: "release")
    request.name = String(repeating: "x", count: LineCoding.limit_bytes)
    #expect(throws: ConnectionProblem.lineTooLong) { try LineCoding.line(request) }
  }

  @Test func `carries every answer`() throws {
    let path = try #require(ItemPath("a/b.pdf"))
    let process = ProcessID(number: 12, serial: 1)
    let status = ItemStatus(
      path: path, id: ItemID(4), kind: .file, copy: .downloading, upload: .clean, size: 10, arrived: 4,
      transfer: TransferStatus(phase: .streaming, bytesPerSecond: 5), version: 2, localVersion: 1,
      conflicts: 3, isPinned: true, isPackage: true, isUnlisted: true, openHandles: 1, scopes: [process],
      claims: [ClaimID(9)])
    let rule = Rule(name: "r", operations: [.open], effect: RuleEffect(disturbance: .stall))
    let answers: [Answer] = [
      .done, .items([status]), .grants([GrantStatus(path: path, app: AppID("x"))]),
      .copies([
        PickedCopy(
          path: path, copy: MadeCopy(file: Array("/i/b.pdf".utf8), device: 1, inode: 2, modified: FileTime()))
      ]),
      .started(false),
      .revoked(RevocationSummary(grants: 1, scopes: 2, descriptors: 3, processesKilled: 4)), .hold("h"),
      .holds([HoldStatus(name: "h", operation: .read, path: path, at: .millionths(400_000), parked: 1)]),
      .relieved([status], bytes: 9),
      .remote(RemoteResult(path: path, id: ItemID(4), version: 2, after: "hold h", unseen: .EACCES)),
      .released(2), .rules([RuleStatus(rule: rule, considered: 3, hits: 2)]),
      .explanation(
        Explanation(
          outcome: .fails(.fault(.EIO)), takes: .seconds(1), rules: ["r"], steps: ["evicted a"],
          nearMisses: [Explanation.NearMiss(rule: "s", reasons: ["no"])])), .claim(ClaimID(9), [path]),
      .failure(.accessRevoked, path), .failure(.nonEvictableChild(.nonEvictable), path),
    ]
    for answer in answers {
      let reply = ReplyLine(id: 1, answer, mountpoint: "/m", rules: .named)
      #expect(try roundTrip(reply) == reply)
    }
    let grants = ReplyLine(id: 1, answers[2], mountpoint: "/m n", rules: .named).grants
    #expect(grants?.first?.url == "file:///m%20n/a/b.pdf")
  }
}

@Suite struct `An error on the wire` {
  static let errors: [ProviderError] =
    [
      .accessNotGranted, .accessRevoked, .callerNotVisible, .tooManyScopes, .noSuchItem, .notADirectory,
      .isADirectory, .notASymbolicLink, .readOnly, .sourceChanged, .interrupted, .canceled, .stopping, .busy,
      .badHandle, .noSuchAttribute, .resultTooLarge, .notSupported, .invalid("because"), .deviceLocked,
      .materializationForbidden,
    ] + ErrnoName.allCases.flatMap { [.source($0), .released($0), .fault($0), .unreachable($0)] }
    + FileProviderErrorName.allCases.filter { $0 != .noSuchItem }.map { .provider($0) }
    + CocoaErrorName.allCases.map { .cocoa($0) }

  @Test(arguments: errors) func `is the same error again`(error: ProviderError) {
    #expect(ProviderError(ErrorLine(error, path: nil)) == error)
  }

  @Test func `of a later version is none that this one knows`() {
    #expect(ProviderError(ErrorLine(code: "moonPhase", errno: "EIO", message: "")) == nil)
    #expect(ProviderError(ErrorLine(code: "source", errno: "EMOON", message: "")) == nil)
  }

  @Test(arguments: ErrnoName.allCases) func `has this system's number`(name: ErrnoName) {
    #expect(ErrnoName(number: name.number) == name)
  }
}
