/// Text from a file inside a message: on one line, with nothing that a terminal would obey, and not endless.
enum Printable {
  static func text(_ text: String, limit: Int = 80) -> String {
    var shown = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == limit { return shown + "…" }
      if isPlain(scalar) {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return shown
  }

  static func staysOnLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// Controls, separators of lines, and the formats that turn the direction of text are not.
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
