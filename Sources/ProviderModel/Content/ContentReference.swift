// Which bytes are meant: a content is named apart from the item that has it, so that an item can be renamed,
// replaced or changed while somebody still reads what it was.

/// Bytes that did not come from the source, kept by the shell.
package struct BlobID: Hashable, Sendable, Comparable {
  package let rawValue: UInt32
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }
  package static func < (a: BlobID, b: BlobID) -> Bool { a.rawValue < b.rawValue }
}

/// Where the bytes of a content are.
package enum ContentReference: Hashable, Sendable {
  /// At this path of the source. It is fixed when the item is listed, wherever the item goes later.
  case source(ItemPath)
  case blob(BlobID)

  package var blob: BlobID? {
    if case .blob(let id) = self { id } else { nil }
  }
}

/// One content of one item.
package struct Content: Hashable, Sendable {
  package var reference: ContentReference
  /// Its size and times; for a file of the source also what tells it from another one.
  package var stamp: SourceStamp
  package var version: UInt64
  package init(reference: ContentReference, stamp: SourceStamp, version: UInt64) {
    self.reference = reference
    self.stamp = stamp
    self.version = version
  }
}

/// What a client gives as content.
package struct NewContent: Hashable, Sendable {
  package enum Bytes: Hashable, Sendable {
    case text([UInt8])
    /// A file of the client's machine, by its absolute path.
    case file([UInt8])
    /// As many bytes as are wanted, made from a seed: ``SyntheticContent``.
    case synthetic(size: Int64, seed: UInt64)
  }
  package var bytes: Bytes
  /// They come after what is there.
  package var appends: Bool
  package init(_ bytes: Bytes, appends: Bool = false) {
    self.bytes = bytes
    self.appends = appends
  }
}

/// Bytes from a seed: eight at a time, each eight a function of the seed and of where they are.
package enum SyntheticContent {
  /// The most that may be asked for at once.
  package static let limit: Int64 = 16 << 30

  /// The eight bytes from `index` times eight on, the first one lowest.
  package static func word(seed: UInt64, index: UInt64) -> UInt64 { Dice.mix(Dice.mix(seed) ^ index) }
}
