import Foundation
import ProviderTesting
import Testing

/// One command and what comes of it. Data is on standard output, words are on standard error.
private struct Try: Sendable {
  var words: [String]
  var code: Int32 = 0
  /// Parts of what is said; nil: nothing is.
  var output: String?
  var errors: String?

  init(_ words: String..., code: Int32 = 0, output: String? = nil, errors: String? = nil) {
    (self.words, self.code, self.output, self.errors) = (words, code, output, errors)
  }
}

private func carryOut(_ tries: [Try], _ bench: Bench, _ environment: [String: String?] = [:]) async throws {
  for one in tries {
    let said = try await bench.run(["fakeprovider"] + one.words, environment: environment)
    let line = one.words.joined(separator: " ")
    #expect(said.code == one.code, "\(line): \(said)")
    for (part, text) in [(one.output, said.output), (one.errors, said.errors)] {
      if let part {
        #expect(text.contains(part), "\(line): \(said)")
      } else {
        #expect(text == "", "\(line): \(said)")
      }
    }
    guard one.words.contains("--json"), one.code == 0 else { continue }
    for json in said.output.split(separator: "\n") {
      #expect(throws: Never.self, "\(line): \(json)") {
        try JSONSerialization.jsonObject(with: Data(json.utf8))
      }
    }
  }
}

