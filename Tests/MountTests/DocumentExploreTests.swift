import Foundation
import ProviderTesting
import Testing

@Suite(.enabled(if: Bench.isRoot, "a private mount table needs root"))
struct `The page that explores` {
  /// What its reader does and sees, in the page's order.
  enum Step {
    /// Types lines into the shell.
    case types([String])
    /// They printed this.
    case reads([String])
    /// `top` shows these lines.
    case sees([String])
    /// Moves the mark of `top` to the row with this.
    case selects(String)
    case presses([String])
    case starts(String)
  }

  private static func steps(_ cloud: String) throws -> [Step] {
    let page = try String(contentsOfFile: Bench.repository + "/docs/explore.md", encoding: .utf8)
      .replacing("/tmp/cloud", with: cloud)
    var steps: [Step] = []
    var lines = page.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = lines.popFirst() {
      if line.hasPrefix("```") {
        let block = lines.prefix { $0 != "```" }.map(String.init)
        lines = lines.dropFirst(block.count + 1)
        switch line {
        case "```sh": steps.append(.types(block))
        case "```text": steps.append(.reads(block))
        case "```top": steps.append(.sees(block.filter { !$0.isEmpty }))
        default: throw ProviderFailure.ended("\(line) is no block of this page")
        }
      } else if let match = line.firstMatch(of: /^In `top`, select `(.+)`\./) {
        steps.append(.selects(String(match.1)))
      } else if line.hasPrefix("In `top`, press ") {
        let keys = line.prefix { $0 != ":" && $0 != "." }.matches(of: /`([^`]+)`/).map { String($0.1) }
        steps.append(.presses(Array(keys.dropFirst())))
      } else if let match = line.firstMatch(of: /start `(fakeprovider top [^`]+)`/) {
        steps.append(.starts(String(match.1)))
      }
    }
    return steps
  }

  @Test func `can be followed in two terminals, and shows what it says`() async throws {
    try await withTmux { tmux in
      let steps = try Self.steps(tmux.bench.cloud)
      #expect(steps.count > 60)
      var said: [String] = []
      for step in steps {
        switch step {
        case .types(let lines):
          said = []
          for line in lines { said += try await tmux.type(line).lines }
        case .reads(let lines):
          #expect(said.map(Tmux.masked) == lines.map(Tmux.masked), "\(said.joined(separator: "\n"))")
        case .starts(let command): try await tmux.open("top", command)
        case .sees(let lines): try await tmux.expect(lines, in: "top")
        case .presses(let keys):
          try await tmux.settle("top")
          try await tmux.press(keys, in: "top")
          // The bottom line says what came of it.
          _ = try await tmux.until("what came of \(keys)") { () -> Bool? in
            let bottom = try await tmux.screen("top").dropLast().last { _ in true } ?? ""
            return bottom.isEmpty || bottom.hasSuffix("_") || bottom.hasSuffix("(Esc: none)") ? nil : true
          }
        case .selects(let row): try await Self.select(row, tmux)
        }
      }
      #expect(try await tmux.type("fakeprovider list --json").lines == [#"{"providers":[]}"#])
    }
  }

  private static func select(_ row: String, _ tmux: Tmux) async throws {
    for _ in 0..<60 {
      try await tmux.settle("top")
      let screen = try await tmux.screen("top")
      let mark = try #require(screen.firstIndex { $0.hasPrefix("> ") })
      // The first: an item's own row comes before those of who waits for it.
      let wanted = screen.firstIndex { ($0.hasPrefix("  ") || $0.hasPrefix("> ")) && $0.contains(row) }
      if wanted == mark { return }
      // Rows come and go meanwhile, and the mark goes with its own.
      try await tmux.press([wanted.map { $0 < mark } == true ? "Up" : "Down"], in: "top")
    }
    Issue.record("there is no row with \(row) in \(try await tmux.screen("top"))")
  }
}
