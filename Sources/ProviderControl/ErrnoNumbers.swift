import Glibc
package import ProviderModel

extension ErrnoName {
  /// This system's number.
  package var number: Int32 {
    switch self {
    case .EPERM: Glibc.EPERM
    case .ENOENT: Glibc.ENOENT
    case .EINTR: Glibc.EINTR
    case .EIO: Glibc.EIO
    case .ENXIO: Glibc.ENXIO
    case .EBADF: Glibc.EBADF
    case .EAGAIN: Glibc.EAGAIN
    case .EACCES: Glibc.EACCES
    case .EBUSY: Glibc.EBUSY
    case .EEXIST: Glibc.EEXIST
    case .EXDEV: Glibc.EXDEV
    case .ENODEV: Glibc.ENODEV
    case .ENOTDIR: Glibc.ENOTDIR
    case .EISDIR: Glibc.EISDIR
    case .EINVAL: Glibc.EINVAL
    case .EFBIG: Glibc.EFBIG
    case .ENOSPC: Glibc.ENOSPC
    case .EROFS: Glibc.EROFS
    case .EMLINK: Glibc.EMLINK
    case .ERANGE: Glibc.ERANGE
    case .EDEADLK: Glibc.EDEADLK
    case .ENAMETOOLONG: Glibc.ENAMETOOLONG
    case .ENOTEMPTY: Glibc.ENOTEMPTY
    case .ELOOP: Glibc.ELOOP
    case .ENODATA: Glibc.ENODATA
    case .EOPNOTSUPP: Glibc.EOPNOTSUPP
    case .ECONNABORTED: Glibc.ECONNABORTED
    case .ECONNRESET: Glibc.ECONNRESET
    case .ENOTCONN: Glibc.ENOTCONN
    case .ETIMEDOUT: Glibc.ETIMEDOUT
    case .EHOSTUNREACH: Glibc.EHOSTUNREACH
    case .ESTALE: Glibc.ESTALE
    case .EDQUOT: Glibc.EDQUOT
    case .ECANCELED: Glibc.ECANCELED
    case .ENOMEM: Glibc.ENOMEM
    case .EMFILE: Glibc.EMFILE
    case .ENFILE: Glibc.ENFILE
    }
  }

  /// The name of one of this system's numbers; EIO for one that has none here.
  package init(number: Int32) {
    self = ErrnoName.allCases.first { $0.number == number } ?? .EIO
  }
}
