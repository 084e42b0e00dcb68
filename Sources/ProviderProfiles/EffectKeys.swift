import ProviderModel

// The rows of what a rule or a timed event does.

/// What befalls an operation: an error, a hold, a stall, other content or another size.
enum DisturbanceKeys {
  static let names = ["error", "hold", "stall", "short", "zeroed", "altered", "size", "stale"]

  static func groups(under path: String) -> [KeyGroup] {
    [
      KeyGroup(
        "\(path).size", "What stat says of the size; the time of the last change stays.", members: 1...1),
      KeyGroup("\(path).size.growing", "The file grows while it is looked at."),
      KeyGroup("\(path).size.shrinking", "The file shrinks while it is looked at."),
    ]
  }

  static func rows(under path: String) -> [Key<Rule>] {
    [
      row(
        "\(path).error", .word(of: Fault.allNames), summary: "It fails with this error, by its name.",
        get: { if case .fail(let fault) = $0 { .word(fault.name) } else { nil } },
        make: { value, _ in
          guard case .word(let name) = value else { return nil }
          return Fault(name: name).map { .fail($0) }
        }),
      row(
        "\(path).hold", .text(bytes: 1...100), summary: "It waits at a hold of this name until released.",
        get: { if case .hold(let name) = $0 { .text(name) } else { nil } },
        make: { value, _ in if case .text(let name) = value { .hold(name) } else { nil } }),
      row(
        "\(path).stall", .yes, summary: "It never ends, until the reader gives up or the rule is removed.",
        get: { if case .stall = $0 { .flag(true) } else { nil } },
        make: { value, _ in if case .flag(true) = value { .stall } else { nil } }),
      row(
        "\(path).stale", .yes,
        summary: "A download of what is out of date brings nothing newer; whoever waits gets what is here.",
        get: { if case .stale = $0 { .flag(true) } else { nil } },
        make: { value, _ in if case .flag(true) = value { .stale } else { nil } }),
      content(
        "\(path).short", summary: "The content ends here, whatever the size says.",
        get: { if case .short(let point) = $0 { point } else { nil } }, make: { .short($0) }),
      content(
        "\(path).zeroed", summary: "Zeros from here on.",
        get: { if case .zeroed(let point) = $0 { point } else { nil } }, make: { .zeroed($0) }),
      content(
        "\(path).altered", summary: "Other bytes from here on, the same ones every time.",
        get: { if case .altered(let point) = $0 { point } else { nil } }, make: { .altered($0) }),
    ] + sizes(under: "\(path).size")
  }

  private static func sizes(under path: String) -> [Key<Rule>] {
    [
      row(
        path, .word(of: ["zero", "late"]), summary: "0 for ever, or 0 until the file is local.",
        get: { disturbance in
          switch disturbance {
          case .size(.zero): .word("zero")
          case .size(.late): .word("late")
          default: nil
          }
        },
        make: { value, _ in
          guard case .word(let word) = value else { return nil }
          return .size(word == "zero" ? .zero : .late)
        }),
      row(
        "\(path).larger", .point, summary: "Larger than the content by so much.",
        get: { if case .size(.larger(let point)) = $0 { .point(point) } else { nil } },
        make: { value, _ in if case .point(let point) = value { .size(.larger(by: point)) } else { nil } }),
      row(
        "\(path).smaller", .point, summary: "Smaller than the content by so much.",
        get: { if case .size(.smaller(let point)) = $0 { .point(point) } else { nil } },
        make: { value, _ in if case .point(let point) = value { .size(.smaller(by: point)) } else { nil } }),
    ]
      + moving(
        "\(path).growing", "from", "What is there at first.",
        get: {
          if case .size(.growing(let from, let step, let every)) = $0 { (from, step, every) } else { nil }
        },
        make: { .growing(from: $0, step: $1, every: $2) })
      + moving(
        "\(path).shrinking", "to", "What is left in the end.",
        get: {
          if case .size(.shrinking(let to, let step, let every)) = $0 { (to, step, every) } else { nil }
        },
        make: { .shrinking(to: $0, step: $1, every: $2) })
  }

