import ProviderModel

// Rules whose keys are right each for itself and make no sense together.

/// Which operations an effect or a selector fits.
struct RuleFit: Sendable {
  /// The key that asks for it.
  let path: String
  let operations: [OperationName]
  /// Why others are refused, after "does not fit the operation …, ".
  let reason: String
  let applies: @Sendable (Rule) -> Bool

  /// Operations that everything in the rule fits.
  static func operations(of rule: Rule) -> [OperationName] {
    let asked = all.filter { $0.applies(rule) }
    return OperationName.allCases.filter { operation in
      asked.allSatisfy { $0.operations.contains(operation) }
    }
  }

  static let all: [RuleFit] =
    [
      RuleFit(
        path: "bytes", operations: [.read, .readdir, .download], reason: "which has no range of bytes"
      ) { $0.bytes != nil },
      content("short") { if case .content(.short) = $0 { true } else { false } },
      content("zeroed") { if case .content(.zeroed) = $0 { true } else { false } },
      content("altered") { if case .content(.altered) = $0 { true } else { false } },
      RuleFit(
        path: "effect.size", operations: [.lookup, .getattr, .readdir], reason: "which tells no size"
      ) { if case .size = $0.effect.disturbance { true } else { false } },
      RuleFit(path: "effect.stale", operations: [.download], reason: "which brings no content") {
        $0.effect.disturbance == .stale
      },
      file("replace") { if case .replace = $0 { true } else { false } },
      file("update") { $0 == .update },
      // A download of what has another content meanwhile begins again: one that brought that about would never end.
      RuleFit(
        path: "effect.update", operations: OperationName.allCases.filter { $0 != .download },
        reason: "which would begin anew each time"
      ) { changes($0) { $0 == .update } },
      file("conflict") { $0 == .conflict },
      item("path") { $0.path != nil },
      item("copy") { !$0.copy.isEmpty },
      item("coordinated") { $0.coordinated != nil },
      item("effect.evict") { changes($0) { $0 == .evict } },
      item("effect.revoke") { changes($0) { $0 == .revoke } },
    ]

  private static let ofItems = OperationName.allCases.filter { $0 != .statfs }

  private static func item(_ path: String, _ applies: @escaping @Sendable (Rule) -> Bool) -> RuleFit {
    RuleFit(
      path: path, operations: ofItems, reason: "which is of the provider and of no item", applies: applies)
  }

  private static func file(_ name: String, _ matches: @escaping @Sendable (RuleChange) -> Bool) -> RuleFit {
    RuleFit(
      path: "effect.\(name)", operations: ofItems.filter { ![.readlink, .opendir, .readdir].contains($0) },
      reason: "which is of no file"
    ) { changes($0, matches) }
  }

  private static func content(
    _ name: String, _ applies: @escaping @Sendable (Disturbance?) -> Bool
  ) -> RuleFit {
    RuleFit(path: "effect.\(name)", operations: [.open, .read], reason: "which gets no content") {
      applies($0.effect.disturbance)
    }
  }

  private static func changes(_ rule: Rule, _ matches: (RuleChange) -> Bool) -> Bool {
    rule.effect.changes.contains(where: matches)
  }
}

enum RuleChecks {
  static func check(_ rule: Rule, _ places: Places, _ problems: inout ProblemList) {
    fit(rule, places, &problems)
    bytes(rule, places, &problems)
    if let until = rule.window.until, until <= rule.window.from {
      problems.add(
        places, "window.until", "\(until.text) is not after \"from\", \(rule.window.from.text)")
    }
    if rule.effect.disturbance == .stale, !rule.copy.isEmpty, !rule.copy.contains(.stale) {
      problems.add(
        places, "copy", "only what is out of date can stay so; it has to say \"stale\", or nothing")
    }
    if rule.operations == [.download], rule.copy == [.local] {
      problems.add(places, "copy", "a local file is not downloaded, so the rule never strikes")
    }
    switch rule.effect.delay {
    case .fixed(.zero), .uniform(_, .zero):
      problems.add(places, "effect.delay", "is no delay; leave it out instead")
    default: break
    }
    idle(rule, places, &problems)
  }

  /// Effects and selectors that an operation of the rule cannot have.
  private static func fit(_ rule: Rule, _ places: Places, _ problems: inout ProblemList) {
    for fit in RuleFit.all where fit.applies(rule) {
      for operation in rule.operations where !fit.operations.contains(operation) {
        problems.add(places, fit.path, "does not fit the operation \(operation.rawValue), \(fit.reason)")
      }
    }
  }

