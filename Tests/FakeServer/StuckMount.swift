import CLinux
import Glibc
import ProviderControl
import ProviderModel

/// A mounted provider whose file system never answers: whoever asks the mount anything hangs.
///
/// It shows that finding the provider and talking to it needs no answer from the mount. Needs root.
package final class StuckMount: Sendable {
  package static var isPossible: Bool { geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0 }

  package let mountpoint: String
  private let directory: TemporaryDirectory
  private let device: Int32

  /// - Parameter socket: what the mount table says the control socket is.
  package init(socket: String) throws {
    directory = try TemporaryDirectory()
    let mountpoint = directory.path + "/a provider"
    let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
    (self.mountpoint, self.device) = (mountpoint, device)
    guard device >= 0, mkdir(mountpoint, 0o700) == 0 else {
      throw ConnectionProblem.system(ErrnoName(number: errno), call: "open /dev/fuse")
    }
    let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0"
    let result = mount(
      MountTable.sourcePrefix + socket, mountpoint, MountTable.fileSystemType,
      UInt(MS_NOSUID) | UInt(MS_NODEV),
      options)
    guard result == 0 else { throw ConnectionProblem.system(ErrnoName(number: errno), call: "mount") }
  }

  deinit {
    umount2(mountpoint, Int32(MNT_DETACH))
    // The end of the device ends every request that still waits.
    close(device)
  }
}
