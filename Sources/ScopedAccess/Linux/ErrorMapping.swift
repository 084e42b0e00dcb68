#if os(Linux)
  import Foundation
  import Glibc
  import ProviderControl
  import ProviderModel

  /// Why a coordinated access was not had.
  enum CoordinationFailure: Error {
    /// The provider could not be asked.
    case unreachable(ConnectionProblem)
    /// It was asked, and no usable answer came.
    case interrupted(ConnectionProblem)
    case refused(ErrorLine)
    /// `cancel()` was called.
    case canceled
  }

  /// Face two of an error: what the app is given for a read. One case each and no `default:`, so that a new
  /// error has to choose.
  ///
  /// NSFileProviderError is handed over itself, not under a Cocoa code: that is what a coordinated read of an
  /// item whose provider answered -1000, -1003, -1004 or -2005 is documented to see. The numbers of POSIX
  /// errors are Linux's.
  enum ErrorMapping {
    static let fileProviderDomain = "NSFileProviderErrorDomain"

    static func error(_ failure: CoordinationFailure, url: URL) -> NSError {
      switch failure {
      case .unreachable(let problem): unreachable(problem, url)
      case .interrupted(let problem): interrupted(problem, url)
      case .canceled: cocoa(.userCancelled, url, nil, "canceled")
      case .refused(let line): refused(line, url)
      }
    }

    private static func refused(_ line: ErrorLine, _ url: URL) -> NSError {
      guard let error = ProviderError(line) else {
        // A newer provider's word: its errno still tells what a plain read would have met.
        return read(ErrnoName(rawValue: line.errno) ?? .EIO, url, line.message)
      }
      return switch error {
      case .accessNotGranted, .accessRevoked, .callerNotVisible, .tooManyScopes, .noSuchItem,
        .notADirectory, .isADirectory, .notASymbolicLink, .readOnly, .sourceChanged, .source, .fault,
        .released,
        .unreachable, .deviceLocked, .materializationForbidden, .interrupted, .stopping, .busy, .badHandle,
        .noSuchAttribute, .resultTooLarge, .content, .invalid:
        read(error.errno, url, line.message)
      case .canceled: cocoa(.userCancelled, url, nil, line.message)
      case .notSupported: cocoa(.featureUnsupported, url, .EOPNOTSUPP, line.message)
      case .provider(let name), .translated(let name, _): fileProvider(name, url, line.message)
      case .nonEvictableChild: fileProvider(.nonEvictableChildren, url, line.message)
      case .cocoa(let name): cocoa(CocoaError.Code(rawValue: name.code), url, nil, line.message)
      }
    }

    /// As Foundation maps the errno of a failed read.
    /// - Source: swift-foundation, Sources/FoundationEssentials/Error/CocoaError+FilePath.swift.
    private static func read(_ errno: ErrnoName, _ url: URL, _ message: String) -> NSError {
      let code: CocoaError.Code =
        switch errno {
        case .ENOENT: .fileReadNoSuchFile
        case .EPERM, .EACCES: .fileReadNoPermission
        case .ENAMETOOLONG: .fileReadInvalidFileName
        case .EFBIG: .fileReadTooLarge
        case .EINTR, .EIO, .ENXIO, .EBADF, .EAGAIN, .EBUSY, .EEXIST, .EXDEV, .ENODEV, .ENOTDIR, .EISDIR,
          .EINVAL,
          .ENOSPC, .EROFS, .EMLINK, .ERANGE, .EDEADLK, .ENOTEMPTY, .ELOOP, .ENODATA, .EOPNOTSUPP,
          .ECONNABORTED, .ECONNRESET, .ENOTCONN, .ETIMEDOUT, .EHOSTUNREACH, .ESTALE, .EDQUOT, .ECANCELED,
          .ENOMEM, .EMFILE, .ENFILE:
          .fileReadUnknown
        }
      return cocoa(code, url, errno, message)
    }

    private static func unreachable(_ problem: ConnectionProblem, _ url: URL) -> NSError {
      switch problem {
      case .notRunning, .refused, .pathTooLong, .timedOut, .closed, .system:
        cocoa(.xpcConnectionInvalid, url, nil, problem.description)
      case .lineTooLong, .malformed:
        cocoa(.xpcConnectionReplyInvalid, url, nil, problem.description)
      case .canceled: cocoa(.userCancelled, url, nil, problem.description)
      }
    }

    private static func interrupted(_ problem: ConnectionProblem, _ url: URL) -> NSError {
      switch problem {
      case .notRunning, .refused, .pathTooLong, .timedOut, .closed, .system:
        cocoa(.xpcConnectionInterrupted, url, nil, problem.description)
      case .lineTooLong, .malformed:
        cocoa(.xpcConnectionReplyInvalid, url, nil, problem.description)
      case .canceled: cocoa(.userCancelled, url, nil, problem.description)
      }
    }

    private static func cocoa(
      _ code: CocoaError.Code, _ url: URL, _ errno: ErrnoName?, _ message: String
    ) -> NSError {
      var info = details(url, message)
      if let errno {
        info[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(errno.number))
      }
      return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: info)
    }

    private static func fileProvider(
      _ name: FileProviderErrorName, _ url: URL, _ message: String
    ) -> NSError {
      var info = details(url, message)
      info[NSLocalizedDescriptionKey] = message
      return NSError(domain: fileProviderDomain, code: name.code, userInfo: info)
    }

    private static func details(_ url: URL, _ message: String) -> [String: Any] {
      [NSFilePathErrorKey: url.path, NSURLErrorKey: url, NSDebugDescriptionErrorKey: message]
    }
  }
#endif
