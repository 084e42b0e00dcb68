/// The bytes of all names, in chunks that never move: a name costs its bytes and eight more.
struct NameArena {
  struct Reference {
    var chunk: UInt32 = 0
    var offset: UInt16 = 0
    var length: UInt8 = 0
  }

  private static let chunkBytes = 1 << 15
  private var chunks: [[UInt8]] = []
  /// Which of them are one.
  let naming: Naming

  init(_ naming: Naming) { self.naming = naming }

  mutating func add(_ name: Name) -> Reference {
    if chunks.isEmpty || chunks[chunks.count - 1].count + name.bytes.count > NameArena.chunkBytes {
      var chunk: [UInt8] = []
      chunk.reserveCapacity(NameArena.chunkBytes)
      chunks.append(chunk)
    }
    let last = chunks.count - 1
    let reference = Reference(
      chunk: UInt32(last), offset: UInt16(chunks[last].count), length: UInt8(name.bytes.count))
    chunks[last] += name.bytes
    return reference
  }

  /// Whether it is a name of this key.
  func has(_ key: ArraySlice<UInt8>, at reference: Reference) -> Bool {
    naming.key(of: self[reference]).elementsEqual(key)
  }

  subscript(_ reference: Reference) -> ArraySlice<UInt8> {
    let start = Int(reference.offset)
    return chunks[Int(reference.chunk)][start..<start + Int(reference.length)]
  }
}
