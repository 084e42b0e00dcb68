package import ProviderModel

// The tables of what stands in a profile's arrays: rules and timed events.

package enum RuleKeys {
  package static let table = KeyTable<Rule>(
    noun: "rule", keys: selectors + effects, groups: groups,
    make: { Rule(name: "", operations: [], effect: RuleEffect()) }, check: RuleChecks.check)

  /// The most that something is counted to.
  static let countLimit: UInt64 = 1_000_000_000

  private static let selectors: [Key<Rule>] = [
    .text(
      "name", \.name, bytes: 1...100, isRequired: true,
      summary: "What the rule is called, in events and for rule remove; no two rules have one name."),
    .word("basis.standing", \.basis.standing, summary: "What the rule stands on."),
    .texts(
      "basis.sources", \.basis.sources, count: 0...100, bytes: 1...2_000,
      summary: "Addresses of where such a thing was seen or is documented."),
    .row(
      "on", .words(of: OperationName.allCases.map(\.rawValue)), \.operations, isRequired: true,
      summary: "The operations that it is about.",
      wrap: { .words($0.map(\.rawValue)) },
      unwrap: { if case .words(let words) = $0 { words.compactMap(OperationName.init) } else { nil } }),
    .row(
      "path", .glob(bytes: 1...1_024), \.path, summary: "A pattern of the paths that it is about.",
      wrap: { $0.map { .glob($0) } },
      unwrap: { if case .glob(let glob) = $0 { .some(glob) } else { nil } }),
    .row(
      "copy", .words(of: CopyState.allCases.map(\.name)), \.copy,
      summary: "What this machine has of the file when the operation comes.",
      wrap: { $0.isEmpty ? nil : .words($0.map(\.name)) },
      unwrap: { if case .words(let names) = $0 { names.compactMap(CopyState.init) } else { nil } }),
    .row(
      "app", .text(bytes: 1...4_096), \.app, summary: "The app whose operations it is about.",
      wrap: { $0.map { .text($0.name) } },
      unwrap: { if case .text(let name) = $0 { .some(AppID(name)) } else { nil } }),
    .row(
      "coordinated", .flag, \.coordinated,
      summary: "Whether the process has a coordinated access to the file under way.",
      wrap: { $0.map { .flag($0) } },
      unwrap: { if case .flag(let flag) = $0 { .some(flag) } else { nil } }),
    Key(
      "bytes.from", .point, isRequired: true,
      summary: "The first byte that a read or download has to reach; of a readdir, the first entry.",
      get: { $0.bytes.map { .point($0.from) } },
      set: { value, rule in
        guard case .point(let point) = value else { return false }
        rule.bytes = Rule.Span(from: point, to: rule.bytes?.to)
        return true
      }),
    Key(
      "bytes.to", .point, summary: "The first byte or entry that is no longer meant; else there is no end.",
      get: { $0.bytes?.to.map { .point($0) } },
      set: { value, rule in
        guard case .point(let point) = value, rule.bytes != nil else { return false }
        rule.bytes?.to = point
        return true
      }),
    .number(
      "fail.after", \.occurrence.after, 0...countLimit,
      summary: "How many actions are spared first: opens with their reads, listings, transfers."),
    .row(
      "fail.times", .wholeNumber(1...countLimit), \.occurrence.times,
      summary: "How many actions it strikes then; else all.",
      wrap: { $0.map { .wholeNumber($0) } },
      unwrap: { if case .wholeNumber(let number) = $0 { .some(number) } else { nil } }),
    .word(
      "fail.count", \.occurrence.count, summary: "Whether it counts for each item, or for all together."),
    .row(
      "probability", .share(1...1_000_000), \.probability,
      summary: "In how many of a hundred such actions it strikes.",
      wrap: { .share($0) }, unwrap: { if case .share(let share) = $0 { share } else { nil } }),
    .span(
      "window.from", \.window.from, .zero...ProfileKeys.longestDelay,
      summary: "When it begins to be in force, in provider time since the start."),
    .row(
      "window.until", .span(Span(nanoseconds: 1)...ProfileKeys.longestDelay), \.window.until,
      summary: "When it is no longer in force.",
      wrap: { $0.map { .span($0) } },
      unwrap: { if case .span(let span) = $0 { .some(span) } else { nil } }),
    .row(
      "untilEvent", .word(of: EventName.allCases.map(\.rawValue)), \.untilEvent,
      summary: "It is in force until an event of this name happens.",
      wrap: { $0.map { .word($0.rawValue) } },
      unwrap: { if case .word(let name) = $0 { .some(EventName(rawValue: name)) } else { nil } }),
  ]

  private static let effects: [Key<Rule>] =
    [
      .row(
        "effect.delay", .latency(longest: ProfileKeys.longestDelay), \.effect.delay,
        summary: "How long the operation takes longer.",
        wrap: { $0.map { .latency($0) } },
        unwrap: { if case .latency(let latency) = $0 { .some(latency) } else { nil } })
    ] + DisturbanceKeys.rows(under: "effect") + ChangeKeys<Rule>.rows(under: "effect")

  private static let groups: [KeyGroup] =
    [
      KeyGroup("basis", "What the rule stands on."),
      KeyGroup("bytes", "Which part of a file a read or download has to reach, or of a folder a readdir."),
      KeyGroup("fail", "Which of the actions that match it strikes."),
      KeyGroup("window", "At what time it is in force."),
      KeyGroup(
        "effect", "What happens: first the wait, then the changes, then what befalls the operation.",
        isRequired: true, members: 1...Int.max, alternatives: DisturbanceKeys.names),
    ] + DisturbanceKeys.groups(under: "effect") + ChangeKeys<Rule>.groups(under: "effect")
}

package enum EventKeys {
  package static let table = KeyTable<TimedEvent>(
    noun: "timed event", keys: rows,
    groups: [KeyGroup("do", "What happens.", isRequired: true, members: 1...1)]
      + ChangeKeys<TimedEvent>.groups(under: "do"),
    make: { TimedEvent(at: .zero, change: .provider(.online, duration: nil)) }, check: EventChecks.check)

  private static let rows: [Key<TimedEvent>] =
    [
      .span(
        "at", \.at, .zero...ProfileKeys.longestDelay, isRequired: true,
        summary: "When, in provider time since the start."),
      .row(
        "path", .path(bytes: 1...4_096), \.path,
        summary: "The item that it is done to; else everything below the root.",
        wrap: { $0.map { .path($0) } },
        unwrap: { if case .path(let path) = $0 { .some(path) } else { nil } }),
    ] + ChangeKeys<TimedEvent>.rows(under: "do")
}
