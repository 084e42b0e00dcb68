/// What a moment was awaited for.
enum Due: Equatable {
  /// A request's delay is over.
  case request(RequestID)
  /// A client's question has waited long enough.
  case question(QuestionKey)
  /// The request has waited long enough for a download that failed.
  case patience(RequestID)
  /// The next attempt of a download that failed.
  case retry(Slot)
  /// The condition that this change brought is over.
  case conditionEnds(UInt64)
  /// An item comes back as another.
  case recreation(Slot)
  /// A copy of the picker's is taken away.
  case purge(CopyID)
  /// The profile's timed event of this index.
  case timedEvent(Int)
}

/// The only heap of deadlines there is.
///
/// What is no longer wanted stays in it: whoever takes the first one looks whether it still is.
struct Deadlines {
  private struct Entry {
    var at: Instant
    var order: UInt64
    var due: Due
  }

  private var heap: [Entry] = []
  private var scheduled: UInt64 = 0

  var first: (at: Instant, due: Due)? { heap.first.map { ($0.at, $0.due) } }

  mutating func schedule(_ due: Due, at: Instant) {
    scheduled += 1
    heap.append(Entry(at: at, order: scheduled, due: due))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if !isEarlier(child, parent) { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      let left = parent * 2 + 1
      var earliest = parent
      for child in [left, left + 1] where child < heap.count && isEarlier(child, earliest) {
        earliest = child
      }
      if earliest == parent { return }
      heap.swapAt(parent, earliest)
      parent = earliest
    }
  }

  /// Of two for the same moment, the one scheduled first.
  private func isEarlier(_ a: Int, _ b: Int) -> Bool {
    (heap[a].at, heap[a].order) < (heap[b].at, heap[b].order)
  }
}
