package import ProviderModel

/// What the host drives: for a provider that is mounted, ProviderFS.
package protocol Backend: Sendable {
  /// Carries out ``Effect/reply``, ``Effect/list``, ``Effect/open``, ``Effect/close``,
  /// ``Effect/invalidate`` and ``Effect/dropPages``; what comes back is told to the host.
  /// - Parameter mayBlock: whether the calling thread may do file I/O; else a worker does it.
  func perform(_ effect: Effect, mayBlock: Bool)
}
