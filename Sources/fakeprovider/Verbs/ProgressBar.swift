import Glibc
import ProviderControl
import ProviderHost
import Synchronization

/// How far downloads are, on a terminal: one line on standard error, drawn again ten times a second.
///
/// It asks for the items' status on a thread of its own. Lock order: `line` is a leaf.
final class ProgressBar: Sendable {
  private struct Line {
    var isStopped = false
    var isDrawn = false
  }
  private let line = Mutex(Line())
  private let downloads: [Download]

  init(_ downloads: [Download]) {
    self.downloads = downloads
    Threads.start("progress") { [self] in draw() }
  }

  /// Draws the end, once, and leaves it there.
  func finish(_ items: [(name: String, line: ItemLine)]) {
    let text = Self.text(items, columns: Console.columns)
    line.withLock { line in
      line.isStopped = true
      Self.erase(&line)
      Console.err("\r\u{1B}[K\(text)\n")
    }
  }

  func stop() {
    line.withLock { line in
      line.isStopped = true
      Self.erase(&line)
    }
  }

  private static func erase(_ line: inout Line) {
    if line.isDrawn { Console.err("\r\u{1B}[K") }
    line.isDrawn = false
  }

  private func draw() {
    while !line.withLock({ $0.isStopped }) {
      guard let items = items() else { return }
      let text = Self.text(items, columns: Console.columns)
      line.withLock { line in
        if line.isStopped { return }
        Console.err("\r\u{1B}[K\(text)")
        line.isDrawn = true
      }
      usleep(100_000)
    }
  }

  /// - Returns: nil when a provider does not say; whoever waits for the download tells why.
  private func items() -> [(name: String, line: ItemLine)]? {
    var items: [(name: String, line: ItemLine)] = []
    for download in downloads {
      let request = RequestLine(verb: "status", download.group)
      guard let lines = try? download.connection.client.call(request, timeout: .seconds(2)).items else {
        return nil
      }
      items += lines.map { (download.group.name(of: $0.path), $0) }
    }
    return items
  }

  static func text(_ items: [(name: String, line: ItemLine)], columns: Int) -> String {
    let missing = items.filter { $0.line.copy != "local" }
    let total = items.reduce(Int64(0)) { $0 &+ $1.line.size }
    let arrived = items.reduce(Int64(0)) { sum, item in
      sum &+ (item.line.copy == "local" ? item.line.size : item.line.arrived ?? 0)
    }
    let percent = Render.percent(arrived, of: total)
    let filled = percent / 5
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
    let meant = missing.isEmpty ? items : missing
    let name = meant.count == 1 ? meant[0].name : Render.count(meant.count, "item")
    let facts = "[\(bar)] \(percent) %  \(Render.size(arrived)) of \(Render.size(total))  "
    return String((facts + Render.harmless(name)).prefix(columns - 1))
  }
}
