package import ProviderModel

// One row of a table of keys: what a file may say there, and which part of a value that is.

package struct Key<Owner>: Sendable {
  /// Names of objects and key with dots between, as "download.latency".
  package let path: String
  package let type: ProfileValueType
  /// Whether it has to be there: always, or whenever the object that it stands in is.
  package let isRequired: Bool
  package let summary: String
  /// What it means when the key is not there and the object that it stands in is; nil: what `get` says then.
  let absent: ProfileValue?
  /// nil for a key that is not there, or whose value is not kept.
  let get: @Sendable (Owner) -> ProfileValue?
  /// False when the value is not of the key's type.
  let set: @Sendable (ProfileValue, inout Owner) -> Bool

  init(
    _ path: String, _ type: ProfileValueType, isRequired: Bool = false, absent: ProfileValue? = nil,
    summary: String, get: @escaping @Sendable (Owner) -> ProfileValue?,
    set: @escaping @Sendable (ProfileValue, inout Owner) -> Bool
  ) {
    self.path = path
    self.type = type
    self.isRequired = isRequired
    self.absent = absent
    self.summary = summary
    self.get = get
    self.set = set
  }
}

package typealias ProfileKey = Key<Profile>

// Rows for values that stand in one place.
extension Key {
  typealias Place<Value> = any WritableKeyPath<Owner, Value> & Sendable

  /// The row of a value that is kept at `place` as it is.
  /// - Parameters:
  ///   - wrap: nil for what is not there.
  ///   - unwrap: nil for a value of another type.
  static func row<Value>(
    _ path: String, _ type: ProfileValueType, _ place: Place<Value>, isRequired: Bool = false,
    summary: String, wrap: @escaping @Sendable (Value) -> ProfileValue?,
    unwrap: @escaping @Sendable (ProfileValue) -> Value?
  ) -> Key {
    Key(
      path, type, isRequired: isRequired, summary: summary,
      get: { wrap($0[keyPath: place]) },
      set: { value, owner in
        guard let value = unwrap(value) else { return false }
        owner[keyPath: place] = value
        return true
      })
  }

  static func text(
    _ path: String, _ place: Place<String>, bytes: ClosedRange<Int>, isRequired: Bool = false,
    summary: String
  ) -> Key {
    row(
      path, .text(bytes: bytes), place, isRequired: isRequired, summary: summary,
      wrap: { .text($0) }, unwrap: { if case .text(let text) = $0 { text } else { nil } })
  }

  static func texts(
    _ path: String, _ place: Place<[String]>, count: ClosedRange<Int>, bytes: ClosedRange<Int>,
    summary: String
  ) -> Key {
    row(
      path, .texts(count: count, bytes: bytes), place, summary: summary,
      wrap: { .texts($0) }, unwrap: { if case .texts(let texts) = $0 { texts } else { nil } })
  }

  static func word<Word>(_ path: String, _ place: Place<Word>, summary: String) -> Key
  where Word: RawRepresentable<String> & CaseIterable & Sendable {
    row(
      path, .word(of: Word.allCases.map(\.rawValue)), place, summary: summary,
      wrap: { .word($0.rawValue) },
      unwrap: { if case .word(let text) = $0 { Word(rawValue: text) } else { nil } })
  }

  static func number(
    _ path: String, _ place: Place<Int>, _ limits: ClosedRange<UInt64>, summary: String
  ) -> Key {
    row(
      path, .wholeNumber(limits), place, summary: summary,
      wrap: { .wholeNumber(UInt64(clamping: $0)) },
      unwrap: { if case .wholeNumber(let wide) = $0 { Int(exactly: wide) } else { nil } })
  }

  static func number(
    _ path: String, _ place: Place<UInt64>, _ limits: ClosedRange<UInt64>, summary: String
  ) -> Key {
    row(
      path, .wholeNumber(limits), place, summary: summary,
      wrap: { .wholeNumber($0) },
      unwrap: { if case .wholeNumber(let number) = $0 { number } else { nil } })
  }

  static func latency(_ path: String, _ place: Place<Latency>, summary: String) -> Key {
    row(
      path, .latency(longest: ProfileKeys.longestDelay), place, summary: summary,
      wrap: { .latency($0) }, unwrap: { if case .latency(let latency) = $0 { latency } else { nil } })
  }

  static func bandwidth(
    _ path: String, _ place: Place<Int64?>, _ limits: ClosedRange<Int64>, summary: String
  ) -> Key {
    row(
      path, .bandwidth(limits), place, summary: summary,
      wrap: { .bandwidth($0) },
      unwrap: { if case .bandwidth(let rate) = $0 { .some(rate) } else { nil } })
  }

  /// nil: unlimited.
  static func room(
    _ path: String, _ place: Place<Int64?>, _ limits: ClosedRange<Int64>, summary: String
  ) -> Key {
    row(
      path, .room(limits), place, summary: summary,
      wrap: { .room($0) }, unwrap: { if case .room(let bytes) = $0 { .some(bytes) } else { nil } })
  }

  static func span(
    _ path: String, _ place: Place<Span>, _ limits: ClosedRange<Span>, isRequired: Bool = false,
    summary: String
  ) -> Key {
    row(
      path, .span(limits), place, isRequired: isRequired, summary: summary,
      wrap: { .span($0) }, unwrap: { if case .span(let span) = $0 { span } else { nil } })
  }

  /// nil: never.
  static func patience(
    _ path: String, _ place: Place<Span?>, _ limits: ClosedRange<Span>, isRequired: Bool = false,
    summary: String
  ) -> Key {
    row(
      path, .patience(limits), place, isRequired: isRequired, summary: summary,
      wrap: { .patience($0) },
      unwrap: { if case .patience(let span) = $0 { .some(span) } else { nil } })
  }

  static func flag(_ path: String, _ place: Place<Bool>, summary: String) -> Key {
    row(
      path, .flag, place, summary: summary,
      wrap: { .flag($0) }, unwrap: { if case .flag(let flag) = $0 { flag } else { nil } })
  }

  static func globs(
    _ path: String, _ place: Place<[Glob]>, count: ClosedRange<Int>, bytes: ClosedRange<Int>,
    summary: String
  ) -> Key {
    row(
      path, .globs(count: count, bytes: bytes), place, summary: summary,
      wrap: { .globs($0) }, unwrap: { if case .globs(let globs) = $0 { globs } else { nil } })
  }

  static func nameGlobs(
    _ path: String, _ place: Place<[Glob]>, count: ClosedRange<Int>, bytes: ClosedRange<Int>,
    summary: String
  ) -> Key {
    row(
      path, .nameGlobs(count: count, bytes: bytes), place, summary: summary,
      wrap: { .globs($0) }, unwrap: { if case .globs(let globs) = $0 { globs } else { nil } })
  }

  /// An array of objects that have a table of their own.
  static func objects<Object>(
    _ path: String, _ place: Place<[Object]>, _ table: KeyTable<Object>, count: ClosedRange<Int>,
    summary: String
  ) -> Key {
    row(
      path, .objects(count: count, table.outline), place, summary: summary,
      wrap: { .objects($0.map(table.record)) },
      unwrap: { value in
        guard case .objects(let records) = value else { return nil }
        var objects: [Object] = []
        for record in records { if let object = table.object(record) { objects.append(object) } }
        return objects.count == records.count ? objects : nil
      })
  }
}
