package import ProviderModel

/// Why a provider cannot be talked to; what it refuses is an ``ErrorLine``.
package enum ConnectionProblem: Error, Hashable, Sendable {
  /// No socket is there, or nobody listens on it any more.
  case notRunning(socket: String)
  /// The socket belongs to someone else.
  case refused(socket: String)
  /// A socket's path has 107 bytes at most.
  case pathTooLong(socket: String)
  case timedOut
  /// The other end is gone.
  case closed
  case lineTooLong
  /// The other end does not speak this protocol.
  case malformed(String)
  /// The caller gave up waiting.
  case canceled
  case system(ErrnoName, call: String)
}

extension ConnectionProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notRunning(let socket): "no provider listens on \(socket)"
    case .refused(let socket): "the provider at \(socket) belongs to another user"
    case .pathTooLong(let socket): "the socket's path is longer than 107 bytes: \(socket)"
    case .timedOut: "the provider did not answer in time"
    case .closed: "the connection to the provider was lost"
    case .lineTooLong: "a message is longer than \(LineCoding.limit_bytes) bytes"
    case .malformed(let text): "the provider's message makes no sense: \(text)"
    case .canceled: "canceled"
    case .system(let name, let call): "\(call) failed: \(name.rawValue)"
    }
  }
}