  private static func bytes(_ rule: Rule, _ places: Places, _ problems: inout ProblemList) {
    guard let bytes = rule.bytes else { return }
    if bytes.from.isEnd {
      problems.add(places, "bytes.from", "no byte comes after 100%, so the rule never strikes")
    }
    guard let to = bytes.to else { return }
    switch (bytes.from, to) {
    case (_, let to) where to.isStart:
      problems.add(places, "bytes.to", "no byte comes before \(to.text), so the rule never strikes")
    case (.bytes(let from), .bytes(let end)) where from >= end,
      (.millionths(let from), .millionths(let end)) where from >= end:
      problems.add(places, "bytes.to", "\(to.text) is not after \"from\", \(bytes.from.text)")
    default: break
    }
  }

  /// Disturbances that leave everything as it is.
  private static func idle(_ rule: Rule, _ places: Places, _ problems: inout ProblemList) {
    switch rule.effect.disturbance {
    case .content(.short(let point)) where point.isEnd: idle("effect.short", places, &problems)
    case .content(.zeroed(let point)) where point.isEnd: idle("effect.zeroed", places, &problems)
    case .content(.altered(let point)) where point.isEnd: idle("effect.altered", places, &problems)
    case .size(.larger(let point)) where point.isStart: idle("effect.size.larger", places, &problems)
    case .size(.smaller(let point)) where point.isStart: idle("effect.size.smaller", places, &problems)
    case .size(.growing(let point, _, _)) where point.isEnd:
      idle("effect.size.growing.from", places, &problems)
    case .size(.shrinking(let point, _, _)) where point.isEnd:
      idle("effect.size.shrinking.to", places, &problems)
    default: break
    }
  }

  private static func idle(_ path: String, _ places: Places, _ problems: inout ProblemList) {
    problems.add(places, path, "changes nothing there")
  }
}

extension HoldPoint {
  /// Before the first byte, however long the file.
  fileprivate var isStart: Bool { self == .bytes(0) || self == .millionths(0) }
  /// After the last byte, however long the file.
  fileprivate var isEnd: Bool { self == .millionths(1_000_000) }
}

enum EventChecks {
  static func check(_ event: TimedEvent, _ places: Places, _ problems: inout ProblemList) {
    let isOfOne = event.path.map { !$0.names.isEmpty } ?? false
    func missing(_ change: String) {
      problems.add(places, "path", "names no item, and \"\(change)\" is of one file")
    }
    switch event.change {
    case .replace where !isOfOne: missing("replace")
    case .update where !isOfOne: missing("update")
    case .conflict where !isOfOne: missing("conflict")
    case .provider where event.path != nil:
      problems.add(places, "path", "does not fit \"provider\", which is of all items")
    case .evict, .revoke, .replace, .update, .conflict, .provider: break
    }
  }
}

// MARK: What can happen on which kind of provider

extension RuleChecks {
  /// Why the rule cannot happen on a provider of this kind, and at which key that is; nil when it can.
  static func impossibility(of rule: Rule, on kind: ProviderKind) -> (path: String, reason: String)? {
    switch kind {
    case .replicated: onReplicated(rule)
    case .volume: onVolume(rule)
    case .legacy: nil
    }
  }

  private static func onReplicated(_ rule: Rule) -> (path: String, reason: String)? {
    let isOfMissing = !rule.copy.isEmpty && rule.copy.allSatisfy { $0 == .dataless || $0 == .downloading }
    guard rule.operations.contains(.read), !isOfMissing else { return nil }
    let path: String
    switch rule.effect.disturbance {
    case .fail: path = "effect.error"
    case .stall: path = "effect.stall"
    case .content(.short): path = "effect.short"
    case .content(.zeroed): path = "effect.zeroed"
    case .content(.altered): path = "effect.altered"
    case .hold, .size, .stale, nil: return nil
    }
    return (
      path,
      "on a replicated provider what is local is a plain file, whose reads do not go wrong; say \"copy\": "
        + "[\"dataless\", \"downloading\"]"
    )
  }

  private static func onVolume(_ rule: Rule) -> (path: String, reason: String)? {
    let nothing = "a volume has its files whole, with nothing to download or to evict"
    if rule.operations.contains(.download) { return ("on", nothing) }
    if rule.effect.disturbance == .stale { return ("effect.stale", nothing) }
    if rule.copy.contains(where: { $0 != .local }) { return ("copy", nothing) }
    if rule.effect.changes.contains(.evict) { return ("effect.evict", nothing) }
    if case .fail(.provider) = rule.effect.disturbance {
      return ("effect.error", "a volume has no file provider that could answer so")
    }
    return nil
  }

  /// A rule that says what it stands on has to be possible; one that says nothing counts as synthetic.
  static func checkKind(
    _ rule: Rule, on kind: ProviderKind, _ places: Places, _ problems: inout ProblemList
  ) {
    guard let (path, reason) = impossibility(of: rule, on: kind) else { return }
    if rule.basis.standing != .synthetic {
      problems.add(
        places, path, "\(reason), or \"basis\": { \"standing\": \"synthetic\" }")
    } else if !places.isGiven("basis.standing") {
      problems.remark(.warning, places, path, "\(reason), or say that its basis is synthetic")
    }
  }
}
