#if os(Linux)

  internal import ProviderControl

  // What other devices do to the server's content. Each returns once whoever watches the mount has been told, or, with
  // `after`, at once while a held operation keeps it waiting.
  extension RunningProvider {
    /// Changes a file's content, or makes a new file. A local copy becomes stale: plain opens go on to get it until a
    /// coordinated read or ``download(_:timeout:)``.
    /// - Parameters:
    ///   - appends: after what the file has.
    ///   - keepsModified: leaves the modification time as it is.
    @discardableResult public func remoteWrite(
      _ path: ItemPath, _ content: RemoteContent, appends: Bool = false, keepsModified: Bool = false
    ) async throws -> RemoteResult {
      try await remote("write", path) {
        $0.take(content)
        $0.append = appends
        $0.keepModified = keepsModified
      }
    }

    /// Lays a content ready for whatever replaces the item next, by a rule's effect `replace`.
    @discardableResult public func remotePrepare(
      _ path: ItemPath, _ content: RemoteContent
    ) async throws -> RemoteResult {
      try await remote("write", path) {
        $0.take(content)
        $0.onReplace = true
      }
    }

    /// - Parameter target: its new path, or a folder that it goes into.
    @discardableResult public func remoteMove(_ path: ItemPath, to target: ItemPath) async throws
      -> RemoteResult
    {
      try await remote("move", path) { $0.to = WirePath(bytes: target.bytes) }
    }

    @discardableResult public func remoteRename(_ path: ItemPath, to name: String) async throws
      -> RemoteResult
    {
      try await remote("rename", path) { $0.name = name }
    }

    /// With all that is in it.
    @discardableResult public func remoteDelete(_ path: ItemPath) async throws -> RemoteResult {
      try await remote("delete", path) { _ in }
    }

    @discardableResult public func remoteMakeDirectory(_ path: ItemPath) async throws -> RemoteResult {
      try await remote("mkdir", path) { _ in }
    }

    /// Another device changed it, too: the item gets a version to choose from, and a file beside it has that.
    /// - Parameter content: nil: the same as the item's.
    /// - Returns: the file beside it.
    @discardableResult public func remoteConflict(
      _ path: ItemPath, _ content: RemoteContent? = nil
    ) async throws -> RemoteResult {
      try await remote("conflict", path) { if let content { $0.take(content) } }
    }

    private func remote(
      _ action: String, _ path: ItemPath, _ fill: (inout RequestLine) -> Void
    ) async throws -> RemoteResult {
      // Bytes are kept on the way, however long that takes.
      let reply = try await call("remote", timeout: .seconds(600)) {
        $0.action = action
        $0.path = WirePath(bytes: path.bytes)
        fill(&$0)
      }
      guard let line = reply.remote else { throw ProviderFailure.ended("a remote change without a result") }
      return RemoteResult(
        path: ItemPath(bytes: line.path.bytes), id: line.id, version: line.version, after: line.after,
        unseen: line.unseen)
    }
  }

  extension RequestLine {
    fileprivate mutating func take(_ content: RemoteContent) {
      switch content {
      case .text(let text): self.text = text
      case .file(let path): from = WirePath(bytes: Array(path.utf8))
      case .synthetic(let size, let seed): (self.size, self.seed) = (size, seed)
      }
    }
  }

#endif
