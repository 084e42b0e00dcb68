/// Which items are to be kept here, whatever happens (Apple: downloadEagerlyAndKeepDownloaded).
struct Pins {
  private let patterns: [Glob]
  /// What people have said of items: true for those that they pinned.
  private var marks = Table<Slot, Bool>()

  init(_ patterns: [Glob]) { self.patterns = patterns }

  var isEmpty: Bool { patterns.isEmpty && marks.isEmpty }

  mutating func mark(_ slot: Slot, _ isPinned: Bool) { marks[slot] = isPinned }

  mutating func forget(_ slot: Slot) { marks.remove(slot) }

  mutating func rebind(from old: Slot, to new: Slot) {
    if let mark = marks.remove(old) { marks[new] = mark }
  }

  /// What was said of the item, else of the nearest folder around it, else what the profile says.
  func covers(_ slot: Slot, in items: ItemTable) -> Bool {
    if !marks.isEmpty {
      var current = slot
      while true {
        if let mark = marks[current] { return mark }
        if current == .root { break }
        current = items[current].parent
      }
    }
    return !patterns.isEmpty && items.patternPaths(of: slot).contains { matches($0) }
  }

  /// Whether the profile pins what is there, or a folder around it.
  func matches(_ path: ItemPath) -> Bool {
    if patterns.isEmpty { return false }
    return (0...path.names.count).contains { count in
      let around = ItemPath(Array(path.names.prefix(count)))
      return patterns.contains { $0.matches(around) }
    }
  }
}
