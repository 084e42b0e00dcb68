import Glibc

/// Assertions over a journal, whose events are shown to it one by one.
package struct JournalCheck {
  private var checks: [ExpectationCheck]
  private var events = 0
  private var last: UInt64 = 0
  private var isEnded = false
  /// The first gap.
  private var gap: String?

  package init(_ expectations: [Expectation]) { checks = expectations.map(ExpectationCheck.init) }

  package mutating func take(_ event: EventLine) {
    events += 1
    if gap == nil, let dropped = event.dropped {
      gap = "\(dropped) events are missing before the one numbered \(event.sequence &+ 1)"
    } else if gap == nil, event.sequence != last &+ 1 {
      gap = "the event after the one numbered \(last) is missing"
    } else if gap == nil, events == 1, event.name != "started" {
      gap = "it does not begin with a provider's start"
    }
    last = event.sequence
    isEnded = event.name == "stopped"
    for index in checks.indices { checks[index].take(event) }
  }

  package var verdicts: [Verdict] { checks.map(\.verdict) }

  /// Why the journal cannot prove anything; nil when nothing is missing.
  /// - Parameter needsEnd: for a file: a provider that was killed leaves no end.
  package func incompleteness(needsEnd: Bool) -> String? {
    if let gap { return gap }
    if events == 0 { return "it has no events" }
    return needsEnd && !isEnded ? "it has no end: its provider was killed, or is still running" : nil
  }
}

/// Why a file cannot be read as a journal.
package struct JournalProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

package enum JournalReading {
  /// Shows every event of a `--journal` file, in their order.
  /// - Returns: the number of a line that is none of a journal's; half a line at the end is one, too.
  /// - Throws: ``JournalProblem`` when it cannot be read, or is something else altogether.
  package static func read(
    _ path: [UInt8], _ body: (EventLine) -> Void
  ) throws(JournalProblem) -> Int? {
    let name = String(decoding: path, as: UTF8.self)
    guard let file = fopen(path.map(CChar.init(bitPattern:)) + [0], "re") else {
      throw JournalProblem(
        description: "cannot open the journal \(name): \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var buffer: UnsafeMutablePointer<CChar>?
    defer { free(buffer) }
    var capacity = 0
    var number = 0
    while true {
      let count = getline(&buffer, &capacity, file)
      if count < 0 {
        if ferror(file) == 0 { return nil }
        throw JournalProblem(
          description: "cannot read the journal \(name): \(String(cString: strerror(errno)))")
      }
      number += 1
      let line = UnsafeRawBufferPointer(start: buffer, count: count)
      guard line.last == 0x0A,
        let event = try? LineCoding.message(EventLine.self, from: Array(line.dropLast()))
      else {
        if number > 1 { return number }
        throw JournalProblem(description: "\(name) is no journal: its first line is not an event")
      }
      body(event)
    }
  }
}

extension EventLine {
  /// When, who, what, and what came of it.
  package var sentence: String {
    var words = EventLine.seconds(atNanoseconds)
    if let app { words += " \(app)" }
    if let process { words += app == nil ? " process \(process)" : " (process \(process))" }
    words += name == "operation" ? ": \(operation ?? name)" : ": \(name)"
    if name != "operation", let operation { words += " of \(operation)" }
    if let path { words += " \(path.text)" }
    if name == "ruleAdded" || name == "ruleRemoved", let rule { words += " \"\(rule)\"" }
    if let errno { words += ", \(error ?? "error") (\(errno))" }
    return words
  }

  /// With three digits after the point.
  package static func seconds(_ nanoseconds: Int64) -> String {
    let milliseconds = nanoseconds / 1_000_000
    let fraction = "\(1000 + abs(milliseconds) % 1000)".dropFirst()
    return "\(milliseconds / 1000).\(fraction)s"
  }
}
