package import ProviderModel

// One row of the table of keys: what a file may say there, and which part of a profile that is.

/// What may stand at a key, with its limits.
package enum ProfileValueType: Hashable, Sendable {
  /// One line of text; the limit is of its UTF-8.
  case text(bytes: ClosedRange<Int>)
  case word(of: [String])
  case wholeNumber(ClosedRange<UInt64>)
  /// A duration, `{min, max}` or `{median, p99}`.
  case latency(longest: Span)
  /// Bytes per second, or "unlimited".
  case bandwidth(ClosedRange<Int64>)
  case texts(count: ClosedRange<Int>, bytes: ClosedRange<Int>)
  case globs(count: ClosedRange<Int>, bytes: ClosedRange<Int>)
}

/// What stands at a key, checked.
package enum ProfileValue: Hashable, Sendable {
  case text(String)
  case word(String)
  case wholeNumber(UInt64)
  case latency(Latency)
  /// nil: unlimited.
  case bandwidth(Int64?)
  case texts([String])
  case globs([Glob])
}

package struct ProfileKey: Sendable {
  /// Names of objects and key with dots between, as "download.latency".
  package let path: String
  package let type: ProfileValueType
  package let isRequired: Bool
  package let summary: String
  /// nil for a key whose value is not kept.
  let get: @Sendable (Profile) -> ProfileValue?
  /// False when the value is not of the key's type.
  let set: @Sendable (ProfileValue, inout Profile) -> Bool

  init(
    _ path: String, _ type: ProfileValueType, isRequired: Bool = false, summary: String,
    get: @escaping @Sendable (Profile) -> ProfileValue?,
    set: @escaping @Sendable (ProfileValue, inout Profile) -> Bool
  ) {
    self.path = path
    self.type = type
    self.isRequired = isRequired
    self.summary = summary
    self.get = get
    self.set = set
  }
}

// Rows for the types that several keys have.
extension ProfileKey {
  typealias Place<Value> = any WritableKeyPath<Profile, Value> & Sendable

  static func text(
    _ path: String, _ place: Place<String>, bytes: ClosedRange<Int>, isRequired: Bool = false,
    summary: String
  ) -> ProfileKey {
    ProfileKey(
      path, .text(bytes: bytes), isRequired: isRequired, summary: summary,
      get: { .text($0[keyPath: place]) },
      set: { value, profile in
        guard case .text(let text) = value else { return false }
        profile[keyPath: place] = text
        return true
      })
  }

  static func word<Word>(_ path: String, _ place: Place<Word>, summary: String) -> ProfileKey
  where Word: RawRepresentable<String> & CaseIterable & Sendable {
    ProfileKey(
      path, .word(of: Word.allCases.map(\.rawValue)), summary: summary,
      get: { .word($0[keyPath: place].rawValue) },
      set: { value, profile in
        guard case .word(let text) = value, let word = Word(rawValue: text) else { return false }
        profile[keyPath: place] = word
        return true
      })
  }

  static func number(
    _ path: String, _ place: Place<Int>, _ limits: ClosedRange<UInt64>, summary: String
  ) -> ProfileKey {
    ProfileKey(
      path, .wholeNumber(limits), summary: summary,
      get: { .wholeNumber(UInt64(clamping: $0[keyPath: place])) },
      set: { value, profile in
        guard case .wholeNumber(let wide) = value, let number = Int(exactly: wide) else { return false }
        profile[keyPath: place] = number
        return true
      })
  }

  static func latency(_ path: String, _ place: Place<Latency>, summary: String) -> ProfileKey {
    ProfileKey(
      path, .latency(longest: ProfileKeys.longestDelay), summary: summary,
      get: { .latency($0[keyPath: place]) },
      set: { value, profile in
        guard case .latency(let latency) = value else { return false }
        profile[keyPath: place] = latency
        return true
      })
  }
}
