import ProviderModel

// Changes of the server's content, and pressure on what is here: from a line to a command.

extension RequestLine {
  /// The words that `remote` takes as its action.
  package static let remoteActions = ["write", "move", "rename", "delete", "mkdir", "conflict"]

  func remoteChange(_ mountpoint: String) throws(RequestProblem) -> RemoteChange {
    let path = try itemPath(mountpoint)
    switch try required(action, "action") {
    case "write":
      guard let content = try newContent() else {
        throw RequestProblem("remote write needs a content: \"text\", \"from\" or \"size\"")
      }
      guard onReplace ?? false else { return .write(path, content, keepsModified: keepModified ?? false) }
      if keepModified ?? false {
        throw RequestProblem("remote write: \"keepModified\" and \"onReplace\" exclude each other")
      }
      return .prepare(path, content)
    case "move": return .move(path, to: try required(to, "to").itemPath(mountpoint: mountpoint))
    case "rename":
      let text = try required(name, "name")
      guard let name = Name(text) else {
        throw RequestProblem(
          "\"\(text)\" cannot be a name: 1 to 255 bytes, no slash, not \".\" or \"..\"; to change the folder, move it"
        )
      }
      return .rename(path, name)
    case "delete": return .delete(path)
    case "mkdir": return .makeDirectory(path)
    case "conflict":
      let content = try newContent()
      if content?.appends == true { throw RequestProblem("remote conflict takes a whole content") }
      return .conflict(path, content)
    case let other:
      let nearest = Nearest.word(to: other, among: RequestLine.remoteActions) ?? "write"
      throw RequestProblem("there is no remote \"\(other)\"; the nearest is \"\(nearest)\"")
    }
  }

  private func newContent() throws(RequestProblem) -> NewContent? {
    let given = [text != nil, from != nil, size != nil].count { $0 }
    if given > 1 { throw RequestProblem("a content is \"text\", \"from\" or \"size\", one of them") }
    if size == nil, seed != nil { throw RequestProblem("\"seed\" belongs to \"size\"") }
    let appends = append ?? false
    if let text { return NewContent(.text(Array(text.utf8)), appends: appends) }
    if let from {
      guard from.bytes.first == 0x2F, !from.bytes.contains(0) else {
        throw RequestProblem("\"from\" is an absolute path, not \"\(from.text)\"")
      }
      return NewContent(.file(from.bytes), appends: appends)
    }
    guard let size else { return nil }
    let bytes = try byteCount(size, "size")
    guard bytes <= SyntheticContent.limit else {
      throw RequestProblem("\"size\" is at most \(ByteCount.text(bytes: SyntheticContent.limit))")
    }
    return NewContent(.synthetic(size: bytes, seed: seed ?? 1), appends: appends)
  }

  func evictCommand(_ mountpoint: String) throws(RequestProblem) -> Command {
    guard let pressure else { return .evict(try itemPaths(mountpoint)) }
    if path != nil || paths != nil {
      throw RequestProblem("evict takes \"pressure\" or paths: pressure chooses the items itself")
    }
    return .relieve(try byteCount(pressure, "pressure"))
  }

  private func byteCount(_ text: String, _ key: String) throws(RequestProblem) -> Int64 {
    guard let bytes = ByteCount.bytes(text: text) else {
      throw RequestProblem("\"\(key)\" is a number of bytes like \"65536\" or \"10MB\", not \"\(text)\"")
    }
    return bytes
  }
}
