@_spi(_Unicode) import Swift

/// Which names are one to the provider, and how they are shown.
package struct Naming: Hashable, Sendable {
  package enum Case: String, Sendable, CaseIterable {
    case sensitive
    /// Kept as it is; upper and lower case find it alike.
    case insensitive
  }
  package enum Normalization: String, Sendable, CaseIterable {
    /// Bytes are bytes.
    case preserve
    /// Kept as it is; every normal form finds it (APFS).
    case insensitive
    /// Shown decomposed; every form finds it (HFS+).
    case nfd
    /// Shown composed; every form finds it.
    case nfc
  }
  package var `case` = Case.sensitive
  package var normalization = Normalization.preserve
  package init() {}

  /// A name is its bytes.
  package var isExact: Bool { `case` == .sensitive && normalization == .preserve }

  /// The same for all names that are one; of what is no UTF-8, the bytes themselves.
  func key(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    if isExact { return bytes }
    if bytes.allSatisfy({ $0 < 0x80 }) {
      return `case` == .sensitive ? bytes : bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }[...]
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return bytes }
    let scalars = normalization == .preserve ? Array(text.unicodeScalars) : Array(text._nfd)
    let folded = `case` == .sensitive ? scalars : scalars.map(Naming.folded)
    return Array(String(String.UnicodeScalarView(folded)).utf8)[...]
  }

  /// The name as it is listed, whichever it was given.
  func shown(_ name: Name) -> Name {
    guard normalization == .nfd || normalization == .nfc, !name.bytes.allSatisfy({ $0 < 0x80 }),
      let text = String(validating: name.bytes, as: UTF8.self)
    else { return name }
    let scalars = normalization == .nfd ? Array(text._nfd) : Array(text._nfc)
    // One that would be too long is left as it is.
    return Name(Array(String(String.UnicodeScalarView(scalars)).utf8)) ?? name
  }

  /// Scalar by scalar, as file systems do: what would become several stays.
  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    func single(_ text: String) -> Unicode.Scalar? {
      text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }
    let upper = single(scalar.properties.uppercaseMapping) ?? scalar
    return single(upper.properties.lowercaseMapping) ?? upper
  }
}
