// What a verb takes, as data: the parser, the usage lines and the help are made from it.

struct Option: Hashable, Sendable {
  /// With its dashes, as it is typed: "--profile".
  var name: String
  /// What stands for the value in the help; nil for a flag.
  var value: String?
  var summary: String
  var required = false
  var repeated = false
  /// For programs that start this one, and for whoever works on it: the help leaves it out.
  var hidden = false

  static func flag(_ name: String, _ summary: String) -> Option {
    Option(name: name, value: nil, summary: summary)
  }
  static func value(_ name: String, _ value: String, _ summary: String) -> Option {
    Option(name: name, value: value, summary: summary)
  }
  static func required(_ name: String, _ value: String, _ summary: String) -> Option {
    Option(name: name, value: value, summary: summary, required: true)
  }
  static func repeated(_ name: String, _ value: String, _ summary: String) -> Option {
    Option(name: name, value: value, summary: summary, repeated: true)
  }
  static func hidden(_ name: String, _ value: String?, _ summary: String) -> Option {
    Option(name: name, value: value, summary: summary, hidden: true)
  }
}

struct Positional: Hashable, Sendable {
  enum Count: Sendable { case one, optional, any, some }
  var name: String
  var count = Count.one
  /// The words it may be; empty: anything.
  var choices: [String] = []
}

struct Example: Hashable, Sendable {
  var command: String
  var says: String
}

struct VerbSpec: Hashable, Sendable {
  var name: String
  var summary: String
  var options: [Option] = []
  /// Only the last one may take several words.
  var positionals: [Positional] = []
  /// What stands after `--`; nil when the verb takes no command.
  var rest: String?
  /// Options that cannot be given together.
  var exclusive: [[String]] = []
  /// More to say in the help: paragraphs, already broken into lines.
  var details = ""
  var examples: [Example]
}
