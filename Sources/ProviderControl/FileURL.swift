package import ProviderModel

package enum FileURL {
  /// `file://` and the path, percent-encoded as RFC 3986 has it.
  package static func text(mountpoint: String, path: ItemPath) -> String {
    var bytes = Array(mountpoint.utf8)
    for name in path.names { bytes += [0x2F] + name.bytes }
    return text(path: bytes)
  }

  /// - Parameter bytes: an absolute path.
  package static func text(path bytes: [UInt8]) -> String {
    let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@".utf8)
    let hex = Array("0123456789ABCDEF".utf8)
    var url = Array("file://".utf8)
    for byte in bytes {
      if kept.contains(byte) {
        url.append(byte)
      } else {
        url += [0x25, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: url, as: UTF8.self)
  }
}
