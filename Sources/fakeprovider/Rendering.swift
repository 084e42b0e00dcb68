import CLinux
import Glibc
import ProviderControl

// How facts look to a person: tables, sizes, durations, counts.

enum Render {
  /// Columns of equal width, two spaces apart, with a line of titles. Numbers stand to the right.
  static func table(_ titles: [String], _ rows: [[String]], right: Set<Int> = []) -> String {
    var widths = titles.map(width(of:))
    for row in rows {
      for (column, cell) in row.enumerated() where column < widths.count {
        widths[column] = max(widths[column], width(of: cell))
      }
    }
    return ([titles] + rows).map { line($0, widths, right: right) }.joined()
  }

  /// One row; a cell that is wider than its column moves the rest.
  static func line(_ cells: [String], _ widths: [Int], right: Set<Int> = []) -> String {
    var text = ""
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: max(0, widths[column] - width(of: cell)))
      text += right.contains(column) ? padding + cell : cell + padding
      text += "  "
    }
    while text.last == " " { text.removeLast() }
    return text + "\n"
  }

  /// The columns of a terminal that a text takes: East Asian characters and pictures take two.
  static func width(of text: String) -> Int {
    text.reduce(0) { sum, character in
      guard let scalar = character.unicodeScalars.first else { return sum }
      let isWide = scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
      return sum + (isWide ? 2 : 1)
    }
  }

  /// UAX #11 "Wide" and "Fullwidth" without pictures, in coarse ranges.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]

  /// 1.5 MB; powers of ten, as the profiles have them.
  static func size(_ bytes: Int64) -> String {
    var (value, unit) = (bytes, "B")
    var tenths: Int64 = 0
    for next in ["kB", "MB", "GB", "TB"] {
      guard value >= 1000 else { break }
      (value, tenths, unit) = (value / 1000, value % 1000 / 100, next)
    }
    return unit == "B" || value >= 100 ? "\(value) \(unit)" : "\(value).\(tenths) \(unit)"
  }

  /// The nearest whole number from 0 to 100; 100 only when all is there.
  static func percent(_ part: Int64, of whole: Int64) -> Int {
    guard whole > 0, part < whole else { return 100 }
    return min(99, Int((max(0, Double(part)) / Double(whole) * 100).rounded()))
  }

  /// Seconds with three digits after the point.
  static func seconds(_ nanoseconds: Int64) -> String { EventLine.seconds(nanoseconds) }

  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  /// The name of an app that is known by its executable; else its identifier.
  static func app(_ name: String) -> String {
    name.hasPrefix("/") ? name.split(separator: "/").last.map(String.init) ?? name : name
  }

  /// Nothing that a terminal would take for a command, that turns what comes after it around, or that is not seen.
  static func harmless(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for character in text {
      var before: Unicode.Scalar?
      for scalar in character.unicodeScalars {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: scalars.append("\u{FFFD}")
        // Within a character, as between the parts of a picture, it belongs there.
        case _ where before == nil && properties.isDefaultIgnorableCodePoint: scalars.append("\u{FFFD}")
        // Nothing joins these letters.
        case .format where before?.isASCII == true: scalars.append("\u{FFFD}")
        case .nonspacingMark where before == nil, .enclosingMark where before == nil:
          // A mark with nothing below it would go onto what stands before.
          scalars.append("\u{25CC}")
          scalars.append(scalar)
        default: scalars.append(scalar)
        }
        before = scalar
      }
    }
    return String(scalars)
  }
}

extension Render {
  /// As ``harmless(_:)``, of text in lines of ours.
  static func harmlessLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { harmless(String($0)) }
      .joined(separator: "\n")
  }
}

extension Console {
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The width of the terminal that is standard error.
  static var columns: Int {
    let columns = Int(clinux_ioctl_window_columns(STDERR_FILENO))
    return columns > 20 ? columns : 80
  }
}