  private typealias Course = (end: HoldPoint, step: Int64, every: Span)

  /// The three keys of a size that changes by itself. Each keeps what those before it have set.
  private static func moving(
    _ path: String, _ end: String, _ endSummary: String,
    get: @escaping @Sendable (Disturbance?) -> Course?,
    make: @escaping @Sendable (HoldPoint, Int64, Span) -> SizeFault
  ) -> [Key<Rule>] {
    let start: Course = (.bytes(0), 1, .zero)
    return [
      row(
        "\(path).\(end)", .point, isRequired: true, summary: endSummary,
        get: { get($0).map { .point($0.end) } },
        make: { value, before in
          let course = get(before) ?? start
          guard case .point(let point) = value else { return nil }
          return .size(make(point, course.step, course.every))
        }),
      row(
        "\(path).step", .byteCount(1...Int64.max), isRequired: true, summary: "How much at a time.",
        get: { get($0).map { .byteCount($0.step) } },
        make: { value, before in
          let course = get(before) ?? start
          guard case .byteCount(let step) = value else { return nil }
          return .size(make(course.end, step, course.every))
        }),
      row(
        "\(path).every", .span(Span(nanoseconds: 1)...ProfileKeys.longestDelay), isRequired: true,
        summary: "How long one step takes.",
        get: { get($0).map { .span($0.every) } },
        make: { value, before in
          let course = get(before) ?? start
          guard case .span(let every) = value else { return nil }
          return .size(make(course.end, course.step, every))
        }),
    ]
  }

  private static func content(
    _ path: String, summary: String, get: @escaping @Sendable (ContentFault) -> HoldPoint?,
    make: @escaping @Sendable (HoldPoint) -> ContentFault
  ) -> Key<Rule> {
    row(
      path, .point, summary: summary,
      get: { if case .content(let fault) = $0 { get(fault).map { .point($0) } } else { nil } },
      make: { value, _ in if case .point(let point) = value { .content(make(point)) } else { nil } })
  }

  /// - Parameter make: From the key's value and the disturbance so far.
  private static func row(
    _ path: String, _ type: ProfileValueType, isRequired: Bool = false, summary: String,
    get: @escaping @Sendable (Disturbance?) -> ProfileValue?,
    make: @escaping @Sendable (ProfileValue, Disturbance?) -> Disturbance?
  ) -> Key<Rule> {
    Key(
      path, type, isRequired: isRequired, summary: summary,
      get: { get($0.effect.disturbance) },
      set: { value, rule in
        guard let made = make(value, rule.effect.disturbance) else { return false }
        rule.effect.disturbance = made
        return true
      })
  }
}

/// What has changes: a rule several, a timed event one.
protocol Changing: Sendable {
  var changes: [RuleChange] { get }
  /// Takes the place of one of the same kind.
  mutating func put(_ change: RuleChange)
}

extension Rule: Changing {
  var changes: [RuleChange] { effect.changes }
  mutating func put(_ change: RuleChange) {
    if let index = effect.changes.firstIndex(where: { $0.kind == change.kind }) {
      effect.changes[index] = change
    } else {
      effect.changes.append(change)
    }
  }
}

extension TimedEvent: Changing {
  var changes: [RuleChange] { [change] }
  mutating func put(_ change: RuleChange) { self.change = change }
}

extension RuleChange {
  fileprivate enum Kind { case evict, revoke, replace, update, conflict, provider }
  fileprivate var kind: Kind {
    switch self {
    case .evict: .evict
    case .revoke: .revoke
    case .replace: .replace
    case .update: .update
    case .conflict: .conflict
    case .provider: .provider
    }
  }
}

/// What happens to the item or the provider.
enum ChangeKeys<Owner: Changing> {
  static func groups(under path: String) -> [KeyGroup] {
    [
      KeyGroup("\(path).replace", "Another file takes the item's place."),
      KeyGroup("\(path).provider", "The provider as a whole changes, for a while."),
    ]
  }

