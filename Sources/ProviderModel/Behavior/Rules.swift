// The rules in force: which of them an operation meets, and how often each has struck.

/// A rule's number; its name is for people.
struct RuleID: Hashable, Comparable {
  let rawValue: Int
  static func < (a: RuleID, b: RuleID) -> Bool { a.rawValue < b.rawValue }
}

struct ActiveRule {
  let id: RuleID
  let rule: Rule
  /// User actions of each item that it was asked about, for the dice.
  var considered = Table<Slot, UInt64>()
  /// Those of them that its dice chose; which ones it strikes goes by their number.
  var chosen = Table<Slot, UInt64>()
  var chosenInTotal: UInt64 = 0
  /// Actions that it struck.
  var hits: UInt64 = 0
  /// Its last event has come.
  var isOver = false

  /// The number of the next action that the dice choose.
  func nextNumber(on slot: Slot) -> UInt64 {
    rule.occurrence.count == .total ? chosenInTotal : chosen[slot] ?? 0
  }
}

/// What a rule is asked about.
struct RuleContext {
  var operation: OperationName
  var slot: Slot
  var item: ItemID
  /// Of the item when the operation came.
  var copy: CopyState
  var app: AppID?
  var isCoordinated: Bool
  /// Which bytes it is about; nil where it is about none.
  var bytes: Range<Int64>?
  var size: Int64
  var now: Instant
}

/// Why a rule does not strike.
enum Mismatch: Hashable {
  case operation, path, copy, app, coordination, bytes, window, over
  case dice
  /// It spares the first ones.
  case spared
  /// It has struck as often as it may.
  case spent
}

/// What the rules say to one user action.
struct Judgement: Hashable {
  /// Rules that were asked, in their order, and whether their dice chose the action.
  var considered: [Considered] = []
  var struck: RuleID?

  struct Considered: Hashable {
    var rule: RuleID
    var isChosen: Bool
  }
}

struct Rules {
  static let limit = 10_000

  private(set) var all: [ActiveRule] = []
  /// Events that a rule waits for; the others, which are nearly all, need not be compared with each rule.
  private var ends: Set<EventName> = []
  private var made = 0
  /// Which rules' paths match an item, by the item's slot; 0: nobody has looked yet. So that rules that
  /// cannot match cost one lookup, however many they are.
  private var setOfItem = SlotMap()
  private var sets: [PathSet] = []
  private var setNumbers: [[Int]: UInt32] = [:]

  private struct PathSet {
    /// Indices of rules, by the operation's place among all.
    var byOperation: [[Int]]
  }

  init(_ rules: [Rule] = []) {
    for rule in rules { all.append(ActiveRule(id: nextID(), rule: rule)) }
    ends = Set(rules.compactMap(\.untilEvent))
  }

  private mutating func nextID() -> RuleID {
    made += 1
    return RuleID(rawValue: made)
  }

  subscript(_ id: RuleID) -> ActiveRule? { all.first { $0.id == id } }
  subscript(_ name: String) -> ActiveRule? { all.first { $0.rule.name == name } }

  // MARK: Changing

  /// In front of the others, so that it is what decides from now on.
  mutating func add(_ rule: Rule) {
    all.insert(ActiveRule(id: nextID(), rule: rule), at: 0)
    if let end = rule.untilEvent { ends.insert(end) }
    forgetPaths()
  }

  mutating func remove(where isGone: (Rule) -> Bool) -> [ActiveRule] {
    let gone = all.filter { isGone($0.rule) }
    all.removeAll { isGone($0.rule) }
    ends = Set(all.compactMap(\.rule.untilEvent))
    forgetPaths()
    return gone
  }

  /// After items got other paths, or rules other places.
  mutating func forgetPaths() {
    setOfItem = SlotMap()
    sets = []
    setNumbers = [:]
  }

  /// Another item has taken the place of the one that was counted for.
  mutating func rebind(from old: Slot, to new: Slot) {
    for index in all.indices {
      all[index].considered[new] = all[index].considered.remove(old)
      all[index].chosen[new] = all[index].chosen.remove(old)
    }
    setOfItem[old] = 0
    setOfItem[new] = 0
  }

  /// The item is no more.
  mutating func forget(_ slot: Slot) {
    if all.isEmpty { return }
    for index in all.indices {
      all[index].considered.remove(slot)
      all[index].chosen.remove(slot)
    }
    setOfItem[slot] = 0
  }

  mutating func take(_ event: EventName) {
    guard ends.contains(event) else { return }
    for index in all.indices where all[index].rule.untilEvent == event { all[index].isOver = true }
  }

  mutating func count(_ judgement: Judgement, on slot: Slot) {
    for considered in judgement.considered {
      guard let index = all.firstIndex(where: { $0.id == considered.rule }) else { continue }
      all[index].considered[slot, default: 0] += 1
      guard considered.isChosen else { continue }
      all[index].chosen[slot, default: 0] += 1
      all[index].chosenInTotal += 1
      if considered.rule == judgement.struck { all[index].hits += 1 }
    }
  }

  // MARK: Asking

  /// Looks once which rules' paths match the item.
  /// - Parameter paths: those that the item is meant by.
  mutating func learn(_ slot: Slot, _ paths: @autoclosure () -> [ItemPath]) {
    if all.isEmpty || setOfItem[slot] != 0 { return }
    let paths = paths()
    let matching = all.indices.filter { index in
      all[index].rule.path.map { glob in paths.contains { glob.matches($0) } } ?? true
    }
    if let known = setNumbers[matching] {
      setOfItem[slot] = known
      return
    }
    let byOperation = OperationName.allCases.map { operation in
      matching.filter { all[$0].rule.operations.contains(operation) }
    }
    sets.append(PathSet(byOperation: byOperation))
    setNumbers[matching] = UInt32(sets.count)
    setOfItem[slot] = UInt32(sets.count)
  }

