/// How many items, copies, open files and changes under way mean each blob. The shell drops one that nobody means.
struct BlobUses {
  private var uses: [BlobID: Int] = [:]
  private var unused: [BlobID] = []
  private var made: UInt32 = 0

  /// A number for a new one, which is used once.
  mutating func make() -> BlobID {
    made += 1
    uses[BlobID(made)] = 1
    return BlobID(made)
  }

  mutating func use(_ blob: BlobID?) {
    if let blob { uses[blob, default: 0] += 1 }
  }

  mutating func release(_ blob: BlobID?) {
    guard let blob, let count = uses[blob] else { return }
    uses[blob] = count > 1 ? count - 1 : nil
    if count == 1 { unused.append(blob) }
  }

  /// Those that have become unused since the last time.
  mutating func takeUnused() -> [BlobID] {
    defer { unused.removeAll() }
    return unused
  }

  var count: Int { uses.count }
}
