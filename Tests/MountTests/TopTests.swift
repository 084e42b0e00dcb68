import Foundation
import ProviderTesting
import Testing

@Suite(.serialized, .enabled(if: Bench.isRoot, "a private mount table needs root"))
struct `top on a terminal` {
  private static let keys = "h hold  r release  v revoke  e evict  d download  a advance  ? help  q quit"

  private func mount(_ tmux: Tmux, _ options: String = "--clock manual --profile slow-cloud") async throws {
    let mounted = try await tmux.type("fakeprovider mount \(options) --source source --background cloud")
    try #require(mounted.code == 0, "\(mounted.lines)")
  }

  /// Whether `top` has the other screen and no cursor.
  private func expectTerminal(
    _ tmux: Tmux, isTaken: Bool, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let flags = "#{cursor_flag} #{alternate_on}"
    let said = try await tmux.tmux("display", "-p", "-t", Tmux.target("shell"), flags).output
    #expect(said == (isTaken ? "0 1\n" : "1 0\n"), sourceLocation: location)
  }

  private func shown(_ tmux: Tmux, _ rows: [String], time: String = "online 0s manual clock") -> String {
    let above = ["fakeprovider top \(tmux.bench.cloud) slow-cloud seed 1 device", time]
    return (above + rows).joined(separator: "\n")
  }

  @Test func `shows what goes on, and does what keys say`() async throws {
    try await withTmux { tmux in
      try await mount(tmux)
      try await tmux.open("top", "fakeprovider top cloud")
      let blank = Array(repeating: "", count: 16)
      try await tmux.expectWhole(
        shown(
          tmux,
          [
            "", " ITEMS 3 SIZE COPY % RATE PHASE OPEN", "> a.pdf 300 kB dataless", " b.txt 4 B dataless",
            " in/ folder",
          ] + blank + [Self.keys]), in: "top")
      try await tmux.press(["h", "d", "40%", "Enter"], in: "top")
      try await tmux.expect(["the next download of a.pdf stops at 40%, at the hold h1"], in: "top")
      try await tmux.type("fakeprovider access cloud/a.pdf -- sha256sum cloud/a.pdf > sum &")
      try await tmux.type("fakeprovider wait state:cloud/a.pdf=downloading")
      try await tmux.press(["a", "60s", "Enter"], in: "top")
      try await tmux.expectWhole(
        shown(
          tmux,
          [
            "", " ITEMS 3 SIZE COPY % RATE PHASE OPEN", "> a.pdf 300 kB downloading 40 0 B/s held 1",
            " b.txt 4 B dataless", " in/ folder", "", " WAITING 2 HOLD OPERATION WHO FOR",
            " a.pdf (content) read sha256sum 7 60.000s", " a.pdf h1 download", "",
            " SCOPES 1 APP PROCESS STARTS COVERS", " a.pdf sha256sum 7 1 descendants", "", "", "", "", "", "",
            "", "",
            "it is 60.000s of provider time now", Self.keys,
          ], time: "online 60.000s manual clock"), in: "top")
      try await tmux.press(["Down", "Down", "Down", "Down"], in: "top")
      try await tmux.expect(["> a.pdf h1 download"], in: "top")
      try await tmux.press(["r", "Enter"], in: "top")
      try await tmux.expect(["h1: 1 operation let go"], in: "top")
      try await tmux.press(["n"], in: "top")
      try await tmux.type("wait")
      let sum = try await tmux.type(
        "sha256sum < source/a.pdf | diff - <(sed 's/cloud.a.pdf/-/' sum) && echo same")
      #expect(sum.lines == ["same"])
      try await tmux.press(["Up", "Up", "Up", "Up", "Up", "e"], in: "top")
      try await tmux.expect(["> a.pdf 300 kB dataless", "a.pdf is dataless again"], in: "top")
      try await tmux.press(["Down", "Down", "Enter"], in: "top")
      try await tmux.expect(["online 61.000s manual clock in in/", "> in/c.txt 4 B dataless"], in: "top")
      try await tmux.press(["?"], in: "top")
      try await tmux.expect(["q, Ctrl-C quit; the provider goes on"], in: "top")
    }
  }

