/// A directory's entries in the order of their cookies, and a hash of its names.
struct Directory {
  struct Entry {
    var name: NameArena.Reference
    var hash: UInt32
    var slot: Slot
    /// Where a listing goes on after this entry; never used twice, so that a listing that is under way
    /// stays right when entries come and go.
    var cookie: Int64
  }

  /// "." and ".." have the cookies 1 and 2.
  private(set) var entries: [Entry] = []
  private var nextCookie: Int64 = 3
  /// Open addressing; indices into `entries` plus one, 0 is free. At most half full.
  private var index: [UInt32] = []

  mutating func reserve(_ count: Int) {
    entries.reserveCapacity(count)
    var capacity = 8
    while capacity < count * 2 { capacity *= 2 }
    if capacity > index.count { rebuild(capacity: capacity) }
  }

  mutating func add(_ name: NameArena.Reference, hash: UInt32, slot: Slot) {
    if (entries.count + 1) * 2 > index.count { rebuild(capacity: max(8, index.count * 2)) }
    entries.append(Entry(name: name, hash: hash, slot: slot, cookie: nextCookie))
    nextCookie += 1
    place(entries.count - 1)
  }

  func find(_ name: ArraySlice<UInt8>, hash: UInt32, in arena: NameArena) -> Slot? {
    guard !index.isEmpty else { return nil }
    var position = Int(hash) & (index.count - 1)
    while index[position] != 0 {
      let entry = entries[Int(index[position]) - 1]
      if entry.hash == hash, arena[entry.name].elementsEqual(name) { return entry.slot }
      position = (position + 1) & (index.count - 1)
    }
    return nil
  }

  /// The first entry that comes after `cookie`.
  func position(after cookie: Int64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].cookie <= cookie { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func rebuild(capacity: Int) {
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
