/// A directory's entries in the order of their cookies, and a hash of its names' keys: see `Naming`.
struct Directory {
  struct Entry {
    var name: NameArena.Reference
    var hash: UInt32
    var slot: Slot
    /// Where a listing goes on after this entry; never used twice, so that a listing that is under way
    /// stays right when entries come and go.
    var cookie: Int64
    /// It is gone; its place goes when the hash is made anew.
    var isGone = false
  }

  /// "." and ".." have the cookies 1 and 2.
  private var entries: [Entry] = []
  /// Entries that are not gone.
  private(set) var count = 0
  private var nextCookie: Int64 = 3
  /// Open addressing; indices into `entries` plus one, 0 is free. At most half full, what is gone included.
  private var index: [UInt32] = []

  mutating func reserve(_ count: Int) {
    entries.reserveCapacity(count)
    var capacity = 8
    while capacity < count * 2 { capacity *= 2 }
    if capacity > index.count { rebuild(capacity: capacity) }
  }

  mutating func add(_ name: NameArena.Reference, hash: UInt32, slot: Slot) {
    if (entries.count + 1) * 2 > index.count {
      // As large as what is left needs: one that entries come to and go from does not grow.
      var capacity = 8
      while capacity < (count + 1) * 3 { capacity *= 2 }
      rebuild(capacity: capacity)
    }
    entries.append(Entry(name: name, hash: hash, slot: slot, cookie: nextCookie))
    nextCookie += 1
    count += 1
    place(entries.count - 1)
  }

  func find(_ key: ArraySlice<UInt8>, hash: UInt32, in arena: NameArena) -> Slot? {
    position(of: key, hash: hash, in: arena).map { entries[$0].slot }
  }

  /// - Returns: whether there was an entry of this name.
  @discardableResult
  mutating func remove(_ key: ArraySlice<UInt8>, hash: UInt32, in arena: NameArena) -> Bool {
    guard let position = position(of: key, hash: hash, in: arena) else { return false }
    // It stays in the hash, so that what was placed behind it is still found.
    entries[position].isGone = true
    count -= 1
    return true
  }

  /// The entry of this name leads to another item from now on; its cookie stays.
  mutating func redirect(_ key: ArraySlice<UInt8>, hash: UInt32, to slot: Slot, in arena: NameArena) {
    if let position = position(of: key, hash: hash, in: arena) { entries[position].slot = slot }
  }

  /// The entries that come after `cookie`, in their order.
  func entries(after cookie: Int64 = 0) -> some Sequence<Entry> {
    entries[start(after: cookie)...].lazy.filter { !$0.isGone }
  }

  /// How many entries come up to `cookie`.
  func place(after cookie: Int64) -> Int {
    let start = start(after: cookie)
    return count == entries.count ? start : entries[..<start].count { !$0.isGone }
  }

  // MARK: -

  private func start(after cookie: Int64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].cookie <= cookie { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func position(of key: ArraySlice<UInt8>, hash: UInt32, in arena: NameArena) -> Int? {
    guard !index.isEmpty else { return nil }
    var position = Int(hash) & (index.count - 1)
    while index[position] != 0 {
      let found = Int(index[position]) - 1
      let entry = entries[found]
      if entry.hash == hash, !entry.isGone, arena.has(key, at: entry.name) { return found }
      position = (position + 1) & (index.count - 1)
    }
    return nil
  }

  private mutating func rebuild(capacity: Int) {
    entries.removeAll(where: \.isGone)
    index = Array(repeating: 0, count: capacity)
    for entry in entries.indices { place(entry) }
  }

  private mutating func place(_ entry: Int) {
    var position = Int(entries[entry].hash) & (index.count - 1)
    while index[position] != 0 { position = (position + 1) & (index.count - 1) }
    index[position] = UInt32(entry + 1)
  }

  static func hash(_ name: some Sequence<UInt8>) -> UInt32 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
