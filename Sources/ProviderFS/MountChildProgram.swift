import CLinux
import Glibc
import ProviderControl
import ProviderHost
import ProviderModel

/// The program of the mount's own child: it makes remote changes with the system calls that a program would make.
package enum MountChildProgram {
  /// The first word of its command line.
  package static let word = "mount-child"
  /// Where it finds its end of the socket.
  package static let socket: Int32 = 3

  /// Serves until the provider closes its end, or is gone.
  package static func run(mountpoint: [UInt8]) -> Never {
    // Whatever else the provider has open must not stay open when it is killed.
    _ = clinux_close_from(socket + 1)
    let nothing = clinux_openat(AT_FDCWD, "/dev/null", O_RDWR)
    // Nor may whoever reads the provider's output wait for this end of it.
    for stream in [STDIN_FILENO, STDOUT_FILENO] where nothing >= 0 { dup2(nothing, stream) }
    let connection = LineSocket(adopting: socket)
    while let request = try? connection.receive(ChildRequest.self) {
      // A thread each: one may have to wait in the kernel for a lock that others do not need.
      Threads.start("change") {
        let error = MountChanges.carryOut(request, mountpoint: mountpoint)
        try? connection.send(ChildReply(id: request.id, errno: error.map { ErrnoName(number: $0).rawValue }))
      }
    }
    // Not exit: others of its threads may be in the kernel for as long as a request of theirs is not answered.
    _exit(0)
  }
}

/// One change, by system calls. All return the errno's number, nil when done.
private enum MountChanges {
  static func carryOut(_ request: ChildRequest, mountpoint: [UInt8]) -> Int32? {
    inFolder(of: request.path, mountpoint) { folder, name in
      switch request.kind {
      case .write: return write(folder, name)
      case .create:
        if mknodat(folder, name, S_IFREG | 0o600, 0) != 0 { return errno }
        return write(folder, name)
      case .makeDirectory: return mkdirat(folder, name, 0o700) == 0 ? nil : errno
      case .delete: return delete(folder, name)
      case .move:
        guard let to = request.to else { return EINVAL }
        return inFolder(of: to, mountpoint) { target, newName in
          renameat(folder, name, target, newName) == 0 ? nil : errno
        }
      }
    }
  }

  /// As a program does that writes and then sets the times; the bytes are there already.
  private static func write(_ folder: Int32, _ name: [CChar]) -> Int32? {
    let file = openBytes(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return errno }
    defer { close(file) }
    guard clinux_say_written(file) == 0, futimens(file, nil) == 0 else { return errno }
    return nil
  }

  /// As rm -r does it.
  private static func delete(_ folder: Int32, _ name: [CChar]) -> Int32? {
    if unlinkat(folder, name, AT_REMOVEDIR) == 0 { return nil }
    switch errno {
    case ENOTDIR: return unlinkat(folder, name, 0) == 0 ? nil : errno
    case ENOTEMPTY: break
    case let other: return other
    }
    let inner = openBytes(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    guard inner >= 0 else { return errno }
    guard let listing = fdopendir(inner) else {
      defer { close(inner) }
      return errno
    }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let entryName = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name -> [CChar] in
          Array(UnsafeBufferPointer(start: name, count: strnlen(name, 255))) + [0]
        }
      }
      if entryName == [0x2E, 0] || entryName == [0x2E, 0x2E, 0] { continue }
      if let error = delete(inner, entryName) { return error }
    }
    return unlinkat(folder, name, AT_REMOVEDIR) == 0 ? nil : errno
  }

  /// Goes down name by name, since a path may be longer than one system call takes.
  private static func inFolder(
    of path: WirePath, _ mountpoint: [UInt8], _ body: (Int32, [CChar]) -> Int32?
  ) -> Int32? {
    var names = path.bytes.split(separator: 0x2F).map { $0.map(CChar.init(bitPattern:)) + [0] }
    guard let last = names.popLast() else { return EINVAL }
    let root = mountpoint.map(CChar.init(bitPattern:)) + [0]
    var folder = openBytes(AT_FDCWD, root, Int32(CLINUX_O_PATH) | O_DIRECTORY)
    for name in names where folder >= 0 {
      let next = openBytes(folder, name, Int32(CLINUX_O_PATH) | O_DIRECTORY | O_NOFOLLOW)
      let error = errno
      close(folder)
      errno = error
      folder = next
    }
    guard folder >= 0 else { return errno }
    defer { close(folder) }
    return body(folder, last)
  }

  private static func openBytes(_ folder: Int32, _ name: [CChar], _ flags: Int32) -> Int32 {
    name.withUnsafeBufferPointer { name in
      name.baseAddress.map { clinux_openat(folder, $0, flags) } ?? -1
    }
  }
}
