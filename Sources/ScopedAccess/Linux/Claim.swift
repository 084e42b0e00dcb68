#if os(Linux)
  import Foundation
  import ProviderControl

  /// A granted coordinated access, until it is finished.
  struct Claim {
    /// What the accessor is to use.
    let url: URL
    private let held: (id: UInt64, client: Client)?

    /// One that nobody outside this process knows.
    init(url: URL) {
      self.url = url
      held = nil
    }

    init(
      reply: ReplyLine, client: Client, url: URL, location: ProviderLocation
    ) throws(CoordinationFailure) {
      guard let id = reply.claim else {
        throw .interrupted(.malformed("coordinate was granted without a claim"))
      }
      held = (id, client)
      guard let current = Self.currentURL(reply.paths, asked: url, location) else {
        Self.finish(id, client)
        throw .interrupted(.malformed("a claim's paths do not answer its intents"))
      }
      self.url = current
    }

    /// The accessor has returned. Waits until the provider has taken note, so that whoever is told of the
    /// result finds the item free; a provider that is gone has no claims left.
    func finish() {
      if let held { Self.finish(held.id, held.client) }
    }

    private static func finish(_ id: UInt64, _ client: Client) {
      var request = RequestLine(verb: "finish")
      request.claim = id
      _ = try? client.send(request, timeout: Connections.patience)
    }

    /// The caller's own URL as long as the item is where it was, with all that the caller's URL carries.
    static func currentURL(_ paths: [WirePath]?, asked url: URL, _ location: ProviderLocation) -> URL? {
      guard let paths else { return url }
      guard paths.count == 1, let path = paths.first else { return nil }
      let now = MountTable.components(path.bytes).filter { Array($0) != [0x2E] }
      if now == MountTable.components(location.relative) { return url }
      return location.absolutePath(of: path.bytes).flatMap { URL(fileSystemBytes: $0) }
    }
  }
#endif
