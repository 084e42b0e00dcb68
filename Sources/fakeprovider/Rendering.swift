import CLinux
import Glibc

// How facts look to a person: tables, sizes, durations, counts.

enum Render {
  /// Columns of equal width, two spaces apart, with a line of titles. Numbers stand to the right.
  static func table(_ titles: [String], _ rows: [[String]], right: Set<Int> = []) -> String {
    var widths = titles.map(\.count)
    for row in rows {
      for (column, cell) in row.enumerated() where column < widths.count {
        widths[column] = max(widths[column], cell.count)
      }
    }
    return ([titles] + rows).map { line($0, widths, right: right) }.joined()
  }

  /// One row; a cell that is wider than its column moves the rest.
  static func line(_ cells: [String], _ widths: [Int], right: Set<Int> = []) -> String {
    var text = ""
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
      text += right.contains(column) ? padding + cell : cell + padding
      text += "  "
    }
    while text.last == " " { text.removeLast() }
    return text + "\n"
  }

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

  /// A whole number from 0 to 100; 100 only when all is there.
  static func percent(_ part: Int64, of whole: Int64) -> Int {
    guard whole > 0, part < whole else { return 100 }
    return Int(max(0, Double(part)) / Double(whole) * 100)
  }

  /// Seconds with three digits after the point.
  static func seconds(_ nanoseconds: Int64) -> String {
    let milliseconds = nanoseconds / 1_000_000
    let fraction = "\(1000 + abs(milliseconds) % 1000)".dropFirst()
    return "\(milliseconds / 1000).\(fraction)s"
  }

  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  /// The name of an app that is known by its executable; else its identifier.
  static func app(_ name: String) -> String {
    name.hasPrefix("/") ? name.split(separator: "/").last.map(String.init) ?? name : name
  }

  /// Nothing that a terminal would take for a command.
  static func harmless(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
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
