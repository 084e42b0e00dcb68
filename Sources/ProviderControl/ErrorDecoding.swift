package import ProviderModel

extension ProviderError {
  /// The error that an ``ErrorLine`` was made from.
  /// - Returns: nil for a code or an errno that this version does not know.
  package init?(_ line: ErrorLine) {
    switch line.code {
    case "accessNotGranted": self = .accessNotGranted
    case "accessRevoked": self = .accessRevoked
    case "callerNotVisible": self = .callerNotVisible
    case "tooManyScopes": self = .tooManyScopes
    // The one name that two errors share (the other is NSFileProviderError's); both are ENOENT.
    case "noSuchItem": self = .noSuchItem
    case "notADirectory": self = .notADirectory
    case "isADirectory": self = .isADirectory
    case "notASymbolicLink": self = .notASymbolicLink
    case "readOnly": self = .readOnly
    case "sourceChanged": self = .sourceChanged
    case "source":
      guard let errno = ErrnoName(rawValue: line.errno) else { return nil }
      self = .source(errno)
    case "released":
      guard let errno = ErrnoName(rawValue: line.errno) else { return nil }
      self = .released(errno)
    case "fault":
      guard let errno = ErrnoName(rawValue: line.errno) else { return nil }
      self = .fault(errno)
    case "unreachable":
      guard let errno = ErrnoName(rawValue: line.errno) else { return nil }
      self = .unreachable(errno)
    case "deviceLocked": self = .deviceLocked
    case "materializationForbidden": self = .materializationForbidden
    case "content":
      guard let errno = ErrnoName(rawValue: line.errno) else { return nil }
      self = .content(errno, line.message)
    case "interrupted": self = .interrupted
    case "canceled": self = .canceled
    case "stopping": self = .stopping
    case "busy": self = .busy
    case "badHandle": self = .badHandle
    case "noSuchAttribute": self = .noSuchAttribute
    case "resultTooLarge": self = .resultTooLarge
    case "notSupported": self = .notSupported
    case "invalid", "badRequest": self = .invalid(line.message)
    case let name:
      if let provider = FileProviderErrorName(rawValue: name) {
        self = .provider(provider)
      } else if let cocoa = CocoaErrorName(rawValue: name) {
        self = .cocoa(cocoa)
      } else {
        return nil
      }
    }
  }
}
