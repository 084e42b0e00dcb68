import Glibc

/// Why no private directory for sockets can be had, in words for a person.
package struct RuntimeDirectoryProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

/// Where the control sockets are: `$XDG_RUNTIME_DIR/fakeprovider`, else `/tmp/fakeprovider-UID`. It is private:
/// ours, mode 0700, and no symbolic link, so that nobody else can put a socket there.
package enum RuntimeDirectory {
  /// Makes the directory if it is not there.
  package static func prepared() throws(RuntimeDirectoryProblem) -> String {
    let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    return try prepared(runtimeDirectory: runtime, fallbackParent: "/tmp", user: geteuid())
  }

  /// - Parameter runtimeDirectory: taken if it is an absolute path to a directory that `user` owns.
  package static func prepared(
    runtimeDirectory: String?, fallbackParent: String, user: UInt32
  ) throws(RuntimeDirectoryProblem) -> String {
    if let runtimeDirectory, runtimeDirectory.hasPrefix("/"), isOurs(runtimeDirectory, user) {
      return try privateDirectory(runtimeDirectory + "/fakeprovider", user)
    }
    return try privateDirectory("\(fallbackParent)/fakeprovider-\(user)", user)
  }

  private static func isOurs(_ path: String, _ user: UInt32) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_uid == user && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func privateDirectory(
    _ path: String, _ user: UInt32
  ) throws(RuntimeDirectoryProblem) -> String {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw RuntimeDirectoryProblem(
        description: "cannot make \(path): \(String(cString: strerror(errno)))")
    }
    var status = stat()
    // lstat: a link to a directory of ours could be turned to elsewhere by who owns the link.
    guard lstat(path, &status) == 0 else {
      throw RuntimeDirectoryProblem(
        description: "cannot look at \(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw RuntimeDirectoryProblem(description: "\(path) is not a directory; remove it")
    }
    guard status.st_uid == user else {
      throw RuntimeDirectoryProblem(
        description: "\(path) belongs to user \(status.st_uid), not \(user); set XDG_RUNTIME_DIR")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw RuntimeDirectoryProblem(
        description: "\(path) is open to other users; remove it, or: chmod 700 \(path)")
    }
    return path
  }
}
