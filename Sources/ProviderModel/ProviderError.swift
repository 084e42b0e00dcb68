// What can go wrong, said once. It has two faces: an errno name for the kernel (here), an NSError for
// the app (ScopedAccess).

/// An errno by name; the numbers differ between systems (EDEADLK and EAGAIN are swapped between Darwin
/// and Linux), so they live in the shells.
///
/// ENOSYS is not among them: the kernel takes it as word that an operation does not exist, and never asks a mount for
/// it again, whoever calls.
package enum ErrnoName: String, Error, Sendable, CaseIterable {
  case EPERM, ENOENT, EINTR, EIO, ENXIO, EBADF, EAGAIN, EACCES, EBUSY, EEXIST, EXDEV, ENODEV, ENOTDIR, EISDIR,
    EINVAL, EFBIG, ENOSPC, EROFS, EMLINK, ERANGE, EDEADLK, ENAMETOOLONG, ENOTEMPTY, ELOOP,
    ENODATA, EOPNOTSUPP, ECONNABORTED, ECONNRESET, ENOTCONN, ETIMEDOUT, EHOSTUNREACH, ESTALE, EDQUOT,
    ECANCELED, ENOMEM, EMFILE, ENFILE
}

/// NSFileProviderError by Apple's names
/// (https://developer.apple.com/documentation/fileprovider/nsfileprovidererror/code).
package enum FileProviderErrorName: String, Sendable, CaseIterable {
  case notAuthenticated, filenameCollision, pageExpired, insufficientQuota, serverUnreachable, noSuchItem,
    deletionRejected, directoryNotEmpty, providerNotFound, cannotSynchronize, nonEvictableChildren,
    unsyncedEdits, nonEvictable, versionNoLongerAvailable, excludedFromSync, domainDisabled,
    providerDomainTemporarilyUnavailable, providerDomainNotFound, applicationExtensionNotFound

  /// The number in NSFileProviderErrorDomain.
  package var code: Int {
    switch self {
    case .notAuthenticated: -1000
    case .filenameCollision: -1001
    case .pageExpired: -1002
    case .insufficientQuota: -1003
    case .serverUnreachable: -1004
    case .noSuchItem: -1005
    case .deletionRejected: -1006
    case .directoryNotEmpty: -1007
    case .providerNotFound: -2001
    case .cannotSynchronize: -2005
    case .nonEvictableChildren: -2006
    case .unsyncedEdits: -2007
    case .nonEvictable: -2008
    case .versionNoLongerAvailable: -2009
    case .excludedFromSync: -2010
    case .domainDisabled: -2011
    case .providerDomainTemporarilyUnavailable: -2012
    case .providerDomainNotFound: -2013
    case .applicationExtensionNotFound: -2014
    }
  }

  /// What a plain read gets: not EACCES, which would look like a scope refusal.
  package var errno: ErrnoName {
    switch self {
    case .notAuthenticated, .serverUnreachable, .cannotSynchronize, .pageExpired, .providerNotFound,
      .domainDisabled, .providerDomainTemporarilyUnavailable, .providerDomainNotFound,
      .applicationExtensionNotFound:
      .ETIMEDOUT
    case .insufficientQuota: .EDQUOT
    case .noSuchItem: .ENOENT
    case .filenameCollision: .EEXIST
    case .directoryNotEmpty: .ENOTEMPTY
    case .versionNoLongerAvailable: .ESTALE
    case .deletionRejected, .nonEvictableChildren, .unsyncedEdits, .nonEvictable, .excludedFromSync: .EBUSY
    }
  }
}

/// Errors of NSCocoaErrorDomain that a provider's failures reach an app as, by Apple's names (FoundationErrors.h).
package enum CocoaErrorName: String, Sendable, CaseIterable {
  case xpcConnectionInterrupted, xpcConnectionInvalid, xpcConnectionReplyInvalid
  case ubiquitousFileUnavailable, ubiquitousFileNotUploadedDueToQuota,
    ubiquitousFileUbiquityServerNotAvailable

  /// The number in NSCocoaErrorDomain.
  package var code: Int {
    switch self {
    case .xpcConnectionInterrupted: 4097
    case .xpcConnectionInvalid: 4099
    case .xpcConnectionReplyInvalid: 4101
    case .ubiquitousFileUnavailable: 4353
    case .ubiquitousFileNotUploadedDueToQuota: 4354
    case .ubiquitousFileUbiquityServerNotAvailable: 4355
    }
  }

  /// What a plain read gets, which knows no such domain.
  package var errno: ErrnoName {
    switch self {
    case .xpcConnectionInterrupted, .xpcConnectionInvalid, .xpcConnectionReplyInvalid: .EIO
    case .ubiquitousFileUnavailable, .ubiquitousFileUbiquityServerNotAvailable: .ETIMEDOUT
    case .ubiquitousFileNotUploadedDueToQuota: .EDQUOT
    }
  }
}

