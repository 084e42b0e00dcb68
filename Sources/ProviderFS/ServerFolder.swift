import CLinux
import Glibc
import ProviderControl
package import ProviderHost
package import ProviderModel

/// The source folder: the server's content. It is read and never touched: through a read-only clone of its
/// mount that keeps no access times where the kernel permits one, else with O_NOATIME, else plainly.
package final class ServerFolder: Sendable {
  package enum Protection: Sendable {
    case readOnlyClone
    case noAccessTimes
    /// Reading may change access times; the person who mounts is told.
    case none
  }

  package let protection: Protection
  package let root: SourceItem
  private let directory: Int32
  /// Added to every open of content.
  private let flags: Int32

  package init(path: String, features: KernelFeatures) throws(SystemError) {
    let clone = features.readOnlyClone ? clinux_clone_read_only(path) : -1
    if clone >= 0 {
      directory = clone
      protection = .readOnlyClone
      flags = 0
    } else {
      directory = clinux_openat(AT_FDCWD, path, CLINUX_O_PATH_FLAG | O_DIRECTORY)
      if directory < 0 { throw SystemError("cannot open the source folder \(path)") }
      let isOurs = ServerFolder.permitsNoAccessTimes(directory)
      protection = isOurs ? .noAccessTimes : .none
      flags = isOurs ? CLINUX_O_NOATIME_FLAG : 0
    }
    let probe = clinux_openat(directory, ".", O_RDONLY | O_DIRECTORY | flags)
    if probe < 0 { throw SystemError("cannot read the source folder \(path)") }
    close(probe)
    var status = stat()
    if fstatat(directory, ".", &status, 0) != 0 {
      throw SystemError("cannot look at the source folder \(path)")
    }
    root = SourceItem(status)
  }

  // MARK: Listing

  package func list(_ path: ItemPath) -> Result<[ListedItem], ErrnoName> {
    let descriptor: Int32
    switch open(path, O_RDONLY | O_DIRECTORY) {
    case .success(let opened): descriptor = opened
    case .failure(let error): return .failure(error)
    }
    guard let stream = fdopendir(descriptor) else {
      let error = ErrnoName(number: errno)
      close(descriptor)
      return .failure(error)
    }
    defer { closedir(stream) }
    var items: [ListedItem] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        return errno == 0 ? .success(items) : .failure(ErrnoName(number: errno))
      }
      guard let name = Name(ServerFolder.name(of: entry)) else { continue }
      var status = stat()
      // One that went away while we looked is not listed.
      guard fstatat(descriptor, name.cString, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      items.append(ListedItem(name: name, item: SourceItem(status)))
    }
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: UInt8.self, capacity: 256) {
        Array(
          UnsafeBufferPointer(
            start: $0, count: strnlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self), 256)))
      }
    }
  }

  // MARK: Content

  /// Opens a file's content and says what it is now.
  package func openContent(_ path: ItemPath) -> Result<(descriptor: Int32, item: SourceItem), ErrnoName> {
    // Not blocking: a FIFO that took a file's place must not hold a receive thread.
    open(path, O_RDONLY | O_NONBLOCK).flatMap { descriptor in
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        let error = ErrnoName(number: errno)
        close(descriptor)
        return .failure(error)
      }
      return .success((descriptor, SourceItem(status)))
    }
  }

  package func linkTarget(_ path: ItemPath) -> Result<[CChar], ErrnoName> {
    withPathDescriptor(path) { descriptor in
      var target = [CChar](repeating: 0, count: 4097)
      let count = readlinkat(descriptor, "", &target, 4096)
      return count < 0 ? .failure(ErrnoName(number: errno)) : .success(Array(target[..<(count + 1)]))
    }
  }

  /// - Parameter capacity: 0 asks for the length alone, which is what the array then has.
  package func attribute(_ path: ItemPath, _ name: [UInt8], capacity: Int) -> Result<[UInt8], ErrnoName> {
    extendedAttributes(path, capacity) { link, buffer, size in
      getxattr(link, name.map(CChar.init(bitPattern:)) + [0], buffer, size)
    }
  }

  /// The names of its attributes of the `user` class, each ended by a NUL.
  package func attributeNames(_ path: ItemPath) -> Result<[UInt8], ErrnoName> {
    extendedAttributes(path, 65_536) { link, buffer, size in
      listxattr(link, buffer?.assumingMemoryBound(to: CChar.self), size)
    }.map { names in
      names.split(separator: 0).filter { $0.starts(with: "user.".utf8) }.flatMap { $0 + [0] }
    }
  }

  var statistics: statvfs {
    var result = statvfs()
    fstatvfs(directory, &result)
    return result
  }

  // MARK: -

  private func extendedAttributes(
    _ path: ItemPath, _ capacity: Int, _ call: ([CChar], UnsafeMutableRawPointer?, Int) -> Int
  ) -> Result<[UInt8], ErrnoName> {
    withPathDescriptor(path) { descriptor in
      // A descriptor made with O_PATH takes no attribute calls itself.
      let link = Array("/proc/self/fd/\(descriptor)".utf8CString)
      var value = [UInt8](repeating: 0, count: max(0, capacity))
      let count = value.withUnsafeMutableBytes { call(link, capacity > 0 ? $0.baseAddress : nil, capacity) }
      if count < 0 {
        return .failure(errno == ENOTSUP ? .ENODATA : ErrnoName(number: errno))
      }
      return .success(capacity > 0 ? Array(value[..<count]) : [UInt8](repeating: 0, count: count))
    }
  }

  private func withPathDescriptor<Value>(
    _ path: ItemPath, _ body: (Int32) -> Result<Value, ErrnoName>
  ) -> Result<Value, ErrnoName> {
    open(path, CLINUX_O_PATH_FLAG).flatMap { descriptor in
      defer { close(descriptor) }
      return body(descriptor)
    }
  }

  /// Never follows a link and never leaves the folder, whatever somebody puts into the source meanwhile.
  private func open(_ path: ItemPath, _ mode: Int32) -> Result<Int32, ErrnoName> {
    var pieces = path.pieces(limit_bytes: 4000)
    let last = pieces.popLast() ?? [0x2E, 0]
    var current = directory
    for piece in pieces {
      let next = clinux_open_beneath(current, piece, CLINUX_O_PATH_FLAG | O_DIRECTORY)
      let error = errno
      if current != directory { close(current) }
      if next < 0 { return .failure(ErrnoName(number: error)) }
      current = next
    }
    let isPath = mode & CLINUX_O_PATH_FLAG != 0
    let descriptor = clinux_open_beneath(current, last, isPath ? mode : mode | flags)
    let error = errno
    if current != directory { close(current) }
    return descriptor < 0 ? .failure(ErrnoName(number: error)) : .success(descriptor)
  }

  private static func permitsNoAccessTimes(_ directory: Int32) -> Bool {
    let probe = clinux_openat(directory, ".", O_RDONLY | O_DIRECTORY | CLINUX_O_NOATIME_FLAG)
    if probe >= 0 { close(probe) }
    return probe >= 0
  }
}

