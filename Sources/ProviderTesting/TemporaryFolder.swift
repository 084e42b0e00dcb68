#if os(Linux)

  internal import Glibc

  /// A private folder below TMPDIR, without symbolic links in its path.
  enum TemporaryFolder {
    static var parent: String {
      let given = getenv("TMPDIR").map { String(cString: $0) } ?? ""
      return given.isEmpty ? "/tmp" : given
    }

    static func make() throws -> String {
      var template = Array((parent + "/fpXXXXXX").utf8CString)
      guard mkdtemp(&template) != nil else { throw ProviderFailure.system(call: "mkdtemp", errno: errno) }
      guard let resolved = realpath(template, nil) else {
        throw ProviderFailure.system(call: "realpath", errno: errno)
      }
      defer { free(resolved) }
      return String(cString: resolved)
    }
  }

#endif
