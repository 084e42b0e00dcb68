/// Open files and directories.
struct OpenHandle {
  var slot: Slot
  var process: ProcessID?
  var app: AppID?
  /// What it reads; nil for what has no bytes to be read: a directory, or a remote change on its way.
  var reads: Content?
  /// What a stub or a pointer says; it reads that, and no file.
  var made: [UInt8]?
  /// The file in the source is another by now: reads get ESTALE.
  var isStale = false
  /// It has had bytes.
  var wasRead = false
  /// Cut off by `revoke --reads`.
  var isCutOff = false
  /// Opens of the item before this one, for the dice of its first read or listing.
  var attempt: UInt64 = 0
  /// When the delay of its first read or listing is over; nil before that has begun.
  var readyAt: Instant?
  /// What failed of its reads for the page cache; it stays failed while the file is open. The kernel tells
  /// nobody that a read ahead failed and asks again, twice or three times for one sendfile, so that the program's
  /// own second try cannot be told from the kernel's (mm/filemap.c, filemap_get_pages; fs/splice.c).
  var failedFills: [(range: Range<Int64>, error: ProviderError)] = []
  /// Rules that have had their say on its reads.
  var judged: [RuleID] = []
  /// Those of them that struck one.
  var struck: [RuleID] = []
  /// Failures that stay with it.
  var faults: [LastingFault] = []
  /// How its bytes differ from the file's.
  var content: ContentFault?
  /// The request that waits for its file to be opened; nil once it is.
  var opening: RequestID?
  /// Reads that wait for another content to be opened in place of one that was never here.
  var reopening: [RequestID]?
  /// Closed while it was reopened.
  var isReleased = false

  var isFile: Bool { reads != nil || made != nil }
  /// Of what it reads, in bytes; 0 for what has none.
  var size: Int64 { made.map { Int64($0.count) } ?? reads?.stamp.size ?? 0 }
}

struct HandleTable {
  private var slots: [(generation: UInt32, handle: OpenHandle?)] = []
  private var free: [UInt32] = []

  mutating func add(_ handle: OpenHandle) -> HandleID {
    if let index = free.popLast() {
      slots[Int(index)].handle = handle
      return HandleID(UInt64(index) | UInt64(slots[Int(index)].generation) << 32)
    }
    slots.append((generation: 1, handle: handle))
    return HandleID(UInt64(slots.count - 1) | 1 << 32)
  }

  subscript(_ id: HandleID) -> OpenHandle? {
    get {
      let index = Int(UInt32(truncatingIfNeeded: id.rawValue))
      guard index < slots.count, slots[index].generation == UInt32(id.rawValue >> 32) else { return nil }
      return slots[index].handle
    }
    set {
      let index = Int(UInt32(truncatingIfNeeded: id.rawValue))
      guard index < slots.count, slots[index].generation == UInt32(id.rawValue >> 32) else { return }
      slots[index].handle = newValue
    }
  }

  mutating func remove(_ id: HandleID) -> OpenHandle? {
    guard let handle = self[id] else { return nil }
    let index = Int(UInt32(truncatingIfNeeded: id.rawValue))
    slots[index] = (slots[index].generation &+ 1, nil)
    free.append(UInt32(index))
    return handle
  }

  /// In the order of their places.
  var all: [(id: HandleID, handle: OpenHandle)] {
    slots.enumerated().compactMap { index, entry in
      entry.handle.map { (HandleID(UInt64(index) | UInt64(entry.generation) << 32), $0) }
    }
  }
}