private let CLINUX_O_PATH_FLAG = Int32(CLINUX_O_PATH)
private let CLINUX_O_NOATIME_FLAG = Int32(CLINUX_O_NOATIME)

extension Name {
  var cString: [CChar] { bytes.map(CChar.init(bitPattern:)) + [0] }
}

extension ItemPath {
  /// The path in C strings that are short enough for one system call each.
  fileprivate func pieces(limit_bytes: Int) -> [[CChar]] {
    var pieces: [[CChar]] = []
    var piece: [UInt8] = []
    for name in names {
      if piece.count + name.bytes.count + 1 > limit_bytes {
        pieces.append(piece.map(CChar.init(bitPattern:)) + [0])
        piece = []
      }
      piece += (piece.isEmpty ? [] : [0x2F]) + name.bytes
    }
    if !piece.isEmpty { pieces.append(piece.map(CChar.init(bitPattern:)) + [0]) }
    return pieces
  }
}

extension SourceItem {
  init(_ status: stat) {
    let kind: ItemKind =
      switch status.st_mode & S_IFMT {
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      case S_IFCHR: .characterDevice
      case S_IFBLK: .blockDevice
      default: .file
      }
    self.init(
      kind: kind, permissions: UInt16(status.st_mode & 0o7777), user: status.st_uid, group: status.st_gid,
      accessed: FileTime(status.st_atim),
      stamp: SourceStamp(
        device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
        modified: FileTime(status.st_mtim), changed: FileTime(status.st_ctim)))
  }
}

extension FileTime {
  fileprivate init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
  }
}
