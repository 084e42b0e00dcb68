import CLinux
import Glibc

/// The terminal while `top` has it: the other screen, keys as they are pressed, no cursor. Whoever takes it gives it
/// back as it was.
struct TopTerminal: ~Copyable {
  private let before: termios

  /// - Returns: nil when standard input or output is no terminal that can be drawn on.
  init?() {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, TopTerminal.size != nil,
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return nil }
    let kind = getenv("TERM").map { String(cString: $0) } ?? ""
    if kind.isEmpty || kind == "dumb" { return nil }
    before = settings
  }

  static var size: (columns: Int, rows: Int)? {
    var columns: Int32 = 0
    var rows: Int32 = 0
    return clinux_window_size(STDOUT_FILENO, &columns, &rows) ? (Int(columns), Int(rows)) : nil
  }

  func enter() {
    var settings = before
    // Signals stay what they are: Ctrl-C and Ctrl-Z arrive as such.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    Console.out("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
  }

  func leave() {
    var settings = before
    // Not Console.out, which ends the process where the terminal is gone.
    let text = Array("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l".utf8)
    _ = write(STDOUT_FILENO, text, text.count)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Line by line over what is there, so that nothing flickers.
  static func draw(_ lines: [TopLine]) {
    var text = "\u{1B}[H"
    for (index, line) in lines.enumerated() {
      if index > 0 { text += "\r\n" }
      text += style(line.style) + line.text + "\u{1B}[0m\u{1B}[K"
    }
    Console.out(text + "\u{1B}[J")
  }

  private static func style(_ style: TopLine.Style) -> String {
    switch style {
    case .plain: ""
    case .bar, .selected: "\u{1B}[7m"
    case .title: "\u{1B}[1m"
    }
  }

  /// What was typed; empty at the end of the input, nil when there is nothing now.
  static func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return nil }
    return Array(buffer[..<max(0, count)])
  }
}
