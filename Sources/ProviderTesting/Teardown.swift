#if os(Linux)

  internal import CLinux
  internal import Glibc
  internal import ProviderControl

  /// Ending what is left, from outside: nothing here asks a mount anything, since it may never answer.
  enum Teardown {
    /// Kills the process if it still runs, takes its mount away and removes its folder.
    static func kill(_ process: ChildProcess, socket: String? = nil, folder: String, mountpoint: String) {
      process.send(signal: SIGKILL)
      // A process that was killed ends at once, unless it hangs in a mount itself; aborting that frees it.
      if process.waitForEnd(timeout: .seconds(2)) == nil { detach(mountpoint) }
      _ = process.waitForEnd(timeout: .seconds(5))
      // One that ended by itself has removed its socket.
      if case .signaled = process.hasEnded {
        let socket = socket ?? (try? mount(at: mountpoint)).map { String(decoding: $0.socket, as: UTF8.self) }
        if let socket { unlink(socket) }
      }
      remove(folder: folder, mountpoint: mountpoint)
    }

    static func remove(folder: String, mountpoint: String) {
      if isMounted(mountpoint) { detach(mountpoint) }
      // What is still mounted must not be touched, and its folder would be busy anyway.
      if isMounted(mountpoint) { return }
      rmdir(mountpoint)
      rmdir(folder)
    }

    /// The provider mounted exactly there.
    static func mount(at mountpoint: String) throws -> ProviderMount? {
      do {
        return try MountTable.current().providers.last { $0.mountpoint == Array(mountpoint.utf8) }
      } catch {
        throw ProviderFailure(error, during: "reading the mount table")
      }
    }

    private static func isMounted(_ mountpoint: String) -> Bool {
      (try? MountTable.current().isMountpoint(Array(mountpoint.utf8))) ?? true
    }

    /// Aborts the connection, so that everyone who waits in the mount gets ECONNABORTED, and takes the mount
    /// out of the tree.
    private static func detach(_ mountpoint: String) {
      // The first says "busy" and aborts all the same.
      umount2(mountpoint, Int32(MNT_FORCE))
      if umount2(mountpoint, Int32(MNT_DETACH)) == 0 || errno != EPERM { return }
      let helper = try? ChildProcess(["fusermount3", "-u", "-z", "--", mountpoint])
      _ = helper?.waitForEnd(timeout: .seconds(5))
    }
  }

  /// Where `fakeprovider` is.
  package enum Executable {
    package static func find() throws -> String {
      if let given = getenv("FAKEPROVIDER").map({ String(cString: $0) }), !given.isEmpty {
        guard access(given, X_OK) == 0 else {
          throw ProviderFailure.executableNotFound(tried: ["FAKEPROVIDER=\(given)"])
        }
        return given
      }
      let path = getenv("PATH").map { String(cString: $0) } ?? ""
      let folders = [folderOfThisExecutable()].compactMap { $0 } + path.split(separator: ":").map(String.init)
      let candidates = folders.map { $0 + "/fakeprovider" }
      guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
        throw ProviderFailure.executableNotFound(tried: candidates)
      }
      return found
    }

    /// SwiftPM puts a package's executables and its test bundle into one folder, and the bundle is what runs.
    private static func folderOfThisExecutable() -> String? {
      guard let file = realpath("/proc/self/exe", nil) else { return nil }
      defer { free(file) }
      let text = String(cString: file)
      return text.lastIndex(of: "/").map { String(text[..<$0]) }
    }
  }

  extension ChildProcess {
    /// By a signal (SIGSTOP).
    var isStopped: Bool {
      let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &buffer, buffer.count)
      // The name in parentheses may hold anything.
      guard count > 0, let end = buffer[..<count].lastIndex(of: 0x29), end + 2 < count else { return false }
      return buffer[end + 2] == 0x54
    }
  }

#endif
