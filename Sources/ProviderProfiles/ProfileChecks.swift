import ProviderModel

// What is wrong or remarkable between the parts of a profile.

enum ProfileChecks {
  static func check(_ profile: Profile, _ places: Places, _ problems: inout ProblemList) {
    let sound = problems.sound["rules"] ?? []
    let rules = zip(sound, profile.rules).map { index, rule in
      (rule: rule, index: index, places: places.element(index, of: "rules"))
    }
    var first: [String: Int] = [:]
    var reach = Reach()
    for (rule, index, places) in rules {
      if let earlier = first[rule.name] {
        problems.add(places, "name", "is the name of rules[\(earlier)] too; each rule has its own")
      } else {
        first[rule.name] = index
      }
      if let earlier = reach.add(rule) {
        problems.remark(
          .warning, places, "on",
          "the rule is never reached: \"\(Printable.text(earlier))\" strikes before it whenever it would match"
        )
      }
      repeatability(rule, places, &problems)
    }
    if places.isSound("kind") {
      for (rule, _, places) in rules { RuleChecks.checkKind(rule, on: profile.kind, places, &problems) }
      if profile.kind == .volume, profile.items.initial == .dataless {
        problems.remark(
          .warning, places, "items.initial", "a volume has its files whole; say \"initial\": \"local\"")
      }
    }
    placeholders(profile, places, &problems)
    if let slow = profile.download.slowStart, let usual = profile.download.bandwidth, slow.bandwidth >= usual
    {
      problems.remark(
        .warning, places, "download.slowStart.bandwidth",
        "a slow start of \(ByteRate.text(bytesPerSecond: slow.bandwidth)) is no slower than download.bandwidth, "
          + "\(ByteRate.text(bytesPerSecond: usual))")
    }
    for index in problems.sound["events"] ?? [] {
      problems.remark(
        .note, places.element(index, of: "events"), "at", "a timed event is \(ProfileChecks.byOneClient)")
    }
  }

  private static func placeholders(_ profile: Profile, _ places: Places, _ problems: inout ProblemList) {
    let suffix = profile.items.placeholderSuffix
    if suffix.utf8.contains(where: { $0 == 0 || $0 == 0x2F }) {
      problems.add(
        places, "items.placeholderSuffix", "has a slash or a NUL, which no name can have; say \".nextcloud\"")
    }
    let style = profile.items.placeholders
    if style != .suffix, places.isGiven("items.placeholderSuffix") {
      problems.remark(
        .warning, places, "items.placeholderSuffix",
        "no name ends in it; say \"placeholders\": \"suffix\", or leave it out")
    }
    if style != .dataless, !profile.naming.isExact {
      problems.add(
        places, "items.placeholders",
        "stubs' names are kept byte for byte; leave \"naming\" out, or say \"placeholders\": \"dataless\"")
    }
    guard style != .dataless, profile.kind != .legacy, places.isSound("kind") else { return }
    let reason =
      "only a legacy provider has stubs in place of its files; say \"kind\": \"legacy\""
    if profile.basis.standing != .synthetic {
      problems.add(
        places, "items.placeholders", "\(reason), or \"basis\": { \"standing\": \"synthetic\" }")
    } else if !places.isGiven("basis.standing") {
      problems.remark(.warning, places, "items.placeholders", "\(reason), or say that its basis is synthetic")
    }
  }

  static let byOneClient = "repeatable only with one client and a manual clock"

  private static func repeatability(_ rule: Rule, _ places: Places, _ problems: inout ProblemList) {
    if rule.occurrence.count == .total, rule.occurrence.after > 0 || rule.occurrence.times != nil {
      problems.remark(.note, places, "fail.count", "counting all items together is \(byOneClient)")
    }
    if rule.window != Rule.Window() {
      problems.remark(.note, places, "window", "a time window is \(byOneClient)")
    }
    if rule.untilEvent != nil {
      problems.remark(.note, places, "untilEvent", "what an event ends is \(byOneClient)")
    }
  }
}

/// Which later rules can still be reached.
private struct Reach {
  /// By operation: the rules that strike whatever comes, by their patterns; "" for those without one.
  private var taken: [OperationName: [String: String]] = [:]

  /// - Returns: The name of an earlier rule that leaves this one nothing.
  mutating func add(_ rule: Rule) -> String? {
    let pattern = rule.path.map { $0.pattern == "**" ? "" : $0.pattern } ?? ""
    var earlier: String?
    var isLeftSome = false
    for operation in rule.operations {
      let taken = taken[operation] ?? [:]
      if let name = taken[""] ?? taken[pattern] { earlier = earlier ?? name } else { isLeftSome = true }
    }
    if isUnconditional(rule) {
      for operation in rule.operations where taken[operation]?[pattern] == nil {
        taken[operation, default: [:]][pattern] = rule.name
      }
    }
    return isLeftSome ? nil : earlier
  }

  private func isUnconditional(_ rule: Rule) -> Bool {
    var plain = Rule(name: rule.name, operations: rule.operations, effect: rule.effect)
    plain.path = rule.path
    plain.basis = rule.basis
    // How all are counted is the same as how each is.
    plain.occurrence.count = rule.occurrence.count
    return plain == rule
  }
}