  @Test(arguments: ["q", "C-c", "TERM", "provider"])
  func `gives its terminal back as it was`(end: String) async throws {
    try await withTmux { tmux in
      try await mount(tmux)
      let before = try await tmux.type("stty -g; echo marker")
      try await tmux.press(["fakeprovider top cloud", "Enter"], in: "shell")
      try await tmux.expect([" ITEMS 3 SIZE COPY % RATE PHASE OPEN"], in: "shell")
      #expect(try await tmux.screen("shell").contains("marker") == false)
      switch end {
      case "TERM":
        kill(try await tmux.foreground("shell"), SIGTERM)
      case "provider": kill(try await tmux.provider(), SIGKILL)
      default: try await tmux.press([end], in: "shell")
      }
      #expect(try await tmux.code() == ["q": 0, "C-c": 130, "TERM": 143, "provider": 0][end])
      // Its screen, settings and cursor are what they were.
      let lines = try await tmux.screen("shell")
      #expect(lines.contains("marker"), "\(lines)")
      #expect(
        lines.contains("the provider of \(tmux.bench.cloud) has ended") == (end == "provider"), "\(lines)")
      #expect(try await tmux.type("stty -g").lines == Array(before.lines.prefix(1)))
      try await expectTerminal(tmux, isTaken: false)
    }
  }

  @Test func `follows its terminal's size, and says when that is too small`() async throws {
    try await withTmux { tmux in
      try await mount(tmux)
      try await tmux.open("top", "fakeprovider top cloud")
      try await tmux.expect(["> a.pdf 300 kB dataless"], in: "top")
      try await tmux.tmux("resize-window", "-t", Tmux.target("top"), "-x", "60", "-y", "20")
      try await tmux.expectWhole(
        "top needs 80 columns and 24 rows;\nthis terminal has 60 and 20.\nq quits.", in: "top")
      try await tmux.tmux("resize-window", "-t", Tmux.target("top"), "-x", "120", "-y", "40")
      try await tmux.expect(["> a.pdf 300 kB dataless"], in: "top")
      #expect(try await tmux.screen("top")[39] == Self.keys)
    }
  }

  @Test func `lets go of the terminal while it is stopped`() async throws {
    try await withTmux { tmux in
      try await mount(tmux)
      try await tmux.press(["fakeprovider top cloud", "Enter"], in: "shell")
      try await tmux.expect(["> a.pdf 300 kB dataless"], in: "shell")
      try await tmux.press(["C-z"], in: "shell")
      try await tmux.expect(["[1]+ Stopped fakeprovider top cloud"], in: "shell")
      try await expectTerminal(tmux, isTaken: false)
      try await tmux.press(["fg", "Enter"], in: "shell")
      try await tmux.expect(["> a.pdf 300 kB dataless", Self.keys], in: "shell")
      try await expectTerminal(tmux, isTaken: true)
      try await tmux.press(["q"], in: "shell")
      #expect(try await tmux.code() == 0)
      try await expectTerminal(tmux, isTaken: false)
    }
  }

  @Test func `goes on while the provider is stopped, and says so`() async throws {
    try await withTmux { tmux in
      try await mount(tmux)
      try await tmux.open("top", "fakeprovider top cloud")
      try await tmux.expect(["> a.pdf 300 kB dataless"], in: "top")
      let process = try await tmux.provider()
      kill(process, SIGSTOP)
      try await tmux.expect(["no answer for 2s: is the provider stopped?"], in: "top")
      try await tmux.press(["?"], in: "top")
      try await tmux.expect(["q, Ctrl-C quit; the provider goes on"], in: "top")
      kill(process, SIGCONT)
      try await tmux.press(["x"], in: "top")
      try await tmux.expect(["online 0.000s manual clock", "> a.pdf 300 kB dataless"], in: "top")
    }
  }

  @Test func `without a terminal prints one screen, or says what to do`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let refused = try await bench.fakeprovider("top", bench.cloud)
      #expect(refused.code == 2 && refused.output == "" && refused.errors.contains("--once"), "\(refused)")
      let once = try await bench.fakeprovider("top", "--once", bench.cloud)
      #expect(
        once.code == 0 && once.output.contains("\n  a.pdf ") && !once.output.contains("\u{1B}"), "\(once)")
      let json = try await bench.fakeprovider("top", "--json", bench.cloud)
      let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
      #expect(
        (object?["items"] as? [Any])?.count == 3 && object?["condition"] as? String == "online", "\(json)")
      let outside = try await bench.fakeprovider("top", "/")
      #expect(outside.code == 1 && outside.errors.contains("not inside a mounted provider"), "\(outside)")
    }
  }
}
