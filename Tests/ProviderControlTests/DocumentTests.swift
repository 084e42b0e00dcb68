import FakeServer
import Foundation
import ProviderControl
import ProviderModel
import Testing

/// docs/control-protocol.md against the code.
@Suite struct `The protocol's page` {
  private let page: String

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    page = try String(contentsOf: root.appendingPathComponent("docs/control-protocol.md"), encoding: .utf8)
  }

  @Test func `has every verb, event and error`() {
    for verb in Verb.all { #expect(page.contains("| `\(verb)` |"), "\(verb)") }
    for event in EventName.allCases { #expect(page.contains("`\(event.rawValue)`"), "\(event)") }
    for error in `An error on the wire`.errors { #expect(page.contains("`\(error.name)`"), "\(error.name)") }
  }

  @Test func `has a Python client that runs`() async throws {
    let marked = try #require(page.range(of: "<!-- runnable: python-client"))
    let fence = try #require(page.range(of: "```python\n", range: marked.upperBound..<page.endIndex))
    let close = try #require(page.range(of: "```", range: fence.upperBound..<page.endIndex))
    let program = String(page[fence.upperBound..<close.lowerBound])

    let server = try FakeServer { socket in
      let pick = try socket.nextRequest()
      let path = pick.path ?? WirePath(bytes: [])
      let grant =
        #"{"grants":[{"path":"\#(path.text)","url":"file:///m/\#(path.text)"}],"id":\#(pick.id),"ok":true}"#
      try socket.send(line: Array((grant + "\n").utf8))
      let start = try socket.nextRequest()
      try socket.reply(start) { $0.started = start.verb == "start" && start.path == pick.path }
      _ = try socket.nextRequest()
    }
    let (output, status) = try await blocking {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", "-c", program, server.path, "a.pdf"]
      process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "FAKEPROVIDER_CONTROL" }
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }
    #expect(status == 0)
    #expect(output == "granted file:///m/a.pdf\nstarted True\n")
  }
}
