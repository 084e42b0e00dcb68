package import ProviderModel

/// What became of an assertion.
package struct Verdict: Codable, Hashable, Sendable {
  package var assertion: String
  package var holds: Bool
  /// Why it does not hold.
  package var reason: String?
  /// The event that broke it; nil when it is one that never came.
  package var event: EventLine?

  package init(assertion: String, holds: Bool, reason: String? = nil, event: EventLine? = nil) {
    self.assertion = assertion
    self.holds = holds
    self.reason = reason
    self.event = event
  }
}

/// One assertion, while the events of a journal go by.
struct ExpectationCheck {
  private let expectation: Expectation
  /// The first event that broke it, and how.
  private var breach: (event: EventLine, reason: String)?
  /// Events that it waits for.
  private var found = 0
  /// One that nearly was what it waits for.
  private var nearly: EventLine?
  private var openings: [WirePath: Int] = [:]
  private var rules: [EventLine] = []
  private var fired: Set<String> = []
  private var scopes = ScopeBalance()

  init(_ expectation: Expectation) { self.expectation = expectation }

  mutating func take(_ event: EventLine) {
    if breach != nil { return }
    switch expectation.kind {
    case .neverMaterialized(let glob):
      if event.name == "downloadStarted", event.isAbout(glob) { broken(event, "it was downloaded") }
    case .opened(let glob): note(event, isOpen(event, glob))
    case .read(let glob): note(event, event.operation == "read" && event.isAbout(glob), needsBytes: true)
    case .openedOnce(let glob): takeOpening(event, glob)
    case .notOpened(let glob): if isOpen(event, glob), event.error == nil { broken(event, "it was opened") }
    case .everyRuleFired, .ruleFired: takeRule(event)
    case .noReadOutsideScope: takeAccess(event)
    case .scopesBalanced: if let (event, reason) = scopes.take(event) { broken(event, reason) }
    case .noErrors: if event.isFailure { broken(event, "it failed") }
    case .event(let name, let glob, let count):
      guard event.name == name.rawValue, glob.map(event.isAbout) ?? true else { return }
      found += 1
      if let count, found > count {
        broken(event, count == 0 ? "it came" : "it came \(found) times, not \(count)")
      }
    }
  }

  var verdict: Verdict {
    if let breach {
      return Verdict(
        assertion: expectation.text, holds: false, reason: breach.reason, event: breach.event)
    }
    guard let (reason, event) = lack else { return Verdict(assertion: expectation.text, holds: true) }
    return Verdict(assertion: expectation.text, holds: false, reason: reason, event: event)
  }

  /// What was to come and did not.
  private var lack: (String, EventLine?)? {
    switch expectation.kind {
    case .neverMaterialized, .notOpened, .noReadOutsideScope, .noErrors: nil
    case .opened, .openedOnce: found > 0 ? nil : missing("nothing that matches was opened")
    case .read: found > 0 ? nil : missing("nothing that matches was read")
    case .everyRuleFired:
      if rules.isEmpty {
        ("there was no rule", nil)
      } else if let idle = rules.first(where: { !fired.contains($0.rule ?? "") }) {
        ("these never fired: " + names(rules.filter { !fired.contains($0.rule ?? "") }), idle)
      } else {
        nil
      }
    case .ruleFired(let name):
      if fired.contains(name) {
        nil
      } else if let rule = rules.first(where: { $0.rule == name }) {
        ("it never fired", rule)
      } else {
        ("there was no such rule; there was " + (rules.isEmpty ? "none" : names(rules)), nil)
      }
    case .scopesBalanced: scopes.leftOver.map { ("it was never stopped", $0) }
    case .event(_, _, let count):
      switch count {
      case nil: found > 0 ? nil : ("it never came", nil)
      case .some(let count): found == count ? nil : ("it came \(found) times, not \(count)", nil)
      }
    }
  }

  // MARK: One event

  private mutating func broken(_ event: EventLine, _ reason: String) { breach = (event, reason) }

  private func isOpen(_ event: EventLine, _ glob: Glob) -> Bool {
    event.name == "operation" && event.operation == "open" && event.isAbout(glob)
  }

  private mutating func note(_ event: EventLine, _ isWanted: Bool, needsBytes: Bool = false) {
    guard event.name == "operation", isWanted else { return }
    if event.error == nil, !needsBytes || (event.bytes ?? 0) > 0 { found += 1 } else { nearly = event }
  }

