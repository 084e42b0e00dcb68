package import ProviderModel

/// Valid profiles by chance, from the table of keys: the same seed always gives the same one.
///
/// Every key has a chance to be there, and every value that it may hold; a key that is added to the table is drawn
/// from then on.
package struct ProfileSampler: Sendable {
  /// What patterns and paths are made of, so that rules meet items that are there.
  package var paths: [ItemPath]
  /// No duration is longer.
  package var longest = ProfileKeys.longestDelay
  /// No bandwidth is less, in bytes per second.
  package var slowest: Int64 = 1
  /// No array of objects has more.
  package var objects = 8

  package init(paths: [ItemPath] = ProfileSampler.somePaths) { self.paths = paths }

  package static let somePaths = [
    "Letter.pdf", "a/b.pdf", "Recent/For the boat.txt", "Field Notes.pages/Data/counts.csv", "[x]\"y\".txt",
    "旅行ガイド.txt",
  ].compactMap { ItemPath($0) }

  /// - Returns: A profile called "sample SEED" that `ProfileReader` reads again from what `ProfileWriter` writes.
  package func profile(seed: UInt64) -> Profile {
    var chance = Chance(seed: seed)
    let table = ProfileKeys.table
    while let record = valid(table.outline, &chance), var profile = table.object(record) {
      profile.name = "sample \(seed)"
      for index in profile.rules.indices {
        let name = "rule \(index): \(profile.rules[index].name)"
        profile.rules[index].name = name.prefix(whileBytes: 100)
        if RuleChecks.impossibility(of: profile.rules[index], on: profile.kind) != nil {
          profile.rules[index].basis.standing = .synthetic
        }
      }
      let json = Array(ProfileWriter.json(profile).utf8)
      if (try? ProfileReader.read(json, file: profile.name)) != nil { return profile }
    }
    return Profile(name: "sample \(seed)")
  }

  /// An object whose keys do not contradict each other, found by trying.
  private func valid(_ outline: ProfileOutline, _ chance: inout Chance) -> ProfileRecord? {
    for _ in 0..<1_000 {
      var record = record(outline, &chance)
      if outline.noun == RuleKeys.table.outline.noun { record = fitting(record, &chance) }
      var problems = ProblemList(file: "sample")
      let json = Array(ProfileWriter.text(record, outline).utf8)
      if let root = try? PositionedJSON.parse(json), outline.readWhole(root, at: "", &problems) != nil {
        return record
      }
    }
    return nil
  }

  /// A rule whose operations are those that everything else in it fits: by trying it would take too long.
  private func fitting(_ record: ProfileRecord, _ chance: inout Chance) -> ProfileRecord {
    let table = RuleKeys.table
    guard var rule = table.object(record) else { return record }
    let fitting = RuleFit.operations(of: rule)
    let kept = rule.operations.filter { fitting.contains($0) }
    if fitting.isEmpty { return record }
    rule.operations = kept.isEmpty ? [fitting[chance.below(fitting.count)]] : kept
    return table.record(rule)
  }

  // MARK: Objects

  private func record(_ outline: ProfileOutline, _ chance: inout Chance) -> ProfileRecord {
    var record = ProfileRecord()
    fill("", of: outline, &record, &chance)
    return record
  }

  private func fill(
    _ group: String, of outline: ProfileOutline, _ record: inout ProfileRecord, _ chance: inout Chance
  ) {
    for name in chosen(group, of: outline, &chance) {
      let path = DottedPath.joined(group, name)
      let isGroup = outline.group(path) != nil
      if let key = outline.key(path), !isGroup || chance.below(2) == 0 {
        record[path] = value(key.type, &chance)
      } else {
        fill(path, of: outline, &record, &chance)
      }
    }
  }

  /// Which members of a group are there, as many as may be and none beside its alternatives.
  private func chosen(_ group: String, of outline: ProfileOutline, _ chance: inout Chance) -> [String] {
    let names = outline.members(of: group)
    let rule = outline.group(group)
    let limits = rule?.members ?? 0...Int.max
    func isRequired(_ name: String) -> Bool {
      let path = DottedPath.joined(group, name)
      return outline.key(path)?.isRequired == true || outline.group(path)?.isRequired == true
    }
    var chosen = names.filter(isRequired)
    var hasAlternative = false
    for name in chance.shuffled(names.filter { !isRequired($0) }) where chosen.count < limits.upperBound {
      // What is an object of its own has the most to say.
      var chances = 1
      if case .objects = outline.key(DottedPath.joined(group, name))?.type { chances = 2 }
      guard chosen.count < limits.lowerBound || chance.below(3) < chances else { continue }
      if rule?.alternatives.contains(name) == true {
        if hasAlternative { continue }
        hasAlternative = true
      }
      chosen.append(name)
    }
    return chosen
  }

  // MARK: Values

  private func value(_ type: ProfileValueType, _ chance: inout Chance) -> ProfileValue? {
    switch type {
    case .text(let bytes): return .text(text(bytes, &chance))
    case .word(let words): return .word(words[chance.below(words.count)])
    case .words(let words):
      let some = words.filter { _ in chance.below(3) == 0 }
      return .words(some.isEmpty ? [words[chance.below(words.count)]] : some)
    case .flag: return .flag(chance.below(2) == 0)
    case .yes: return .flag(true)
    case .wholeNumber(let limits): return .wholeNumber(chance.number(limits))
    case .span(let limits): return .span(span(limits, &chance))
    case .patience(let limits): return .patience(chance.below(4) == 0 ? nil : span(limits, &chance))
    case .latency: return .latency(latency(&chance))
    case .bandwidth(let limits):
      return .bandwidth(chance.below(4) == 0 ? nil : rate(limits, &chance))
    case .rate(let limits): return .rate(rate(limits, &chance))
    case .byteCount(let limits): return .byteCount(chance.number(limits))
    case .room(let limits): return .room(chance.below(4) == 0 ? nil : chance.number(limits))
    case .point:
      if chance.below(2) == 0 { return .point(.bytes(chance.number(0...(1 << 24)))) }
      return .point(.millionths(chance.evenly(0...1_000_000)))
    case .share(let limits): return .share(chance.evenly(limits))
    case .glob: return glob(&chance).map { .glob($0) }
    case .path: return .path(paths.isEmpty ? ItemPath() : paths[chance.below(paths.count)])
    case .texts(let count, let bytes):
      return .texts((0..<min(chance.below(4), count.upperBound)).map { _ in text(bytes, &chance) })
    case .globs(let count, _):
      return .globs((0..<min(chance.below(4), count.upperBound)).compactMap { _ in glob(&chance) })
    case .nameGlobs(let count, _):
      let patterns = ["*", "?*.*", "._*", "[A-Mé]*", ".DS_Store"]
      return .globs(
        (0..<min(chance.below(4), count.upperBound)).compactMap { _ in
          Glob(patterns[chance.below(patterns.count)])
        })
    case .mapping(_, let from, let to):
      let some = from.filter { _ in chance.below(from.count) < 3 }
      return .mapping(
        Dictionary(some.map { ($0, to[chance.below(to.count)]) }, uniquingKeysWith: { first, _ in first }))
    case .objects(let count, let outline):
      let number = min(chance.below(objects + 1), count.upperBound)
      return .objects((0..<number).compactMap { _ in valid(outline, &chance) })
    }
  }

  private func span(_ limits: ClosedRange<Span>, _ chance: inout Chance) -> Span {
    let low = limits.lowerBound.nanoseconds
    let high = max(low, min(limits.upperBound.nanoseconds, longest.nanoseconds))
    let drawn = chance.number(low...high)
    // Round ones, as people write them, and others.
    let unit: Int64 = chance.below(2) == 0 ? 1 : 1_000_000
    return Span(nanoseconds: max(low, drawn / unit * unit))
  }

  private func rate(_ limits: ClosedRange<Int64>, _ chance: inout Chance) -> Int64 {
    chance.number(max(limits.lowerBound, min(slowest, limits.upperBound))...limits.upperBound)
  }

  private func latency(_ chance: inout Chance) -> Latency {
    let one = span(.zero...longest, &chance)
    let other = span(.zero...longest, &chance)
    switch chance.below(3) {
    case 0: return .fixed(one)
    case 1: return .uniform(minimum: min(one, other), maximum: max(one, other))
    default:
      let median = max(min(one, other), Span(nanoseconds: 1))
      return .logNormal(median: median, p99: max(one, other, median))
    }
  }

  private func glob(_ chance: inout Chance) -> Glob? {
    let names = paths.isEmpty ? [] : paths[chance.below(paths.count)].names.map(\.description)
    // A bracket in a name would begin a set.
    let plain = names.map { $0.contains("[") ? "*" : $0 }
    var patterns = ["*", "**/*.pdf", "[A-Mé]*", "?*.*"]
    if let first = plain.first, let last = plain.last {
      patterns += [plain.joined(separator: "/"), "\(first)/**", "**/\(last)", "\(first)*"]
    }
    return Glob(patterns[chance.below(patterns.count)])
  }

  private func text(_ bytes: ClosedRange<Int>, _ chance: inout Chance) -> String {
    let alphabet: [Unicode.Scalar] = [
      "a", "Z", "0", " ", "-", "/", "\\", "\"", "é", "\u{301}", "漢", "😀", "\u{202E}",
    ]
    var text = ""
    for _ in 0..<(1 + chance.below(16)) { text.unicodeScalars.append(alphabet[chance.below(alphabet.count)]) }
    return text.prefix(whileBytes: bytes.upperBound)
  }
}

