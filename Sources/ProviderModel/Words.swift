// The words of the model: identifiers that cannot be mixed up, names as bytes, instants.

/// A file name: 1 to 255 bytes, no NUL and no slash, not "." or "..".
///
/// Bytes, not a String: in Swift two strings that differ only in normalization are equal, on a file
/// system they are two files.
package struct Name: Hashable, Sendable, Comparable {
  package let bytes: [UInt8]

  package init?(_ bytes: [UInt8]) {
    guard (1...255).contains(bytes.count), !bytes.contains(0), !bytes.contains(0x2F) else {
      return nil
    }
    if bytes == [0x2E] || bytes == [0x2E, 0x2E] { return nil }
    self.bytes = bytes
  }

  package init?(_ text: some StringProtocol) { self.init(Array(text.utf8)) }

  package static func < (a: Name, b: Name) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension Name: CustomStringConvertible {
  /// For people; bytes that are not UTF-8 show as replacement characters.
  package var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// Where an item is, from the provider's root; the root itself is the empty path.
package struct ItemPath: Hashable, Sendable {
  package var names: [Name]

  package init(_ names: [Name] = []) { self.names = names }

  /// Reads a path relative to the root; empty components and "." are skipped.
  /// - Returns: nil when a component cannot be a name ("..", longer than 255 bytes, a NUL).
  package init?(bytes: [UInt8]) {
    var names: [Name] = []
    for component in bytes.split(separator: 0x2F) where Array(component) != [0x2E] {
      guard let name = Name(Array(component)) else { return nil }
      names.append(name)
    }
    self.names = names
  }

  package init?(_ text: String) { self.init(bytes: Array(text.utf8)) }

  package var bytes: [UInt8] { Array(names.map(\.bytes).joined(separator: [0x2F])) }
}

extension ItemPath: CustomStringConvertible {
  package var description: String { names.isEmpty ? "." : String(decoding: bytes, as: UTF8.self) }
}

/// An item for ever: its inode number, the same over renames and remounts.
package struct ItemID: Hashable, Sendable {
  package let rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
  package static let root = ItemID(1)
}

/// An item's place in the item table while this provider runs.
package struct Slot: Hashable, Sendable, Comparable {
  package let index: UInt32
  package init(_ index: UInt32) { self.index = index }
  package static let root = Slot(1)
  package static func < (a: Slot, b: Slot) -> Bool { a.index < b.index }
}

/// What the kernel calls an item: the slot, and a generation so that a reused slot is another node.
package struct NodeID: Hashable, Sendable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ slot: Slot, generation: UInt32) {
    rawValue = UInt64(slot.index) | UInt64(generation) << 32
  }
  package var slot: Slot { Slot(UInt32(truncatingIfNeeded: rawValue)) }
  package var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
  package static let root = NodeID(rawValue: 1)
}

/// One kernel request that waits for its answer.
package struct RequestID: Hashable, Sendable {
  package let rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// One open file or directory.
package struct HandleID: Hashable, Sendable {
  package let rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// One client's connection to the control socket.
package struct SessionID: Hashable, Sendable, Comparable {
  package let rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
  package static func < (a: SessionID, b: SessionID) -> Bool { a.rawValue < b.rawValue }
}

/// A granted or waiting coordinated access.
package struct ClaimID: Hashable, Sendable, Comparable {
  package let rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
  package static func < (a: ClaimID, b: ClaimID) -> Bool { a.rawValue < b.rawValue }
}

/// A process, told apart from a later one with the same number.
package struct ProcessID: Hashable, Sendable, Comparable {
  package let number: Int32
  /// Counts the processes that the host has met.
  package let serial: UInt64
  package init(number: Int32, serial: UInt64) {
    self.number = number
    self.serial = serial
  }
  package static func < (a: ProcessID, b: ProcessID) -> Bool {
    (a.serial, a.number) < (b.serial, b.number)
  }
}

/// Who grants belong to: an app, which has processes and outlives them.
package struct AppID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let name: String
  package init(_ name: String) { self.name = name }
  package var description: String { name }
  package static func < (a: AppID, b: AppID) -> Bool { a.name < b.name }
}

/// A length of provider time, in nanoseconds.
package struct Span: Hashable, Sendable, Comparable {
  package var nanoseconds: Int64
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
  package static let zero = Span(nanoseconds: 0)
  package static func milliseconds(_ count: Int64) -> Span { Span(nanoseconds: count * 1_000_000) }
  package static func seconds(_ count: Int64) -> Span { Span(nanoseconds: count * 1_000_000_000) }
  package static func < (a: Span, b: Span) -> Bool { a.nanoseconds < b.nanoseconds }
}

/// A moment of provider time, since the provider started.
package struct Instant: Hashable, Sendable, Comparable {
  package var nanoseconds: Int64
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
  package static let start = Instant(nanoseconds: 0)
  package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
  package static func + (a: Instant, b: Span) -> Instant {
    let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
    return Instant(nanoseconds: overflow ? .max : sum)
  }
  package static func - (a: Instant, b: Instant) -> Span {
    Span(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
}