/// Exit code 0 done, 1 what was asked for failed, 2 the command line is wrong.
@Suite struct `Every verb on the command line` {
  @Test func `about access does what it says`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let file = bench.file("b.txt")
      let missing = bench.file("none")
      let url = "file://\(file)\n"
      try await carryOut(
        [
          Try("pick", file, output: url, errors: "granted every app: 1 item\n"),
          Try(
            "pick", file, "--app", "com.example", output: url, errors: "granted the app com.example: 1 item"),
          Try("pick", file, "--json", output: #"{"grants":[{"path":"\#(file)""#),
          Try("pick", missing, code: 1, errors: missing),
          Try("pick", code: 2, errors: "needs PATH\nusage: fakeprovider pick"),
          Try("pick", "/", code: 1, errors: "is not inside a mounted provider"),
          Try("revoke", file, errors: "revoked 2 grants, ended 0 started scopes\n"),
          Try("revoke", file, "--json", output: #"{"revoked":{"descriptors":0,"#),
          Try("revoke", missing, code: 1, errors: missing),
          Try(
            "revoke", file, "--now", code: 2, errors: "there is no option --now"),
          Try("access", file, "--app", "x", "--", "cat", file, output: "bee\n"),
          Try("restore", file, errors: "restored what was revoked of 1 item\n"),
          Try("restore", file, "--json", output: #"{"restored":["\#(file)"]}"#),
          Try("restore", missing, code: 1, errors: missing),
          Try("restore", code: 2, errors: "usage: fakeprovider restore"),
          Try("access", file, code: 2, errors: "needs -- COMMAND…\nusage: fakeprovider access"),
        ], bench)
    }
  }

  @Test func `about content does what it says`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let file = bench.file("b.txt")
      let missing = bench.file("none")
      try await carryOut(
        [
          Try("download", file, errors: "\(file) is local (4 B)\n"),
          Try("download", file, "--json", output: #""copy":"local""#, errors: "is local"),
          Try("download", missing, code: 1, errors: missing),
          Try("download", "--all", code: 2, errors: "usage: fakeprovider download"),
          Try("status", file, output: "local"),
          Try("status", file, "--json", output: #"{"items":[{"claims":[],"copy":"local""#),
          Try("status", missing, code: 1, errors: missing),
          Try("status", "--provider", bench.cloud, errors: "nothing is open or under way\n"),
          Try("status", "--provider", bench.cloud, "--json", output: #"{"items":[]}"#),
          Try("evict", file, errors: "\(file) is dataless (4 B)\n"),
          Try("evict", file, "--json", output: #""copy":"dataless""#, errors: "is dataless"),
          Try("evict", missing, code: 1, errors: missing),
          Try("pin", file, errors: "\(file) is pinned ("),
          Try("evict", file, code: 1, errors: "'fakeprovider unpin' lets it go"),
          Try("status", file, output: "pinned"),
          Try("unpin", file, "--json", output: #""copy":"#, errors: "\(file) is not pinned\n"),
          Try("pin", missing, code: 1, errors: missing),
          Try("pin", code: 2, errors: "usage: fakeprovider pin"),
          Try("evict", code: 2, errors: "usage: fakeprovider evict"),
        ], bench)
    }
  }

  @Test func `about holds and time does what it says`() async throws {
    try await withBench { bench in
      try await bench.mount("--clock", "manual")
      let file = bench.file("b.txt")
      let control: [String: String?] = ["FAKEPROVIDER_CONTROL": try bench.provider().socket]
      try await carryOut(
        [
          Try("holds", errors: "no hold is set\n"),
          Try("hold", "read", file, output: "h1\n"),
          Try(
            "hold", "download", file, "--at", "40%", "--name", "forty", "--json", output: #"{"name":"forty"}"#
          ),
          Try(
            "hold", "open", file, "--name", "forty", code: 1, errors: "there is a hold named forty already"),
          // A refused hold uses up no number.
          Try("hold", "open", file, output: "h3\n"),
          Try("hold", "opne", file, code: 2, errors: "did you mean \"open\"?\nusage: fakeprovider hold"),
          Try("hold", "read", file, "--at", "half", code: 2, errors: "half"),
          Try("holds", output: "forty  download   40%"),
          Try("holds", "--json", output: #""name":"forty""#),
          Try("holds", file, code: 2, errors: "one word too many"),
          Try("wait", "hold:h1", "--timeout", "1ms", code: 1, errors: "nothing is parked there"),
          Try("wait", "hold:h9", "--timeout", "1ms", code: 1, errors: "there is no hold of that name"),
          Try("wait", "state:\(file)=local", "--timeout", "1ms", code: 1, errors: "it is dataless"),
          Try("wait", "state:\(file)=dataless"),
          Try("wait", "state:\(file)=dataless", "--json", output: #"{"condition":"state:"#),
          Try("wait", "state:\(file)=locl", code: 2, errors: "usage: fakeprovider wait"),
          Try("wait", "hold:h1", "--timeout", "soon", code: 2, errors: "--timeout takes a length like 500ms"),
          Try("release", "h9", code: 1, errors: "there is no hold named h9: set are h1, forty, h3\n"),
          Try("release", "h1", errors: "nothing was parked there; the hold is gone\n"),
          Try("release", "forty", "--json", output: #"{"released":0}"#),
          Try("release", "h3", "--error", "ENOTHING", code: 2, errors: "ENOTHING"),
          Try("release", code: 2, errors: "needs H\nusage: fakeprovider release"),
          Try("clock", output: "manual  nothing\n"),
          Try("clock", "advance", "2500ms", output: "2.500s  manual"),
          Try("clock", "--json", output: #""nowNanoseconds":2500000000"#),
          Try("clock", "advance", code: 2, errors: "advance needs a length like 60s, or --to-next\nusage:"),
          Try("clock", "advance", "much", code: 2, errors: "much"),
          Try("clock", "advnce", "1s", code: 2, errors: "did you mean \"advance\"?"),
          Try("events", output: "hold h1, of read\n"),
          Try("events", "--json", output: #""name":"holdReleased""#),
          Try("events", "--since", "1", code: 2, errors: "usage: fakeprovider events"),
        ], bench, control)
      let events = try await bench.fakeprovider("events", "--json", environment: control)
      let lines = events.output.split(separator: "\n")
      for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      #expect(lines.count >= 2)
    }
  }

  @Test func `about a clock that runs refuses to move it`() async throws {
    try await withBench { bench in
      try await bench.mount("--clock", "scaled:1000")
      let control: [String: String?] = ["FAKEPROVIDER_CONTROL": try bench.provider().socket]
      try await carryOut(
        [
          Try("clock", "advance", "1s", code: 1, errors: "a clock that runs cannot be advanced"),
          Try("clock", output: "1000 times as fast"),
          Try("clock", "pause", output: "paused"),
          Try("clock", "advance", "1s", output: "paused"),
          Try("clock", "resume", "1s", code: 2, errors: "resume takes no value"),
          Try("clock", "resume", output: "1000 times as fast"),
          Try("clock", "scale", "0", code: 2, errors: "0"),
          Try("clock", "scale", "2", "--json", output: #""scale":2"#),
        ], bench, control)
    }
  }

  @Test func `about itself says it`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let bad = bench.path + "/bad.json"
      try Data(#"{"schemaVersion": 1, "name": "bad", "sed": 1}"#.utf8).write(to: URL(fileURLWithPath: bad))
      let odd = bench.path + "/odd.json"
      let rule = #"{"name": "r", "on": "read", "window": {"from": "1s"}, "effect": {"error": "EIO"}}"#
      try Data(#"{"schemaVersion": 1, "name": "odd", "extends": "instant", "rules": [\#(rule)]}"#.utf8)
        .write(to: URL(fileURLWithPath: odd))
      try await carryOut(
        [
          Try("profile", "list", output: "icloud-drive  "),
          Try("profile", "list", "--json", output: #"{"profiles":[{"name":"#),
          Try("profile", "show", "instant", output: #""schemaVersion": 1"#),
          Try("profile", "show", "instant", output: #""$schema": "./schema.json""#),
          Try("profile", "show", "--effective", "instant", output: #""concurrency": 4"#),
          Try("profile", "show", "--effective", odd, output: #""on": "read", "fail": { "after": 0"#),
          Try("profile", "show", "instnt", code: 1, errors: "nearest name \"instant\""),
          Try("profile", "schema", output: "json-schema.org/draft/2020-12"),
          Try("profile", "schema", "instant", code: 2, errors: "schema takes no profile"),
          Try("profile", "check", "--effective", "instant", code: 2, errors: "--effective goes with show"),
          Try("profile", "check", odd, output: "rules[0].effect.error: warning: on a replicated provider"),
          Try("profile", "check", odd, output: "\(odd): ok\n"),
          Try("profile", "check", "--json", odd, output: #""weight":"note""#),
          Try("profile", "check", "instant", output: "instant: ok\n"),
          Try("profile", "check", bad, code: 1, output: "\(bad):1:37: sed"),
          Try(
            "profile", "chek", bad, code: 2, errors: "did you mean \"check\"?\nusage: fakeprovider profile"),
          Try("profile", "show", code: 2, errors: "show takes one profile\nusage: fakeprovider profile"),
          Try("version", output: "fakeprovider "),
          Try("version", "--json", output: #"{"version":"#),
          Try("--version", output: "fakeprovider "),
          Try("doctor", output: "/dev/fuse"),
          Try("doctor", "--json", output: #""mayMount":true"#),
          Try("doctor", "please", code: 2, errors: "usage: fakeprovider doctor"),
          Try("--help", output: "verbs:\n"),
          Try("help", "evict", output: "usage: fakeprovider evict"),
          Try(code: 2, errors: "a verb is missing\nusage: fakeprovider VERB"),
          Try("mout", code: 2, errors: "did you mean \"mount\"?\nusage: fakeprovider VERB"),
          Try("list", "--jsn", code: 2, errors: "did you mean --json?\nusage: fakeprovider list"),
        ], bench)
      // Other providers of this machine may be in it, too.
      for words in [["list"], ["list", "--json"]] {
        let said = try await bench.run(["fakeprovider"] + words)
        #expect(said.code == 0 && said.output.contains(bench.cloud), "\(said)")
      }
      let mount = try await bench.fakeprovider("mount", "--help")
      #expect(mount.output.contains("--profile P") && !mount.output.contains("--lifeline"))
    }
  }

  @Test func `that waits returns when it has come true, and events follow until the end`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let file = bench.file("a.pdf")
      let control: [String: String?] = ["FAKEPROVIDER_CONTROL": try bench.provider().socket]
      let follower = try bench.start(["fakeprovider", "events", "--follow", "--json"], environment: control)
      try await bench.fakeprovider("hold", "read", file, "--at", "50%", "--name", "half")
      let reader = try bench.start(["fakeprovider", "access", file, "--", "sha256sum", file])
      let waited = try await bench.fakeprovider("wait", "hold:half", environment: control)
      #expect(waited.code == 0 && waited.output == "" && waited.errors == "", "\(waited)")
      #expect(try await bench.fakeprovider("holds", environment: control).output.contains("50%       1"))
      #expect(try await bench.fakeprovider("status", environment: control).output.contains("a.pdf"))
      let released = try await bench.fakeprovider(
        "release", "half", "--error", "ETIMEDOUT", environment: control)
      #expect(released.errors == "1 operation failed with ETIMEDOUT\n", "\(released)")
      let read = try await reader.said()
      #expect(read.code == 1 && read.errors.contains("Connection timed out"), "\(read)")

      let waiting = try bench.start(["fakeprovider", "wait", "event:evicted"], environment: control)
      // It may not wait yet when the first one happens.
      while waiting.process.hasEnded == nil {
        _ = try await bench.bash("fakeprovider download cloud/a.pdf; fakeprovider evict cloud/a.pdf")
      }
      #expect(try await waiting.said().code == 0)

      try await bench.fakeprovider("unmount", bench.cloud)
      let followed = try await follower.said()
      #expect(followed.code == 0 && followed.errors.contains("has ended"), "\(followed.errors)")
      for name in ["held", "holdReleased", "scopeStarted", "evicted"] {
        #expect(followed.output.contains("\"name\":\"\(name)\""), "\(name)")
      }
    }
  }

  @Test func `asks an app by the file that it runs, whatever links lead there`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let said = try await bench.bash(
        """
        ln -s "$(command -v python3)" app
        fakeprovider pick --app ./app cloud/b.txt
        fakeprovider pick --app ./none cloud/b.txt
        readlink -f app
        """)
      let lines = said.output.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(said.errors.contains("granted the app \(lines.last ?? "-"): 1 item\n"), "\(said)")
      #expect(said.errors.contains("granted the app ./none: 1 item\n"), "\(said)")
    }
  }
}
