package import ProviderModel

/// What a journal shall show, in words: `opened-once Letter.pdf`, `no-errors`. The grammar of `expect`.
package struct Expectation: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case neverMaterialized(Glob)
    case opened(Glob), openedOnce(Glob), notOpened(Glob)
    case read(Glob)
    case everyRuleFired
    case ruleFired(String)
    case noReadOutsideScope
    case scopesBalanced
    case noErrors
    /// nil: at least once.
    case event(EventName, Glob?, count: Int?)
  }

  package var kind: Kind
  /// As it was written.
  package var text: String

  /// Each word, what follows it (nil: nothing) and what it says.
  package static let words: [(word: String, takes: String?, says: String)] = [
    ("never-materialized", "GLOB", "nothing that matches was downloaded"),
    ("opened", "GLOB", "something that matches was opened"),
    ("opened-once", "GLOB", "something that matches was opened, and no item of it twice"),
    ("not-opened", "GLOB", "nothing that matches was opened"),
    ("read", "GLOB", "bytes of something that matches were read"),
    ("every-rule-fired", nil, "each rule that was in force has struck, and there was one"),
    ("rule-fired", "NAME", "this rule has struck"),
    ("no-read-outside-scope", nil, "nobody asked for content without a started scope"),
    ("scopes-balanced", nil, "every scope was stopped as often as started, by its own process"),
    ("no-errors", nil, "nothing failed, but looking for what is not there"),
    ("event", "NAME[:GLOB][=N]", "this event came (on what matches) at least once, or N times"),
  ]

  /// - Parameter text: a word, and after a space what it takes.
  package init(_ text: String) throws(RequestProblem) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    let word = parts.first.map(String.init) ?? ""
    guard let known = Expectation.words.first(where: { $0.word == word }) else {
      throw Expectation.unknown(word)
    }
    let rest = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
    if known.takes == nil, !rest.isEmpty { throw RequestProblem("\(word) takes nothing, not \"\(rest)\"") }
    if let takes = known.takes, rest.isEmpty { throw RequestProblem("\(word) needs \(takes)") }
    self.text = rest.isEmpty ? word : "\(word) \(rest)"
    kind = try Expectation.kind(word, rest)
  }

  /// From the words of a command line: each assertion is one word with its argument after a space, or two words.
  package static func list(_ words: [String]) throws(RequestProblem) -> [Expectation] {
    var result: [Expectation] = []
    var left = words[...]
    while let word = left.popFirst() {
      let takes = Expectation.words.first { $0.word == word }?.takes
      if takes != nil, let argument = left.popFirst() {
        result.append(try Expectation("\(word) \(argument)"))
      } else {
        result.append(try Expectation(word))
      }
    }
    return result
  }

  private static func unknown(_ word: String) -> RequestProblem {
    let words = words.map(\.word)
    let nearest = Nearest.word(to: word, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
    return RequestProblem(
      word.isEmpty
        ? "an assertion is one of " + words.joined(separator: ", ")
        : "there is no assertion \"\(word)\"" + nearest)
  }

  private static func kind(_ word: String, _ rest: String) throws(RequestProblem) -> Kind {
    switch word {
    case "never-materialized": .neverMaterialized(try glob(rest))
    case "opened": .opened(try glob(rest))
    case "opened-once": .openedOnce(try glob(rest))
    case "not-opened": .notOpened(try glob(rest))
    case "read": .read(try glob(rest))
    case "every-rule-fired": .everyRuleFired
    case "rule-fired": .ruleFired(rest)
    case "no-read-outside-scope": .noReadOutsideScope
    case "scopes-balanced": .scopesBalanced
    case "no-errors": .noErrors
    case "event": try event(rest)
    default: throw unknown(word)
    }
  }

  package static func glob(_ text: some StringProtocol) throws(RequestProblem) -> Glob {
    if let glob = Glob(String(text)) { return glob }
    throw RequestProblem(
      text.hasPrefix("/")
        ? "patterns start at the provider's root, without a slash: not \"\(text)\""
        : "\"\(text)\" is no pattern: a [ without its ]")
  }

  /// `NAME[:GLOB][=N]`.
  private static func event(_ text: String) throws(RequestProblem) -> Kind {
    var rest = text[...]
    var count: Int?
    if let equals = rest.lastIndex(of: "="), let number = Int(rest[rest.index(after: equals)...]), number >= 0
    {
      count = number
      rest = rest[..<equals]
    }
    let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let word = String(parts.first ?? "")
    guard let name = EventName(rawValue: word) else {
      let nearest = Nearest.word(to: word, among: EventName.allCases.map(\.rawValue))
      throw RequestProblem(
        "there is no event \"\(word)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    return .event(name, parts.count > 1 ? try glob(parts[1]) : nil, count: count)
  }
}
