/// A dictionary that cannot be iterated in the order of its hashes, which is another in every process:
/// whoever goes over all values gets them by key.
struct Table<Key: Hashable & Comparable, Value> {
  private var values: [Key: Value] = [:]

  subscript(_ key: Key) -> Value? {
    get { values[key] }
    _modify { yield &values[key] }
  }

  subscript(_ key: Key, default fallback: @autoclosure () -> Value) -> Value {
    get { values[key, default: fallback()] }
    _modify { yield &values[key, default: fallback()] }
  }

  var isEmpty: Bool { values.isEmpty }
  var count: Int { values.count }
  var keys: [Key] { values.keys.sorted() }

  @discardableResult
  mutating func remove(_ key: Key) -> Value? { values.removeValue(forKey: key) }
}

extension RequestID: Comparable {
  package static func < (a: RequestID, b: RequestID) -> Bool { a.rawValue < b.rawValue }
}
