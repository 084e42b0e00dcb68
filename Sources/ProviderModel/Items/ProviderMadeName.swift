// Names that a provider makes where one is taken: "a.pdf", "a 2.pdf", "a 3.pdf".

extension Name {
  /// The name with a number before its extension, and cut where it would be too long.
  package func numbered(_ number: Int, separator: String = " ") -> Name {
    let dot = bytes.lastIndex(of: 0x2E) ?? 0
    // What begins with its only dot is no extension, nor is what fills the name.
    let hasExtension = dot > 0 && bytes.count - dot <= 64
    var stem = hasExtension ? bytes[..<dot] : bytes[...]
    let tail = Array("\(separator)\(number)".utf8) + (hasExtension ? bytes[dot...] : [])
    if stem.count + tail.count > 255 {
      stem = stem.prefix(255 - tail.count)
      // Not in the middle of a scalar of UTF-8.
      while let byte = bytes[stem.endIndex...].first, byte & 0xC0 == 0x80, stem.count > 1 {
        stem.removeLast()
      }
    }
    return Name(Array(stem) + tail) ?? self
  }
}

extension ItemTable {
  /// `name`, or the first one made from it that nothing in the folder has, but for `slot`, which may have its own in
  /// another spelling.
  func freeName(like name: Name, in folder: Slot, for slot: Slot? = nil) -> Name {
    var candidate = name
    var number = 1
    while isTaken(candidate, in: folder, but: slot) {
      number += 1
      candidate = name.numbered(number)
    }
    return candidate
  }
}
