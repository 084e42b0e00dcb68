/// What rules, holds and events call an operation: the kernel's word for a request of its own, and three that are
/// not the kernel's.
package enum OperationName: String, Sendable, CaseIterable {
  case lookup, getattr, readlink, open, read, opendir, readdir, statfs, getxattr, listxattr, setxattr, fsync
  /// Every request that would change something (mkdir, rename, unlink …).
  case change
  /// The transfer that makes an item local.
  case download
  /// A coordinated access (Apple: NSFileCoordinator), before it is scheduled.
  case coordinate
  /// The call that starts access (Apple: startAccessingSecurityScopedResource), and the one that stops it.
  case start, stop

  /// Whether it only looks: nothing is opened, listed by a person's wish, or changed by it, and desktops do it all
  /// the time.
  package var looksAround: Bool {
    switch self {
    case .lookup, .getattr, .readlink, .readdir, .statfs, .getxattr, .listxattr: true
    case .open, .read, .opendir, .setxattr, .fsync, .change, .download, .coordinate, .start, .stop: false
    }
  }
}

/// The kernel's words for the requests that are `change`.
package enum ChangeName: String, Sendable, CaseIterable {
  case setattr, mknod, mkdir, unlink, rmdir, symlink, rename, link, create, write, fallocate, removexattr
}

extension Operation {
  /// What rules and holds call it.
  package var kind: OperationName {
    switch self {
    case .lookup: .lookup
    case .getAttributes: .getattr
    case .readLink: .readlink
    case .open: .open
    case .read: .read
    case .openDirectory: .opendir
    case .readDirectory: .readdir
    case .statistics: .statfs
    case .getAttribute: .getxattr
    case .listAttributes: .listxattr
    case .setAttribute: .setxattr
    case .synchronize: .fsync
    case .change: .change
    }
  }
}