  /// Rules about this operation whose path matches the item, in their order. The item has to be learned.
  private func candidates(_ operation: OperationName, on slot: Slot) -> [Int] {
    let number = setOfItem[slot]
    return number == 0 ? [] : sets[Int(number) - 1].byOperation[operation.index]
  }

  /// Whether any rule may be about this.
  func mayConcern(_ operation: OperationName, on slot: Slot) -> Bool {
    !all.isEmpty && !candidates(operation, on: slot).isEmpty
  }

  /// The first rule that matches decides. Rules in `judged` have had their say on this action: one that struck has
  /// decided it, the others spared it.
  func judgement(
    of context: RuleContext, seed: UInt64, judged: [RuleID] = [], struck: [RuleID] = []
  ) -> Judgement {
    var judgement = Judgement()
    for index in candidates(context.operation, on: context.slot) {
      let active = all[index]
      if mismatch(active, context) != nil { continue }
      if struck.contains(active.id) { return judgement }
      if judged.contains(active.id) { continue }
      let isChosen = chooses(active, context, seed: seed)
      judgement.considered.append(.init(rule: active.id, isChosen: isChosen))
      if isChosen, occurrenceMismatch(active, on: context.slot) == nil {
        judgement.struck = active.id
        return judgement
      }
    }
    return judgement
  }

  /// Where the rules about such an operation begin to be about it.
  func firstBytes(of context: RuleContext) -> [Int64] {
    candidates(context.operation, on: context.slot).compactMap { index in
      all[index].rule.bytes?.first(of: context.size)
    }
  }

  /// What keeps the rule from being about this; nil when it is, before dice and counting.
  func mismatch(_ active: ActiveRule, _ context: RuleContext) -> Mismatch? {
    let rule = active.rule
    if !rule.operations.contains(context.operation) { return .operation }
    if active.isOver { return .over }
    if !rule.copy.isEmpty, !rule.copy.contains(context.copy) { return .copy }
    if let app = rule.app, app != context.app { return .app }
    if let wanted = rule.coordinated, wanted != context.isCoordinated { return .coordination }
    if let span = rule.bytes, !span.overlaps(context.bytes, size: context.size) { return .bytes }
    let since = context.now - .start
    if since < rule.window.from { return .window }
    if let until = rule.window.until, since >= until { return .window }
    return nil
  }

  /// A pure function of the seed, the rule, the item and the action's number.
  func chooses(_ active: ActiveRule, _ context: RuleContext, seed: UInt64) -> Bool {
    if active.rule.probability >= 1_000_000 { return true }
    let dice = dice(active, context, seed: seed, draw: 0)
    return dice.bits.multipliedFullWidth(by: 1_000_000).high < UInt64(max(0, active.rule.probability))
  }

  /// How long the rule waits with this action.
  func delay(_ active: ActiveRule, _ context: RuleContext, seed: UInt64) -> Span? {
    active.rule.effect.delay?.draw(dice(active, context, seed: seed, draw: 1))
  }

  func occurrenceMismatch(_ active: ActiveRule, on slot: Slot) -> Mismatch? {
    let number = active.nextNumber(on: slot)
    let occurrence = active.rule.occurrence
    if number < occurrence.after { return .spared }
    if let times = occurrence.times, number - occurrence.after >= times { return .spent }
    return nil
  }

  private func dice(_ active: ActiveRule, _ context: RuleContext, seed: UInt64, draw: UInt64) -> Dice {
    Dice(
      seed: seed, rule: active.rule.name, item: context.item, draw: draw,
      attempt: active.considered[context.slot] ?? 0)
  }
}

extension OperationName {
  /// Its place among all.
  var index: Int {
    switch self {
    case .lookup: 0
    case .getattr: 1
    case .readlink: 2
    case .open: 3
    case .read: 4
    case .opendir: 5
    case .readdir: 6
    case .statfs: 7
    case .getxattr: 8
    case .listxattr: 9
    case .setxattr: 10
    case .fsync: 11
    case .change: 12
    case .download: 13
    case .coordinate: 14
    case .start: 15
    case .stop: 16
    }
  }
}

extension Rule.Span {
  func first(of size: Int64) -> Int64 { min(from.offset(in: size), max(size - 1, 0)) }

  /// Whether a request for these bytes reaches the span. The last byte of a file stands for what is beyond.
  func overlaps(_ bytes: Range<Int64>?, size: Int64) -> Bool {
    guard let bytes else { return false }
    let first = first(of: size)
    let end = to.map { $0.offset(in: size) } ?? Int64.max
    return bytes.upperBound > first && bytes.lowerBound < end
  }
}

/// A number for each slot, in chunks that never move.
private struct SlotMap {
  private static let chunkSize = 4096
  private var chunks: [[UInt32]] = []

  subscript(_ slot: Slot) -> UInt32 {
    get {
      let chunk = Int(slot.index) / SlotMap.chunkSize
      guard chunk < chunks.count, !chunks[chunk].isEmpty else { return 0 }
      return chunks[chunk][Int(slot.index) % SlotMap.chunkSize]
    }
    set {
      let chunk = Int(slot.index) / SlotMap.chunkSize
      while chunks.count <= chunk { chunks.append([]) }
      if chunks[chunk].isEmpty { chunks[chunk] = Array(repeating: 0, count: SlotMap.chunkSize) }
      chunks[chunk][Int(slot.index) % SlotMap.chunkSize] = newValue
    }
  }
}
