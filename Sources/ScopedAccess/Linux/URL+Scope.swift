#if os(Linux)
  public import Foundation
  import ProviderControl

  extension URL {
    /// Makes the item readable for this process, if the app was granted it; counts.
    ///
    /// Blocks the calling thread for one exchange with the provider. Any isolation.
    /// - Returns: whether access was started, and so has to be stopped once. False on a path outside every
    ///   provider (which may be readable nevertheless), without a grant, after a revocation, beyond the
    ///   profile's limit, and when the provider cannot be reached.
    /// - Source: <https://developer.apple.com/documentation/foundation/nsurl/startaccessingsecurityscopedresource()>
    public func startAccessingSecurityScopedResource() -> Bool {
      Scopes.exchange("start", self)?.started ?? false
    }

    /// Ends one started access; the last one ends it for new opens, while open files go on.
    ///
    /// Does nothing where access was not started, and outside every provider. Blocks the calling thread for
    /// one exchange with the provider. Any isolation.
    /// - Source: <https://developer.apple.com/documentation/foundation/nsurl/stopaccessingsecurityscopedresource()>
    public func stopAccessingSecurityScopedResource() { _ = Scopes.exchange("stop", self) }
  }

  extension NSURL {
    /// See `URL.startAccessingSecurityScopedResource()`.
    public func startAccessingSecurityScopedResource() -> Bool {
      (self as URL).startAccessingSecurityScopedResource()
    }

    /// See `URL.stopAccessingSecurityScopedResource()`.
    public func stopAccessingSecurityScopedResource() {
      (self as URL).stopAccessingSecurityScopedResource()
    }
  }

  private enum Scopes {
    /// - Returns: nil when there is no provider, or none that answers.
    static func exchange(_ verb: String, _ url: URL) -> ReplyLine? {
      guard let path = url.fileSystemBytes, let location = try? ProviderLookup.location(of: path) else {
        return nil
      }
      var request = RequestLine(verb: verb)
      request.path = location.wirePath
      guard let call = try? Connections.shared.begin(request, socket: location.mount.socket),
        let reply = try? call.reply.wait(timeout: Connections.patience)
      else { return nil }
      return reply.ok ? reply : nil
    }
  }
#endif