package enum ProviderError: Error, Hashable, Sendable {
  /// The caller's process has no started scope on the item.
  case accessNotGranted
  /// There was one, and it was revoked.
  case accessRevoked
  /// The request came without a process that the provider can see.
  case callerNotVisible
  /// The process already has as many scopes as the profile allows.
  case tooManyScopes
  case noSuchItem
  case notADirectory
  case isADirectory
  case notASymbolicLink
  case readOnly
  /// The source file is another than the one that was listed or opened.
  case sourceChanged
  /// The source file cannot be read, for this reason.
  case source(ErrnoName)
  case provider(FileProviderErrorName)
  case cocoa(CocoaErrorName)
  /// A rule fails it with this error.
  case fault(ErrnoName)
  /// NSFileProviderError with the errno that the profile has for it.
  case translated(FileProviderErrorName, ErrnoName)
  /// The volume is away.
  case unreachable(ErrnoName)
  /// The file's key is gone while the device is locked.
  case deviceLocked
  /// The process may not have content brought here by reading it.
  case materializationForbidden
  /// A hold was released with this error.
  case released(ErrnoName)
  /// The reader gave up: a signal, or it was killed.
  case interrupted
  case canceled
  /// What a client gave as content cannot be had, for the reason in words.
  case content(ErrnoName, String)
  /// The provider ends; nobody waits any longer.
  case stopping
  case busy
  /// An item of a package keeps its copy, and what comes after it.
  case nonEvictableChild(EvictionRefusal)
  case badHandle
  case noSuchAttribute
  case resultTooLarge
  case notSupported
  /// A request that makes no sense, in words for the person who made it.
  case invalid(String)

  /// Face one: what the kernel is told.
  package var errno: ErrnoName {
    switch self {
    case .accessNotGranted, .accessRevoked, .callerNotVisible, .tooManyScopes, .deviceLocked: .EPERM
    case .noSuchItem: .ENOENT
    case .notADirectory: .ENOTDIR
    case .isADirectory: .EISDIR
    case .notASymbolicLink, .invalid: .EINVAL
    case .readOnly: .EROFS
    case .sourceChanged: .ESTALE
    case .source(let name), .released(let name), .fault(let name), .unreachable(let name),
      .translated(_, let name), .content(let name, _):
      name
    case .materializationForbidden: .EDEADLK
    case .provider(let name): name.errno
    case .cocoa(let name): name.errno
    case .interrupted: .EINTR
    case .canceled: .ECANCELED
    case .stopping: .ECONNABORTED
    case .busy, .nonEvictableChild: .EBUSY
    case .badHandle: .EBADF
    case .noSuchAttribute: .ENODATA
    case .resultTooLarge: .ERANGE
    case .notSupported: .EOPNOTSUPP
    }
  }

  /// The error's name in events and in the control protocol.
  package var name: String {
    switch self {
    case .accessNotGranted: "accessNotGranted"
    case .accessRevoked: "accessRevoked"
    case .callerNotVisible: "callerNotVisible"
    case .tooManyScopes: "tooManyScopes"
    case .noSuchItem: "noSuchItem"
    case .notADirectory: "notADirectory"
    case .isADirectory: "isADirectory"
    case .notASymbolicLink: "notASymbolicLink"
    case .readOnly: "readOnly"
    case .sourceChanged: "sourceChanged"
    case .source: "source"
    case .provider(let name), .translated(let name, _): name.rawValue
    case .cocoa(let name): name.rawValue
    case .unreachable: "unreachable"
    case .deviceLocked: "deviceLocked"
    case .materializationForbidden: "materializationForbidden"
    case .fault: "fault"
    case .released: "released"
    case .interrupted: "interrupted"
    case .canceled: "canceled"
    case .content: "content"
    case .stopping: "stopping"
    case .busy: "busy"
    case .nonEvictableChild: FileProviderErrorName.nonEvictableChildren.rawValue
    case .badHandle: "badHandle"
    case .noSuchAttribute: "noSuchAttribute"
    case .resultTooLarge: "resultTooLarge"
    case .notSupported: "notSupported"
    case .invalid: "invalid"
    }
  }

  /// What happened and what to do, for a person; which item is said by who prints it.
  package var explanation: String {
    switch self {
    case .accessNotGranted:
      "no started security scope covers it: call startAccessingSecurityScopedResource() first, or run "
        + "the command under 'fakeprovider access'"
    case .accessRevoked: "access was revoked; 'fakeprovider restore' gives it back"
    case .callerNotVisible:
      "the request came from a process that the provider cannot see (another pid namespace?), so no "
        + "scope can be checked"
    case .tooManyScopes: "the process has reached access.scopeLimit; stop scopes that are not needed"
    case .noSuchItem: "there is no such item"
    case .notADirectory: "it is not a directory"
    case .isADirectory: "it is a directory"
    case .notASymbolicLink: "it is not a symbolic link"
    case .readOnly: "the provider is read-only for apps"
    case .sourceChanged: "the file in the source folder changed while it was in use; open it again"
    case .source(let name): "the file in the source folder could not be read (\(name.rawValue))"
    case .provider(.nonEvictable), .translated(.nonEvictable, _):
      "the provider answered nonEvictable: what is pinned stays; 'fakeprovider unpin' lets it go"
    case .provider(let name), .translated(let name, _): "the provider answered \(name.rawValue)"
    case .unreachable(let name):
      "the volume cannot be reached (\(name.rawValue)); 'fakeprovider provider online' brings it back"
    case .deviceLocked: "the device is locked, and the file's key with it; 'fakeprovider device unlock'"
    case .materializationForbidden:
      "the process may not have it downloaded by reading it (process.materialize, process.forbid); a coordinated "
        + "read may"
    case .cocoa(let name): "the system answered \(name.rawValue)"
    case .fault(let name): "a rule fails it with \(name.rawValue)"
    case .released(let name): "its hold was released with \(name.rawValue)"
    case .interrupted: "the reader gave up"
    case .canceled: "it was canceled"
    case .stopping: "the provider is unmounting"
    case .nonEvictableChild(let reason):
      "the package was evicted only as far as this item (nonEvictableChildren): \(reason.explanation); the rest stays as"
        + " it fell"
    case .busy: "it is open; close it first"
    case .badHandle: "the file handle is not open"
    case .noSuchAttribute: "there is no such extended attribute"
    case .resultTooLarge: "the buffer is too small"
    case .notSupported: "the provider does not support this"
    case .content(_, let text), .invalid(let text): text
    }
  }
}
