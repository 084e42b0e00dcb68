/// A path pattern over bytes: `*` within a name, `**` over folders, `?` and `[…]` for one scalar.
package struct Glob: Hashable, Sendable, CustomStringConvertible {
  package let pattern: String
  private let components: [[UInt8]]

  /// - Returns: nil for an empty pattern, a leading slash or an unclosed `[`.
  package init?(_ pattern: String) {
    let bytes = Array(pattern.utf8)
    guard !bytes.isEmpty, bytes[0] != 0x2F else { return nil }
    components = bytes.split(separator: 0x2F).map(Array.init)
    self.pattern = pattern
    for component in components where !Glob.isClosed(component) { return nil }
  }

  package var description: String { pattern }

  package func matches(_ path: ItemPath) -> Bool {
    Glob.match(components[...], path.names[...])
  }

  /// Whether it is a pattern of one name, and of this one.
  package func matches(_ name: Name) -> Bool {
    components.count == 1 && Glob.matchName(components[0][...], name.bytes[...])
  }

  /// The byte that whatever matches begins with; nil when it may be any.
  fileprivate var firstByte: UInt8? {
    guard let first = components.first?.first, ![0x2A, 0x3F, 0x5B].contains(first) else { return nil }
    return first
  }

  /// As `matchName`, with components for bytes: only the last `**` is tried again, so that a pattern of many
  /// takes no exponential time.
  private static func match(_ pattern: ArraySlice<[UInt8]>, _ names: ArraySlice<Name>) -> Bool {
    var pattern = pattern
    var names = names
    var retry: (pattern: ArraySlice<[UInt8]>, names: ArraySlice<Name>)?
    while true {
      if pattern.first == [0x2A, 0x2A] {
        pattern = pattern.dropFirst()
        retry = (pattern, names)
        continue
      }
      if names.isEmpty, pattern.isEmpty { return true }
      if let component = pattern.first, let name = names.first, matchName(component[...], name.bytes[...]) {
        (pattern, names) = (pattern.dropFirst(), names.dropFirst())
        continue
      }
      guard let (p, n) = retry, !n.isEmpty else { return false }
      (pattern, names) = (p, n.dropFirst())
      retry = (pattern, names)
    }
  }

  /// One component, with the one-star backtracking that stays linear in practice.
  private static func matchName(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
    var pattern = pattern
    var name = name
    var retry: (pattern: ArraySlice<UInt8>, name: ArraySlice<UInt8>)?
    while true {
      if pattern.first == 0x2A {
        pattern = pattern.dropFirst()
        retry = (pattern, name)
        continue
      }
      if name.isEmpty, pattern.isEmpty { return true }
      if !name.isEmpty, let (p, n) = step(pattern, name) {
        (pattern, name) = (p, n)
        continue
      }
      guard let (p, n) = retry, !n.isEmpty else { return false }
      (pattern, name) = (p, n.dropFirst(scalarLength(n)))
      retry = (pattern, name)
    }
  }

  /// Matches one scalar; nil when it does not.
  private static func step(
    _ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>
  ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
    guard let first = pattern.first else { return nil }
    let length = scalarLength(name)
    switch first {
    case 0x3F: return (pattern.dropFirst(), name.dropFirst(length))
    case 0x5B:
      guard let (accepts, rest) = bracket(pattern, name.prefix(length)) else { return nil }
      return accepts ? (rest, name.dropFirst(length)) : nil
    default:
      return first == name.first ? (pattern.dropFirst(), name.dropFirst()) : nil
    }
  }

  private static func bracket(
    _ pattern: ArraySlice<UInt8>, _ scalar: ArraySlice<UInt8>
  ) -> (accepts: Bool, rest: ArraySlice<UInt8>)? {
    var rest = pattern.dropFirst()
    let negated = rest.first == 0x21 || rest.first == 0x5E
    if negated { rest = rest.dropFirst() }
    var found = false
    var isFirst = true
    while let byte = rest.first, isFirst || byte != 0x5D {
      isFirst = false
      let low = rest.prefix(scalarLength(rest))
      rest = rest.dropFirst(low.count)
      if rest.first == 0x2D, let next = rest.dropFirst().first, next != 0x5D {
        let high = rest.dropFirst().prefix(scalarLength(rest.dropFirst()))
        rest = rest.dropFirst(1 + high.count)
        // UTF-8 keeps the order of scalars, so that comparing bytes compares scalars.
        if !scalar.lexicographicallyPrecedes(low), !high.lexicographicallyPrecedes(scalar) { found = true }
      } else if low.elementsEqual(scalar) {
        found = true
      }
    }
    guard rest.first == 0x5D else { return nil }
    return (found != negated, rest.dropFirst())
  }

  private static func isClosed(_ component: [UInt8]) -> Bool {
    var rest = component[...]
    while let byte = rest.first {
      if byte == 0x5B {
        guard let (_, after) = bracket(rest, [0][...]) else { return false }
        rest = after
      } else {
        rest = rest.dropFirst()
      }
    }
    return true
  }

  /// Bytes of the scalar that `bytes` begins with; 1 where it is not UTF-8.
  private static func scalarLength(_ bytes: ArraySlice<UInt8>) -> Int {
    guard let first = bytes.first else { return 0 }
    let length =
      switch first {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    let tail = bytes.dropFirst().prefix(length - 1)
    return tail.count == length - 1 && tail.allSatisfy { $0 & 0xC0 == 0x80 } ? length : 1
  }
}

/// Patterns of names, asked on every operation: most names are told apart by their first byte.
struct NameSet {
  private let patterns: [Glob]
  private var mayBegin = [Bool](repeating: false, count: 256)

  init(_ patterns: [Glob]) {
    self.patterns = patterns
    for pattern in patterns {
      if let byte = pattern.firstByte {
        mayBegin[Int(byte)] = true
      } else {
        mayBegin = [Bool](repeating: true, count: 256)
      }
    }
  }

  func contains(anyOf path: ItemPath) -> Bool {
    path.names.contains { name in
      name.bytes.first.map { mayBegin[Int($0)] } == true && patterns.contains { $0.matches(name) }
    }
  }
}
