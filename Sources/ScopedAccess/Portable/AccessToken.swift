public import Foundation

/// A started access to a security-scoped URL that cannot be forgotten and cannot be stopped twice.
///
/// The access ends when the token does: at the end of the scope that holds it, on every way out, or at
/// ``stop()``. Any isolation; a token may be handed to another thread or task.
/// - Source: <https://developer.apple.com/documentation/foundation/nsurl/startaccessingsecurityscopedresource()>
///   ("if this method returns true, then you must relinquish").
public struct AccessToken: ~Copyable, Sendable {
  private let url: URL

  /// What starting the access returned.
  ///
  /// False does not mean that the file cannot be read: a URL that carries no scope (the app's own files, a copy
  /// made by the picker) says false and is readable all the same.
  public let isActive: Bool

  /// Starts access. May block the calling thread for as long as the provider takes to answer; a profile's
  /// delays don't apply to it.
  public init(startingAccessTo url: URL) {
    self.url = url
    isActive = url.startAccessingSecurityScopedResource()
  }

  /// Ends the access now; the token is gone afterwards.
  public consuming func stop() {
    // The end of the token's life is what stops: see deinit.
  }

  deinit {
    if isActive { url.stopAccessingSecurityScopedResource() }
  }
}

extension URL {
  /// Runs `body` between start and stop of access to this URL, and stops on every way out.
  ///
  /// The body runs also when start said false; ``AccessToken/isActive`` tells.
  /// - Parameter body: reads the file, on the calling thread.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, nothing else.
  /// - Source: the order that
  ///   <https://developer.apple.com/documentation/uikit/providing-access-to-directories> asks for.
  public func withSecurityScope<R: ~Copyable, E: Error>(
    _ body: (borrowing AccessToken) throws(E) -> R
  ) throws(E) -> R {
    let token = AccessToken(startingAccessTo: self)
    return try body(token)
  }

  /// The asynchronous twin: runs `body` in the caller's isolation, and holds the access until it has returned.
  ///
  /// Start and stop are blocking calls, as on a device; `body` should wait for blocking reads on a thread of
  /// its own.
  /// - Parameter body: runs where the caller runs.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, nothing else.
  public nonisolated(nonsending) func withSecurityScope<R: ~Copyable, E: Error>(
    _ body: nonisolated(nonsending) (borrowing AccessToken) async throws(E) -> R
  ) async throws(E) -> R {
    let token = AccessToken(startingAccessTo: self)
    return try await body(token)
  }
}