  private func missing(_ words: String) -> (String, EventLine?) {
    (words + (nearly == nil ? "" : "; it was tried in vain"), nearly)
  }

  private mutating func takeOpening(_ event: EventLine, _ glob: Glob) {
    guard isOpen(event, glob), let path = event.path else { return }
    note(event, true)
    guard event.error == nil else { return }
    openings[path, default: 0] += 1
    if openings[path] == 2 { broken(event, "it was opened a second time") }
  }

  private mutating func takeRule(_ event: EventLine) {
    guard let rule = event.rule else { return }
    switch event.name {
    case "ruleAdded": if !rules.contains(where: { $0.rule == rule }) { rules.append(event) }
    case "ruleRemoved": break
    default: fired.insert(rule)
    }
  }

  private func names(_ rules: [EventLine]) -> String {
    let names = rules.prefix(20).compactMap(\.rule).map { "\"\($0)\"" }.joined(separator: ", ")
    return rules.count > 20 ? names + " and \(rules.count - 20) more" : names
  }

  private mutating func takeAccess(_ event: EventLine) {
    if event.scoped == false {
      broken(event, "no started scope covered it")
    } else if event.name == "claimFailed", ["accessNotGranted", "accessRevoked"].contains(event.error) {
      broken(event, "no started scope covered it")
    } else if event.name == "operation", event.operation == "open", event.error == nil, event.scoped == nil {
      broken(event, "nobody is asked for a scope in this mode, so that nothing can be told")
    }
  }
}

/// Starts and stops of each process and item.
private struct ScopeBalance {
  private struct Key: Hashable {
    var process: Int32
    var path: WirePath
  }
  private struct Entry {
    var starts: [EventLine] = []
    /// Ended by a revocation: the app may still stop them.
    var revoked = 0
  }

  private var entries: [Key: Entry] = [:]

  /// - Returns: what is wrong with it.
  mutating func take(_ event: EventLine) -> (EventLine, String)? {
    switch event.name {
    case "revoked": revoke(event)
    case "processEnded":
      let left = entries.filter { $0.key.process == event.process }.flatMap(\.value.starts)
      guard let first = left.min(by: { $0.sequence < $1.sequence }) else { break }
      return (first, "its process ended without a stop")
    case "scopeStarted", "scopeStopped", "scopeUnmatched":
      guard let process = event.process, let path = event.path else { break }
      return take(event, Key(process: process, path: path))
    default: break
    }
    return nil
  }

  private mutating func take(_ event: EventLine, _ key: Key) -> (EventLine, String)? {
    var entry = entries[key] ?? Entry()
    defer { entries[key] = entry.starts.isEmpty && entry.revoked == 0 ? nil : entry }
    switch event.name {
    case "scopeStarted": entry.starts.append(event)
    case "scopeStopped": _ = entry.starts.popLast()
    default:
      guard entry.revoked > 0 else { return (event, "nothing was started that it would stop") }
      entry.revoked -= 1
    }
    return nil
  }

  private mutating func revoke(_ event: EventLine) {
    guard let path = event.path.flatMap({ ItemPath(bytes: $0.bytes) }) else { return }
    for (key, entry) in entries {
      let isCovered = ItemPath(bytes: key.path.bytes).map { $0.names.starts(with: path.names) } ?? false
      let ended = entry.starts.filter { event.app == nil || $0.app == event.app }
      guard isCovered, !ended.isEmpty else { continue }
      entries[key]?.starts.removeAll { ended.contains($0) }
      entries[key]?.revoked += ended.count
    }
  }

  /// The earliest start without a stop.
  var leftOver: EventLine? { entries.values.flatMap(\.starts).min { $0.sequence < $1.sequence } }
}

extension EventLine {
  package func isAbout(_ glob: Glob) -> Bool {
    path.flatMap { ItemPath(bytes: $0.bytes) }.map(glob.matches) ?? false
  }

  /// An error that is none of looking around: programs look for what is not there all the time.
  fileprivate var isFailure: Bool {
    guard let error else { return false }
    switch operation {
    case "lookup": return error != "noSuchItem"
    case "getxattr", "listxattr": return error != "noSuchAttribute" && error != "resultTooLarge"
    // What was parked there fails by itself.
    default: return name != "holdReleased"
    }
  }
}
