import Foundation
import ProviderTesting
import Testing

/// Terminals of 80 columns and 24 rows that nobody looks at but a test.
struct Tmux: Sendable {
  let bench: Bench
  private var socket: String { bench.path + "/tmux" }

  /// Starts the terminal server with a shell in a window named `shell`, where no provider of anybody else is mounted.
  init(_ bench: Bench) async throws {
    self.bench = bench
    // Mounts of others are taken away first, in a mount table of our own. One may end by itself meanwhile.
    let script = #"""
      while mounts=$(awk '/ - fuse.fakeprovider /{ print $5 }' /proc/self/mountinfo); [[ -n $mounts ]]; do
        while read -r mount; do umount -l -- "$(printf '%b' "$mount")"; done <<<"$mounts"
      done
      # A bash that nobody types into does not hand on its prompts.
      export PS1=$3 PS2=
      exec tmux -f /dev/null -S "$1" new-session -d -x 80 -y 24 -n shell -c "$2" bash --norc --noprofile -i
      """#
    // Bash says the number of the command and the code of the one before, so that its end can be seen.
    let said = try await bench.run(
      [
        "unshare", "--mount", "--propagation", "private", "bash", "-c", script, "tmux", socket, bench.path,
        ##"\#:$?> "##,
      ],
      environment: ["HISTFILE": nil, "TERM": "xterm", "PROMPT_COMMAND": nil])
    try #require(said.code == 0, "\(said)")
  }

  func end() async throws {
    // By the server, which is where the mounts are, whatever the shell is busy with.
    _ = try await tmux("run-shell", "cd / && fakeprovider unmount --all")
    try await tmux("kill-server")
  }

  /// Exactly the window of this name: `top` alone is tmux's word for a place.
  static func target(_ window: String) -> String { ":=\(window)" }

  @discardableResult
  func tmux(_ words: String...) async throws -> Said {
    try await bench.run(["tmux", "-S", socket] + words)
  }

  // MARK: The shell

  struct Output {
    var lines: [String]
    var code: Int32
  }

  /// Types a command, or several lines, and waits for its end.
  @discardableResult
  func type(_ command: String) async throws -> Output {
    let before = try await prompt()
    try await tmux("send-keys", "-t", Self.target("shell"), "-l", command)
    try await tmux("send-keys", "-t", Self.target("shell"), "Enter")
    let (lines, after) = try await until("the end of \(command)") { () -> ([String], Prompt)? in
      let lines = try await self.shellLines()
      guard let prompt = Prompt(lines.last ?? ""), prompt.number > before.number else { return nil }
      return (lines, prompt)
    }
    // What it says begins after the line on which it was typed.
    let typed = command.split(separator: "\n", omittingEmptySubsequences: false).count
    let start = lines.lastIndex { $0.hasPrefix("\(before.number):") } ?? 0
    return Output(
      lines: lines.dropLast().dropFirst(start + typed).filter { $0.firstMatch(of: /^\[\d+\]/) == nil },
      code: after.code)
  }

  /// Of the last command, once it has ended.
  func code() async throws -> Int32 { try await prompt().code }

  /// The provider's process: its socket is named after it.
  func provider() async throws -> Int32 {
    let sockets = try await bench.bash("ls run/fakeprovider")
    return try #require(Int32(sockets.output.prefix { $0.isNumber }))
  }

  private struct Prompt {
    var number: Int
    var code: Int32
    init?(_ line: String) {
      guard let match = line.wholeMatch(of: /(\d+):(\d+)>/), let number = Int(match.1),
        let code = Int32(match.2)
      else { return nil }
      (self.number, self.code) = (number, code)
    }
  }

  private func prompt() async throws -> Prompt {
    try await until("a prompt") { Prompt(try await self.shellLines().last ?? "") }
  }

  private func shellLines() async throws -> [String] {
    let said = try await tmux("capture-pane", "-p", "-J", "-S", "-", "-t", Self.target("shell"))
    var lines = said.output.split(separator: "\n", omittingEmptySubsequences: false).map(Self.trimmed)
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  // MARK: Screens

  /// A window with a program of its own.
  func open(_ window: String, _ command: String) async throws {
    let said = try await tmux("new-window", "-d", "-n", window, "-c", bench.path, command)
    try #require(said.code == 0, "\(said)")
  }

  func press(_ keys: [String], in window: String) async throws {
    for key in keys { try await tmux("send-keys", "-t", Self.target(window), key) }
  }

  /// Waits until `top` has taken every key that was pressed before, and forgotten its message.
  func settle(_ window: String) async throws {
    for isHelp in [true, false] {
      try await press(["?"], in: window)
      _ = try await until("the keys of \(window)") { () -> Bool? in
        try await self.screen(window).contains { $0.contains("q, Ctrl-C") } == isHelp ? true : nil
      }
    }
  }

  /// The process that has a window's terminal now: that which its shell started.
  func foreground(_ window: String) async throws -> Int32 {
    let shell = try await tmux("display", "-p", "-t", Self.target(window), "#{pane_pid}").output.dropLast()
    let stat = try String(contentsOfFile: "/proc/\(shell)/stat", encoding: .utf8)
    // After the name in parentheses: state, parent, group, session, terminal, and the group that has it.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    return try #require(fields.dropFirst(5).first.flatMap { Int32($0) })
  }

  func screen(_ window: String) async throws -> [String] {
    let said = try await tmux("capture-pane", "-p", "-t", Self.target(window))
    return said.output.split(separator: "\n", omittingEmptySubsequences: false).map(Self.trimmed)
  }

  /// Waits until the lines of a screen, numbers masked, are there in this order. The mark of `top` has to be where
  /// a line has it, and may be anywhere where none has.
  func expect(
    _ lines: [String], in window: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    var last: [String] = []
    do {
      _ = try await until("a screen") { () -> Bool? in
        last = try await self.screen(window)
        var rest = last.map(Self.masked)[...]
        for line in lines.map(Self.masked) {
          guard let found = rest.firstIndex(where: { $0 == line || $0 == ">" + line }) else { return nil }
          rest = rest[(found + 1)...]
        }
        return true
      }
    } catch {
      Issue.record(
        "not on the screen:\n\(lines.joined(separator: "\n"))\nbut:\n\(last.joined(separator: "\n"))",
        sourceLocation: location)
    }
  }

  /// Waits until the whole screen is this one, numbers masked.
  func expectWhole(
    _ screen: String, in window: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let wanted = Self.masked(screen)
    var last = ""
    do {
      _ = try await until("a screen") { () -> Bool? in
        last = try await self.screen(window).joined(separator: "\n")
        while last.hasSuffix("\n") { last.removeLast() }
        return Self.masked(last) == wanted ? true : nil
      }
    } catch {
      Issue.record("the screen is not\n\(screen)\nbut\n\(last)", sourceLocation: location)
    }
  }

  /// Numbers as `#`, and blanks as one each, since numbers move what comes after them.
  static func masked(_ text: String) -> String {
    text.replacing(/\d+([.,]\d+)*/, with: "#").replacing(#/ +/#, with: " ")
      .split(separator: "\n", omittingEmptySubsequences: false).map(trimmed).joined(separator: "\n")
  }

  private static func trimmed(_ line: some StringProtocol) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }

  func until<Value: Sendable>(
    _ what: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value?
  ) async throws -> Value {
    let end = ContinuousClock.now + hangGuard
    while ContinuousClock.now < end {
      if let value = try await body() { return value }
    }
    throw ProviderFailure.timedOut(what: what)
  }
}

/// A bench with terminals.
func withTmux(_ body: (Tmux) async throws -> Void) async throws {
  try await withBench { bench in
    let tmux = try await Tmux(bench)
    do {
      try await body(tmux)
    } catch {
      try? await tmux.end()
      throw error
    }
    try await tmux.end()
  }
}
