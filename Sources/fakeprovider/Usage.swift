// The usage lines and the help, made from the verbs' data.

extension VerbSpec {
  /// `usage: fakeprovider hold [--at POINT] … OPERATION PATH`, broken to fit a terminal of 80 columns.
  var usage: String {
    var words = options.filter(\.required).map(\.usage)
    for option in options where !option.required && !option.hidden {
      // Options that exclude each other stand together, where the first of them stands.
      let group = exclusive.first { $0.contains(option.name) } ?? [option.name]
      if group.first == option.name {
        let members = options.filter { group.contains($0.name) && !$0.hidden }
        words.append("[\(members.map(\.bare).joined(separator: " | "))]" + (option.repeated ? "…" : ""))
      }
    }
    words += positionals.map(\.usage)
    if let rest { words += ["--", rest] }
    var lines = [""]
    var line = "usage: fakeprovider \(name)"
    for word in words {
      if line.count + 1 + word.count > 80 {
        lines.append(line)
        line = String(repeating: " ", count: 10)
      }
      line += " " + word
    }
    return (lines.dropFirst() + [line]).joined(separator: "\n")
  }

  var help: String {
    var text = "\(summary)\n\n\(usage)\n"
    let rows = options.filter { !$0.hidden }.map { ($0.bare, Help.text($0)) } + [("--help", "says this")]
    text += "\noptions:\n" + Help.table(rows)
    let choices = positionals.filter { !$0.choices.isEmpty }
    if !choices.isEmpty {
      text += "\n" + choices.map { "\($0.name): \($0.choices.joined(separator: ", "))\n" }.joined()
    }
    if !details.isEmpty { text += "\n\(details)\n" }
    if !examples.isEmpty {
      text += "\nexamples:\n"
      text += examples.map { "  # \($0.says)\n  \($0.command)\n" }.joined(separator: "\n")
    }
    return text
  }
}

extension Option {
  fileprivate var bare: String { value.map { "\(name) \($0)" } ?? name }
  fileprivate var usage: String { bare + (repeated ? "…" : "") }
}

extension Positional {
  fileprivate var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .some: "\(name)…"
    case .any: "[\(name)…]"
    }
  }
}

enum Help {
  static let usage = "usage: fakeprovider VERB …   (fakeprovider --help lists the verbs)"

  static func overview(of verbs: [VerbSpec]) -> String {
    """
    Simulates an iCloud-like file provider: security-scoped access, files that are not downloaded yet.

    usage: fakeprovider VERB …

    verbs:
    \(table(verbs.map { ($0.name, $0.summary) }))
    fakeprovider VERB --help explains a verb, with examples.
    Exit codes: 0 done, 1 what was asked for failed, 2 the command line is wrong, 3 findings.

    """
  }

  fileprivate static func text(_ option: Option) -> String {
    option.summary + (option.required ? " (needed)" : option.repeated ? " (may be repeated)" : "")
  }

  static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)\n" }.joined()
  }
}
