import Glibc

// The few questions that profiles have for the file system.

enum FileReading {
  /// All bytes of a file; one more than `limit` at most, so that a reader that has the same limit can say so.
  static func bytes(of path: String, limit: Int) throws(ProfileLoadError) -> [UInt8] {
    // A FIFO that nobody writes to is empty; opening it plainly would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { _ = close(descriptor) }
    guard fcntl(descriptor, F_SETFL, 0) == 0 else { throw unreadable(path) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = read(descriptor, &chunk, min(chunk.count, limit + 1 - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  static func names(in folder: String) throws(ProfileLoadError) -> [String] {
    guard let directory = opendir(folder) else { throw unreadable(folder) }
    defer { _ = closedir(directory) }
    var names: [String] = []
    // An entry is only as long as its name, so the whole structure must not be copied.
    guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return names }
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      let name = UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
      names.append(String(cString: name))
    }
    guard errno == 0 else { throw unreadable(folder) }
    return names
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func resolved(_ path: String) throws(ProfileLoadError) -> String {
    guard let resolved = realpath(path, nil) else { throw unreadable(path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func unreadable(_ path: String) -> ProfileLoadError {
    .unreadable(path: path, reason: strerror(errno).map { String(cString: $0) } ?? "error \(errno)")
  }
}
