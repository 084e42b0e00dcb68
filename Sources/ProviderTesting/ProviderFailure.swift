#if os(Linux)

  /// Why a provider could not be started, asked or ended.
  public enum ProviderFailure: Error, Hashable, Sendable {
    /// There is no `fakeprovider` to run; these places were tried.
    case executableNotFound(tried: [String])
    /// The provider ended before it was mounted.
    /// - `exitCode`: 1 when it could not mount, 2 when it was asked wrongly; 128 and the signal's number when
    ///   a signal ended it.
    /// - `message`: what it said on standard error.
    case didNotStart(exitCode: Int32, message: String)
    /// The provider understood and said no.
    /// - `code`: a code of docs/control-protocol.md, like "noSuchItem".
    /// - `errno`: the name of what a plain `read` would have met, like "ENOENT".
    case refused(code: String, errno: String, message: String, path: ItemPath?)
    /// The provider has ended, or the connection to it was lost.
    case ended(String)
    /// What was expected did not happen: each assertion that does not hold, with why, and what broke it.
    case unexpected([String])
    /// Not in time; `what` was waited for.
    case timedOut(what: String)
    /// A system call failed.
    case system(call: String, errno: Int32)
  }

  extension ProviderFailure: CustomStringConvertible {
    public var description: String {
      switch self {
      case .executableNotFound(let tried):
        "there is no fakeprovider to run; set FAKEPROVIDER to its path (tried: "
          + tried.joined(separator: ", ") + ")"
      case .didNotStart(let exitCode, let message):
        "the provider did not start (exit code \(exitCode)): \(message)"
      case .refused(let code, _, let message, let path):
        (path.map { "\($0): " } ?? "") + "\(message) (\(code))"
      case .ended(let why): "the provider is gone: \(why)"
      case .unexpected(let assertions): assertions.joined(separator: "\n")
      case .timedOut(let what): "not in time: \(what)"
      case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
      }
    }
  }

  internal import Glibc
  internal import ProviderControl

  extension ProviderFailure {
    init(_ error: ErrorLine) {
      self = .refused(
        code: error.code, errno: error.errno, message: error.message,
        path: error.path.map { ItemPath(bytes: $0.bytes) })
    }

    init(_ problem: ConnectionProblem, during what: String) {
      switch problem {
      case .timedOut: self = .timedOut(what: what)
      default: self = .ended("\(problem), during: \(what)")
      }
    }
  }

#endif
