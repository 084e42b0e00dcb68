import FoundationEssentials
package import ProviderModel

/// A path on the wire: a string, or `{"path_b64": "…"}` when its bytes are not UTF-8.
///
/// In requests it is relative to the provider's root, or absolute and below its mountpoint.
package struct WirePath: Hashable, Sendable, Codable {
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }
  package init(_ path: ItemPath) { bytes = path.names.isEmpty ? [0x2E] : path.bytes }

  private enum Key: String, CodingKey {
    case path
    case base64 = "path_b64"
  }

  package init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      bytes = Array(text.utf8)
      return
    }
    let container = try decoder.container(keyedBy: Key.self)
    if let encoded = try container.decodeIfPresent(String.self, forKey: .base64) {
      guard let data = Data(base64Encoded: encoded) else {
        throw DecodingError.dataCorruptedError(
          forKey: .base64, in: container, debugDescription: "path_b64 is not base64")
      }
      bytes = Array(data)
    } else {
      bytes = Array(try container.decode(String.self, forKey: .path).utf8)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    if let text = String(validating: bytes, as: UTF8.self) {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    } else {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
    }
  }

  /// For people.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
