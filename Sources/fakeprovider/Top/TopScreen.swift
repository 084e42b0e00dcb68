import ProviderControl

/// One line of a screen, and how it stands out.
struct TopLine: Hashable, Sendable {
  enum Style: Hashable, Sendable { case plain, bar, title, selected }
  var text: String
  var style = Style.plain
}

/// From the model to a screen of so many lines, none wider than the terminal.
struct TopScreen: Sendable {
  static let smallest = (columns: 80, rows: 24)
  static let keys =
    "h hold  r release  v revoke  e evict  d download  a advance  ? help  q quit"

  private let model: TopModel
  private let columns: Int

  private init(_ model: TopModel, columns: Int) {
    self.model = model
    self.columns = columns
  }

  /// - Parameter rows: nil for as many as there is to say, without the lines for keys.
  static func lines(_ model: TopModel, columns: Int, rows: Int?) -> [TopLine] {
    let screen = TopScreen(model, columns: columns)
    guard let rows else { return screen.header + screen.body(rows: .max) }
    if columns < smallest.columns || rows < smallest.rows {
      return screen.tooSmall(rows: rows)
    }
    var lines = screen.header
    lines += model.mode == .help ? screen.help : screen.body(rows: rows - lines.count - 2)
    lines = Array(lines.prefix(rows - 2))
    lines += Array(repeating: TopLine(text: ""), count: rows - 2 - lines.count)
    lines.append(TopLine(text: screen.fitted(screen.bottom, to: columns)))
    lines.append(TopLine(text: screen.padded(TopScreen.keys), style: .bar))
    return lines
  }

  private func tooSmall(rows: Int) -> [TopLine] {
    let words = [
      "top needs \(TopScreen.smallest.columns) columns and \(TopScreen.smallest.rows) rows;",
      "this terminal has \(columns) and \(rows).", "q quits.",
    ]
    return words.prefix(max(0, rows)).map { TopLine(text: fitted($0, to: columns)) }
  }

  // MARK: Above

  private var header: [TopLine] {
    let provider = model.provider
    let first =
      "fakeprovider top  \(model.mountpoint)  \(provider.profile)  seed \(provider.seed)  \(provider.mode)"
    return [TopLine(text: padded(first), style: .bar), TopLine(text: fitted(time, to: columns))]
  }

  private var time: String {
    if let silence = model.silence { return "no answer for \(silence)s: is the provider stopped?" }
    guard let snapshot = model.snapshot else { return "waiting for the provider" }
    let clock = snapshot.clock
    var words = [snapshot.overview.condition, Render.seconds(clock.nowNanoseconds)]
    if snapshot.overview.locked { words.insert("device locked", at: 1) }
    words.append(clock.mode == "scaled" ? "\(clock.scale) times as fast" : "\(clock.mode) clock")
    if clock.paused { words.append("paused") }
    if let next = clock.nextNanoseconds {
      words.append("next due in " + Render.seconds(max(0, next &- clock.nowNanoseconds)))
    }
    if model.folder.text != "." { words.append("in \(model.folder.text)/") }
    return words.joined(separator: "  ")
  }

  private var help: [TopLine] {
    """

    arrows (or j, k)   select a row
    Enter, right       look into the selected folder; left: back
    h                  hold the next open, read or download of the selected item
    r                  release the selected hold, with an error if you like, or all
    v                  revoke access to the selected item, for every app
    e                  evict the selected item: dataless again
    d                  download the selected item
    a                  advance the clock, if it is manual or paused
    n                  advance it to the next moment at which something is due
    ?                  this page; any key leaves it
    q, Ctrl-C          quit; the provider goes on

    ITEMS have what is open or on its way first, then what the folder holds.
    WAITING has each hold, and every operation that has no answer yet: at a hold,
    for a delay, a listing, content or the provider, or (source) for a moment.
    """.split(separator: "\n", omittingEmptySubsequences: false).map {
      TopLine(text: fitted(String($0), to: columns))
    }
  }

  // MARK: The sections

