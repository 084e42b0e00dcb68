package import ProviderModel

// What may stand at a key, and what stands there.

/// What may stand at a key, with its limits.
package indirect enum ProfileValueType: Sendable {
  /// One line of text; the limit is of its UTF-8.
  case text(bytes: ClosedRange<Int>)
  case word(of: [String])
  /// One word, or an array of different ones.
  case words(of: [String])
  case flag
  /// Only `true`: what is not meant is left out.
  case yes
  case wholeNumber(ClosedRange<UInt64>)
  /// "800ms".
  case span(ClosedRange<Span>)
  /// "800ms", or "never".
  case patience(ClosedRange<Span>)
  /// A duration, `{min, max}` or `{median, p99}`.
  case latency(longest: Span)
  /// Bytes per second, or "unlimited".
  case bandwidth(ClosedRange<Int64>)
  /// Bytes per second.
  case rate(ClosedRange<Int64>)
  /// "64KiB" or "65536".
  case byteCount(ClosedRange<Int64>)
  /// A number of bytes, or "unlimited".
  case room(ClosedRange<Int64>)
  /// A place in a file: "40%" or as a byte count.
  case point
  /// Millionths, written as "30%".
  case share(ClosedRange<Int64>)
  case glob(bytes: ClosedRange<Int>)
  /// A path below the provider's root.
  case path(bytes: ClosedRange<Int>)
  case texts(count: ClosedRange<Int>, bytes: ClosedRange<Int>)
  case globs(count: ClosedRange<Int>, bytes: ClosedRange<Int>)
  /// Patterns of one name each, whatever folder it is in.
  case nameGlobs(count: ClosedRange<Int>, bytes: ClosedRange<Int>)
  /// An object whose keys are words of one list and whose values are words of another; `what` says of what.
  case mapping(_ what: String, from: [String], to: [String])
  /// An array of objects that have a table of their own.
  case objects(count: ClosedRange<Int>, ProfileOutline)
}

extension ProfileValueType {
  /// The words that may stand there; none for another type.
  package var words: [String] {
    switch self {
    case .word(let words), .words(let words): words
    default: []
    }
  }
}

/// What stands at a key, checked.
package enum ProfileValue: Hashable, Sendable {
  case text(String)
  case word(String)
  /// In the order in which the key's type names them.
  case words([String])
  case flag(Bool)
  case wholeNumber(UInt64)
  case span(Span)
  /// nil: never.
  case patience(Span?)
  case latency(Latency)
  /// nil: unlimited.
  case bandwidth(Int64?)
  case rate(Int64)
  case byteCount(Int64)
  /// nil: unlimited.
  case room(Int64?)
  case point(HoldPoint)
  case share(Int64)
  case glob(Glob)
  case path(ItemPath)
  case texts([String])
  case globs([Glob])
  case mapping([String: String])
  case objects([ProfileRecord])
}

/// The values of one object, by the paths of their keys.
package struct ProfileRecord: Hashable, Sendable {
  package private(set) var values: [String: ProfileValue] = [:]
  package init() {}

  package subscript(_ path: String) -> ProfileValue? {
    get { values[path] }
    set { values[path] = newValue }
  }

  /// Whether a key below `group` has a value.
  func has(_ group: String) -> Bool { values.keys.contains { $0.hasPrefix(group + ".") } }
}
