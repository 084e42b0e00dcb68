/// A hold's number; its name is for people.
struct HoldID: Hashable, Comparable {
  let rawValue: Int
  static func < (a: HoldID, b: HoldID) -> Bool { a.rawValue < b.rawValue }
}

/// Who can wait at a hold, beside transfers.
enum HoldWaiter: Hashable {
  case request(RequestID)
  case question(QuestionKey)
}

/// Where operations are parked until somebody releases them.
struct Hold {
  var id: HoldID
  var name: String
  var operation: OperationName
  /// The item, or a folder around it.
  var slot: Slot
  var at: HoldPoint?
  /// The rule that made it; it parks only what the rule strikes.
  var rule: RuleID?
  /// In the order of their coming.
  var parked: [HoldWaiter] = []
  /// Transfers that wait here.
  var transfers: [Slot] = []

  var parkedCount: Int { parked.count + transfers.count }
}

struct Holds {
  static let limit = 10_000

  private(set) var all: [Hold] = []
  private var made = 0

  /// - Returns: nil when the name is taken.
  mutating func add(
    _ operation: OperationName, on slot: Slot, at: HoldPoint?, name: String?
  ) -> Hold? {
    var chosen = name ?? "h\(made + 1)"
    if name == nil { while self[chosen] != nil { chosen += "'" } }
    guard self[chosen] == nil else { return nil }
    made += 1
    let hold = Hold(id: HoldID(rawValue: made), name: chosen, operation: operation, slot: slot, at: at)
    all.append(hold)
    return hold
  }

  /// The hold of this name, made for what a rule strikes when there is none.
  mutating func ofRule(_ name: String, _ operation: OperationName, on slot: Slot, rule: RuleID?) -> HoldID {
    if let hold = self[name] { return hold.id }
    made += 1
    let id = HoldID(rawValue: made)
    all.append(Hold(id: id, name: name, operation: operation, slot: slot, rule: rule))
    return id
  }

  subscript(_ name: String) -> Hold? { all.first { $0.name == name } }

  func name(of id: HoldID) -> String? { all.first { $0.id == id }?.name }

  mutating func remove(_ name: String) -> Hold? {
    guard let index = all.firstIndex(where: { $0.name == name }) else { return nil }
    return all.remove(at: index)
  }

  /// The hold that stops this operation; for reads, the one whose byte the request covers.
  func first(
    for operation: OperationName, on slot: Slot, range: Range<Int64>?, size: Int64, in items: ItemTable
  ) -> HoldID? {
    all.first { hold in
      guard hold.rule == nil, hold.operation == operation, items.isCovered(slot, by: hold.slot) else {
        return false
      }
      guard let at = hold.at, let range else { return true }
      return range.contains(min(at.offset(in: size), max(size - 1, 0)))
    }?.id
  }

  /// Another item has taken the place of the one that they are about.
  mutating func rebind(from old: Slot, to new: Slot) {
    for index in all.indices where all[index].slot == old { all[index].slot = new }
  }

  mutating func park(_ waiter: HoldWaiter, at hold: HoldID) {
    guard let index = all.firstIndex(where: { $0.id == hold }) else { return }
    all[index].parked.append(waiter)
  }

  mutating func park(transfer slot: Slot, at hold: HoldID) {
    guard let index = all.firstIndex(where: { $0.id == hold }) else { return }
    all[index].transfers.append(slot)
  }

  mutating func unpark(_ waiter: HoldWaiter) {
    for index in all.indices { all[index].parked.removeAll { $0 == waiter } }
  }

  mutating func unpark(transfer slot: Slot) {
    for index in all.indices { all[index].transfers.removeAll { $0 == slot } }
  }
}
