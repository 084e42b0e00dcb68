// One parser for every verb; what each takes is data (VerbSpec).

import ProviderControl
import ProviderModel

/// One word of the command line, byte for byte: a path need not be UTF-8.
struct Argument: Hashable, Sendable, ExpressibleByStringLiteral {
  var bytes: [UInt8]
  init(bytes: [UInt8]) { self.bytes = bytes }
  init(_ text: String) { bytes = Array(text.utf8) }
  init(stringLiteral text: String) { self.init(text) }
  /// For people, and for words that are ours.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

struct ParsedArguments: Hashable, Sendable {
  var verb: String
  var flags: Set<String> = []
  var values: [String: [Argument]] = [:]
  var positionals: [Argument] = []
  /// The command after `--`.
  var rest: [Argument] = []

  func has(_ flag: String) -> Bool { flags.contains(flag) }
  func text(_ option: String) -> String? { values[option]?.first?.text }
}

/// A command line that cannot be understood: exit 2.
struct UsageProblem: Error, Hashable, Sendable {
  var message: String
  var usage: String
}

struct ArgumentParser {
  let spec: VerbSpec
  private var parsed: ParsedArguments

  private init(_ spec: VerbSpec) {
    self.spec = spec
    parsed = ParsedArguments(verb: spec.name)
  }

  /// - Returns: nil when help is asked for.
  static func parse(_ words: [Argument], for spec: VerbSpec) throws(UsageProblem) -> ParsedArguments? {
    var parser = ArgumentParser(spec)
    var words = words[...]
    while let word = words.popFirst() {
      if word == "--" {
        if spec.rest != nil { parser.parsed.rest = Array(words) } else { parser.parsed.positionals += words }
        break
      } else if word == "--help" || word == "-h" {
        return nil
      } else if word.bytes.first == 0x2D, word.bytes.count > 1 {
        try parser.readOption(word, &words)
      } else {
        parser.parsed.positionals.append(word)
      }
    }
    try parser.check()
    return parser.parsed
  }

  private func problem(_ message: String) -> UsageProblem {
    UsageProblem(message: "\(spec.name): \(message)", usage: spec.usage)
  }

  private mutating func readOption(
    _ word: Argument, _ words: inout ArraySlice<Argument>
  ) throws(UsageProblem) {
    let parts = word.bytes.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
    let name = Argument(bytes: parts.first.map(Array.init) ?? []).text
    guard let option = spec.options.first(where: { $0.name == name }) else {
      let nearest = Nearest.word(to: name, among: spec.options.filter { !$0.hidden }.map(\.name) + ["--help"])
      throw problem("there is no option \(name)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }
    guard let placeholder = option.value else {
      if parts.count > 1 { throw problem("\(name) takes no value") }
      parsed.flags.insert(name)
      return
    }
    let given = parts.count > 1 ? Argument(bytes: Array(parts[1])) : words.popFirst()
    guard let given, !given.bytes.isEmpty, parts.count > 1 || !looksLikeOption(given) else {
      throw problem("\(name) needs a value: \(name) \(placeholder)")
    }
    if !option.repeated, parsed.values[name] != nil { throw problem("\(name) can be given once only") }
    parsed.values[name, default: []].append(given)
  }

  /// A value that begins with dashes is nearly always a value that was forgotten; `--name=--x` still gives it.
  private func looksLikeOption(_ word: Argument) -> Bool { word.bytes.starts(with: [0x2D, 0x2D]) }

  private func check() throws(UsageProblem) {
    for option in spec.options where option.required && parsed.values[option.name] == nil {
      throw problem("needs \(option.name) \(option.value ?? "")")
    }
    for names in spec.exclusive {
      let given = names.filter { parsed.has($0) || parsed.values[$0] != nil }
      if given.count > 1 { throw problem("\(given.joined(separator: " and ")) cannot be given together") }
    }
    var left = parsed.positionals[...]
    for positional in spec.positionals {
      guard let word = left.popFirst() else {
        if positional.count == .one || positional.count == .some { throw problem("needs \(positional.name)") }
        break
      }
      if !positional.choices.isEmpty, !positional.choices.contains(word.text) {
        let nearest = Nearest.word(to: word.text, among: positional.choices) ?? ""
        throw problem("there is no \"\(word.text)\"; did you mean \"\(nearest)\"?")
      }
      if positional.count == .any || positional.count == .some { left = [] }
    }
    if let extra = left.first {
      let hint = spec.rest.map { "; \($0) comes after --" } ?? ""
      throw problem("\"\(extra.text)\" is one word too many" + hint)
    }
    if let rest = spec.rest, parsed.rest.isEmpty { throw problem("needs -- \(rest)") }
  }
}