  private func body(rows: Int) -> [TopLine] {
    let sections = model.sections
    if sections.isEmpty {
      return [TopLine(text: ""), TopLine(text: model.snapshot == nil ? "" : "nothing is here")]
    }
    let needed = sections.reduce(0) { $0 + $1.rows.count + 1 }
    let hasGaps = needed + sections.count <= rows
    let shares = hasGaps ? sections.map(\.rows.count) : TopScreen.shares(of: sections, rows: rows)
    var lines: [TopLine] = []
    for (section, share) in zip(sections, shares) {
      if hasGaps { lines.append(TopLine(text: "")) }
      lines += self.lines(of: section, share: share)
    }
    return lines
  }

  /// How many rows each section gets beside its title: what is short gets all, the rest an equal part.
  static func shares(of sections: [TopSection], rows: Int) -> [Int] {
    var shares = sections.map { _ in 0 }
    var left = rows - sections.count
    var hungry = Array(sections.indices)
    while left > 0, !hungry.isEmpty {
      let part = max(1, left / hungry.count)
      for index in hungry where left > 0 {
        let given = min(part, sections[index].rows.count - shares[index], left)
        shares[index] += given
        left -= given
      }
      hungry.removeAll { shares[$0] == sections[$0].rows.count }
    }
    return shares
  }

  private func lines(of section: TopSection, share: Int) -> [TopLine] {
    let count =
      section.total == section.rows.count ? "\(section.total)" : "\(section.rows.count) of \(section.total)"
    let titles = ["\(section.title) \(count)"] + section.columns.map(\.title)
    var lines = [TopLine(text: row(titles, section, marker: "  "), style: .title)]
    guard share < section.rows.count else { return lines + section.rows.map { line(of: $0, section) } }
    guard share > 0 else { return lines }
    // The last line says how many are not seen; the selected row is among the others.
    let seen = share - 1
    let selected = section.rows.firstIndex { $0.id == model.selection } ?? 0
    let first = min(max(0, selected - seen + 1), max(0, section.rows.count - seen))
    lines += section.rows[first..<(first + seen)].map { line(of: $0, section) }
    lines.append(TopLine(text: "  … \(section.rows.count - seen) more"))
    return lines
  }

  private func line(of row: TopRow, _ section: TopSection) -> TopLine {
    let isSelected = row.id == model.selection
    return TopLine(
      text: self.row(row.cells, section, marker: isSelected ? "> " : "  "),
      style: isSelected ? .selected : .plain)
  }

  private func row(_ cells: [String], _ section: TopSection, marker: String) -> String {
    let fixed = section.columns.reduce(0) { $0 + $1.width + 2 }
    let widths = [columns - 2 - fixed] + section.columns.map(\.width)
    let right = Set(section.columns.indices.filter { section.columns[$0].isRight }.map { $0 + 1 })
    let cells = zip(cells, widths).map { fitted($0, to: $1) }
    return marker + Render.line(cells, widths, right: right).dropLast()
  }

  // MARK: Below

  private var bottom: String {
    switch model.mode {
    case .list, .help: return model.message
    case .choosing(let path): return "hold the next o open, r read or d download of \(path.text)? (Esc: none)"
    case .prompt(let question, let text): return TopScreen.words(question) + text + "_"
    }
  }

  private static func words(_ question: TopModel.Question) -> String {
    switch question {
    case .point(let operation, let path):
      "hold the next \(operation) of \(path.text) at (40%, a byte; Enter: its start): "
    case .error(let hold): "release \(hold) with an error? (Enter: none; like EIO): "
    case .releaseAll: "release every hold? (y, n): "
    case .advance: "advance by (800ms, 60s, 2m; n: to what is due next): "
    }
  }

  // MARK: Widths

  private func padded(_ text: String) -> String {
    let text = fitted(text, to: columns)
    return text + String(repeating: " ", count: max(0, columns - Render.width(of: text)))
  }

  /// Cut in the middle, where names differ least.
  private func fitted(_ text: String, to width: Int) -> String {
    let text = Render.harmless(text)
    if Render.width(of: text) <= width { return text }
    if width < 3 { return String(text.prefix(max(0, width))) }
    var head = ""
    var tail = ""
    let (headWidth, tailWidth) = ((width - 1) / 2, width - 1 - (width - 1) / 2)
    for character in text {
      if Render.width(of: head) + Render.width(of: String(character)) > headWidth { break }
      head.append(character)
    }
    for character in text.reversed() {
      if Render.width(of: tail) + Render.width(of: String(character)) > tailWidth { break }
      tail = String(character) + tail
    }
    return head + "…" + tail
  }
}
