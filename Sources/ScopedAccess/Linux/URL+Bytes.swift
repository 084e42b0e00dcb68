#if os(Linux)
  import Foundation
  import ProviderControl
  import ProviderModel

  extension URL {
    /// The path as the kernel would get it; nil for what is no file URL.
    ///
    /// Decoded here, since Foundation's own properties pass through a String and lose names that are not UTF-8.
    var fileSystemBytes: [UInt8]? {
      guard isFileURL else { return nil }
      var result: [UInt8] = []
      var rest = absoluteURL.path(percentEncoded: true).utf8[...]
      while let byte = rest.popFirst() {
        let digits = rest.prefix(2)
        if byte == 0x25, digits.count == 2, let value = UInt8(Substring(digits), radix: 16) {
          result.append(value)
          rest = rest.dropFirst(2)
        } else {
          result.append(byte)
        }
      }
      return result.isEmpty ? nil : result
    }

    init?(fileSystemBytes bytes: [UInt8]) {
      guard let path = ItemPath(bytes: bytes) else { return nil }
      self.init(string: FileURL.text(mountpoint: "", path: path))
    }
  }
#endif
