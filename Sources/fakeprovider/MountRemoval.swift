import CLinux
import Glibc

/// Taking a mount away without ever asking it anything: it may be stuck.
enum MountRemoval {
  /// Detaches the mount at `mountpoint`; what is still open there ends with its provider.
  /// - Returns: why not, in words; nil when it is gone.
  static func detach(_ mountpoint: String) -> String? {
    if umount2(mountpoint, Int32(MNT_DETACH)) == 0 || errno == EINVAL || errno == ENOENT { return nil }
    let reason = String(cString: strerror(errno))
    guard errno == EPERM else { return "cannot unmount \(mountpoint): \(reason)" }
    // An ordinary user's mount is taken away by the helper that made it.
    let status = Subprocess.run(["fusermount3", "-u", "-z", "--", mountpoint])
    if status == 0 { return nil }
    let hint =
      access("/etc/mtab", F_OK) == 0
      ? "" : "; it needs /etc/mtab, which is missing: as root, ln -s /proc/self/mounts /etc/mtab"
    return "cannot unmount \(mountpoint): fusermount3 failed (\(status))\(hint)"
  }

  /// Ends every request to a mount whose provider does not answer; needs root.
  static func abort(_ mountpoint: String) { _ = umount2(mountpoint, Int32(MNT_FORCE)) }
}

/// A short-lived helper, found in PATH.
enum Subprocess {
  /// - Returns: its exit code, 128 and the signal's number when a signal ended it, 127 when it cannot be run.
  static func run(_ words: [String]) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard posix_spawnp(&process, words[0], nil, nil, &arguments, environ) == 0 else { return 127 }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