extension String {
  /// As many whole scalars as fit.
  fileprivate func prefix(whileBytes limit: Int) -> String {
    var kept = self
    while kept.utf8.count > limit, !kept.isEmpty { kept.unicodeScalars.removeLast() }
    return kept
  }
}

/// A row of random numbers from a seed.
private struct Chance {
  private let seed: UInt64
  private var drawn: UInt64 = 0

  init(seed: UInt64) { self.seed = Dice.mix(seed) }

  private mutating func bits() -> UInt64 {
    drawn += 1
    return Dice.mix(seed ^ Dice.mix(drawn))
  }

  /// From 0 to one less than `count`, which is positive.
  mutating func below(_ count: Int) -> Int { Int(bits().multipliedFullWidth(by: UInt64(count)).high) }

  /// A number of a random length, so that small ones come as often as large ones; the limits come too.
  mutating func number(_ limits: ClosedRange<UInt64>) -> UInt64 {
    switch below(8) {
    case 0: return limits.lowerBound
    case 1: return limits.upperBound
    default:
      let wide = limits.upperBound - limits.lowerBound
      let length = 64 - wide.leadingZeroBitCount
      if length == 0 { return limits.lowerBound }
      let drawn = bits() >> UInt64(64 - (1 + below(length)))
      return limits.lowerBound + min(drawn, wide)
    }
  }

  mutating func number(_ limits: ClosedRange<Int64>) -> Int64 {
    let low = UInt64(clamping: limits.lowerBound)
    return Int64(clamping: number(low...max(low, UInt64(clamping: limits.upperBound))))
  }

  mutating func evenly(_ limits: ClosedRange<Int64>) -> Int64 {
    limits.lowerBound + Int64(below(Int(limits.upperBound - limits.lowerBound) + 1))
  }

  mutating func shuffled(_ names: [String]) -> [String] {
    var left = names
    var shuffled: [String] = []
    while !left.isEmpty { shuffled.append(left.remove(at: below(left.count))) }
    return shuffled
  }
}
