/// Chance as a pure function: of the profile's seed, the item, the user's action and its attempt.
///
/// No state: the order in which threads ask changes nothing.
package struct Dice: Hashable, Sendable {
  package let bits: UInt64

  package init(seed: UInt64, item: ItemID, action: Action, attempt: UInt64) {
    var mixed = Dice.mix(seed)
    for word in [item.rawValue, action.rawValue, attempt] { mixed = Dice.mix(mixed ^ word) }
    bits = mixed
  }

  /// For a rule, which has dice of its own for each item and user action.
  init(seed: UInt64, rule: String, item: ItemID, draw: UInt64, attempt: UInt64) {
    var name: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in rule.utf8 { name = (name ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var mixed = Dice.mix(seed)
    for word in [name, item.rawValue, draw, attempt] { mixed = Dice.mix(mixed ^ word) }
    bits = mixed
  }

  /// What is drawn for, so that an open and a transfer of one item have dice of their own.
  package enum Action: UInt64, Sendable {
    case open = 1
    case list, download, lookup, getattr, readlink, read, attributes
  }

  /// From 0 to just below 1.
  package var fraction: Double { Double(bits >> 11) * 0x1p-53 }

  /// Spreads every input bit over all output bits (the finalizer of SplitMix64, after Steele and others).
  package static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
