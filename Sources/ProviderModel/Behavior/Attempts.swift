/// How often each action was begun on an item, for the dice: the next time draws anew.
///
/// Only what was counted is in it.
struct Attempts {
  private struct Key: Hashable {
    var item: ItemID
    var action: Dice.Action
  }
  private var begun: [Key: UInt64] = [:]

  /// How often it was begun before.
  subscript(_ action: Dice.Action, of item: ItemID) -> UInt64 { begun[Key(item: item, action: action)] ?? 0 }

  /// Counts one more.
  /// - Returns: how often it was begun before.
  @discardableResult
  mutating func count(_ action: Dice.Action, of item: ItemID) -> UInt64 {
    let before = self[action, of: item]
    begun[Key(item: item, action: action)] = before + 1
    return before
  }
}
