/// What a person may have meant: the candidate that a slip of the keyboard is nearest to.
package enum Nearest {
  /// The candidate with the fewest insertions, deletions, replacements and swaps of neighbors away from `word`.
  package static func word(to word: String, among candidates: [String]) -> String? {
    candidates.min { distance($0, word) < distance($1, word) }
  }

  private static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a.lowercased().utf8.prefix(64))
    let b = Array(b.lowercased().utf8.prefix(64))
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }
}