  static func rows(under path: String) -> [Key<Owner>] {
    [
      row(
        "\(path).evict", .yes, summary: "The local copy is dropped.",
        get: { if case .evict = $0 { .flag(true) } else { nil } },
        make: { value, _ in if case .flag(true) = value { .evict } else { nil } }),
      row(
        "\(path).revoke", .yes, summary: "Access to the item is revoked, for every app.",
        get: { if case .revoke = $0 { .flag(true) } else { nil } },
        make: { value, _ in if case .flag(true) = value { .revoke } else { nil } }),
      row(
        "\(path).replace.by", .word(of: RuleChange.Replacement.allCases.map(\.rawValue)), isRequired: true,
        summary: "Renamed over it, as a safe save does, or deleted and made again.",
        get: { if case .replace(let way, _) = $0 { .word(way.rawValue) } else { nil } },
        make: { value, _ in
          guard case .word(let word) = value, let way = RuleChange.Replacement(rawValue: word) else {
            return nil
          }
          return .replace(way, gap: .zero)
        }),
      row(
        "\(path).replace.gap", .span(.zero...ProfileKeys.longestDelay), absent: .span(.zero),
        summary: "How long there is no file in between.",
        get: { if case .replace(_, let gap) = $0 { .span(gap) } else { nil } },
        make: { value, changes in
          guard case .span(let gap) = value else { return nil }
          for case .replace(let way, _) in changes { return .replace(way, gap: gap) }
          return nil
        }),
      row(
        "\(path).update", .yes,
        summary: "The server has a newer version of the file: its bytes, and a line after them.",
        get: { if case .update = $0 { .flag(true) } else { nil } },
        make: { value, _ in if case .flag(true) = value { .update } else { nil } }),
      row(
        "\(path).conflict", .yes,
        summary: "Another device has changed the file, too: a file beside it has that version.",
        get: { if case .conflict = $0 { .flag(true) } else { nil } },
        make: { value, _ in if case .flag(true) = value { .conflict } else { nil } }),
    ] + conditions(under: "\(path).provider")
  }

  /// A condition alone is a word; with a duration, an object.
  private static func conditions(under path: String) -> [Key<Owner>] {
    let words = ProfileValueType.word(of: ProviderCondition.allCases.map(\.rawValue))
    return [
      row(
        path, words, summary: "The provider as a whole is this, until somebody changes it.",
        get: { if case .provider(let condition, nil) = $0 { .word(condition.rawValue) } else { nil } },
        make: { value, _ in
          guard case .word(let word) = value else { return nil }
          return ProviderCondition(rawValue: word).map { .provider($0, duration: nil) }
        }),
      row(
        "\(path).is", words, isRequired: true, summary: "What it is.",
        get: { if case .provider(let condition, .some) = $0 { .word(condition.rawValue) } else { nil } },
        make: { value, _ in
          guard case .word(let word) = value else { return nil }
          return ProviderCondition(rawValue: word).map { .provider($0, duration: nil) }
        }),
      row(
        "\(path).for", .span(Span(nanoseconds: 1)...ProfileKeys.longestDelay),
        summary: "For how long; it is online then. Else until somebody changes it.",
        get: { if case .provider(_, .some(let duration)) = $0 { .span(duration) } else { nil } },
        make: { value, changes in
          guard case .span(let duration) = value else { return nil }
          for case .provider(let condition, _) in changes { return .provider(condition, duration: duration) }
          return nil
        }),
    ]
  }

  /// - Parameter make: From the key's value and the changes so far.
  private static func row(
    _ path: String, _ type: ProfileValueType, isRequired: Bool = false, absent: ProfileValue? = nil,
    summary: String,
    get: @escaping @Sendable (RuleChange) -> ProfileValue?,
    make: @escaping @Sendable (ProfileValue, [RuleChange]) -> RuleChange?
  ) -> Key<Owner> {
    Key(
      path, type, isRequired: isRequired, absent: absent, summary: summary,
      get: { owner in owner.changes.lazy.compactMap(get).first },
      set: { value, owner in
        guard let change = make(value, owner.changes) else { return false }
        owner.put(change)
        return true
      })
  }
}
