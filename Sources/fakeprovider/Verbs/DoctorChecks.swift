import Glibc
import ProviderControl
import ProviderHost

// What doctor concludes from what it saw. Every check is a function of values, so that tests can show it
// machines that are not at hand.

/// One line of doctor's answer.
struct Diagnosis: Hashable, Sendable, Encodable {
  enum Level: String, Sendable, Encodable {
    case ok
    /// It limits something; mounting works.
    case note
    /// It prevents mounting.
    case problem
  }
  var check: String
  var level: Level
  var says: String
  var mend: String?
}

/// What /dev/fuse looks like.
enum DeviceState: Hashable, Sendable {
  case missing
  /// - Parameter openError: the errno of opening it for reading and writing; nil when that worked.
  case present(mode: UInt32, openError: Int32?)
}

/// What the kernel says of this process in /proc/self/status.
struct Privileges: Hashable, Sendable {
  var isRoot: Bool
  var mayMount: Bool
  /// Whether a set-user-id helper could still get the right to mount.
  var helperMayMount: Bool

  private static let sysAdmin: UInt64 = 1 << 21

  init(isRoot: Bool, mayMount: Bool, helperMayMount: Bool) {
    self.isRoot = isRoot
    self.mayMount = mayMount
    self.helperMayMount = helperMayMount
  }

  /// - Parameter status: the text of /proc/self/status. What it does not say counts as permitted: the mount
  ///   itself will tell.
  init(user: UInt32, status: String) {
    var fields: [Substring: Substring] = [:]
    for line in status.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == "\t" || $0 == " " }
    }
    let has = { (field: Substring) in
      fields[field].flatMap { UInt64($0, radix: 16) }.map { $0 & Self.sysAdmin != 0 } ?? true
    }
    isRoot = user == 0
    mayMount = has("CapEff") && (isRoot || fields["CapEff"] != nil)
    helperMayMount = has("CapBnd") && fields["NoNewPrivs"] != "1"
  }
}

struct HelperFile: Hashable, Sendable {
  var path: String
  var mode: UInt32
  var owner: UInt32
}

enum Checks {
  static func device(_ state: DeviceState, _ privileges: Privileges) -> Diagnosis {
    let check = "device"
    switch state {
    case .missing:
      return Diagnosis(
        check: check, level: .problem, says: "/dev/fuse is missing",
        mend: "load the kernel module: sudo modprobe fuse; in a container, start it with "
          + "--device /dev/fuse --cap-add SYS_ADMIN")
    case .present(let mode, let openError?):
      let octal = String(mode & 0o7777, radix: 8)
      if openError == EACCES {
        return Diagnosis(
          check: check, level: .problem, says: "/dev/fuse has mode 0\(octal): only root can mount",
          mend: "sudo chmod 666 /dev/fuse; to keep it over a restart, write KERNEL==\"fuse\", MODE=\"0666\" "
            + "into /etc/udev/rules.d/99-fuse.rules")
      }
      if openError == EPERM {
        return Diagnosis(
          check: check, level: .problem, says: "/dev/fuse is there, but this container may not use it",
          mend: "start the container with --device /dev/fuse")
      }
      return Diagnosis(
        check: check, level: .problem,
        says: "/dev/fuse cannot be opened: \(String(cString: strerror(openError)))",
        mend: "load the kernel module: sudo modprobe fuse")
    case .present(let mode, nil):
      if privileges.isRoot, mode & 0o006 != 0o006 {
        return Diagnosis(
          check: check, level: .note,
          says: "/dev/fuse has mode 0\(String(mode & 0o7777, radix: 8)): only root can mount, as you are",
          mend: "for other users: sudo chmod 666 /dev/fuse")
      }
      return Diagnosis(check: check, level: .ok, says: "/dev/fuse is there and can be opened")
    }
  }

  static func mountRight(_ privileges: Privileges) -> Diagnosis {
    let check = "right-to-mount"
    if privileges.mayMount {
      return Diagnosis(check: check, level: .ok, says: "this process may mount")
    }
    if !privileges.isRoot, privileges.helperMayMount {
      return Diagnosis(check: check, level: .ok, says: "fusermount3 mounts for ordinary users")
    }
    return Diagnosis(
      check: check, level: .problem, says: "this process may not mount (no CAP_SYS_ADMIN)",
      mend: "start the container with --cap-add SYS_ADMIN (on Ubuntu and Debian also "
        + "--security-opt apparmor=unconfined), and without no-new-privileges")
  }

  /// Root mounts without it, so for root its lack is a note.
  static func helper(_ file: HelperFile?, _ privileges: Privileges) -> Diagnosis {
    let check = "fusermount3"
    let trouble: Diagnosis.Level = privileges.mayMount ? .note : .problem
    guard let file else {
      return Diagnosis(
        check: check, level: trouble, says: "fusermount3 is not on the PATH: ordinary users cannot mount",
        mend: "sudo apt-get install fuse3")
    }
    if file.mode & 0o4000 == 0 || file.owner != 0 {
      return Diagnosis(
        check: check, level: trouble,
        says: "\(file.path) is not set-user-id root: ordinary users cannot mount",
        mend: "sudo chown root \(file.path) && sudo chmod 4755 \(file.path)")
    }
    return Diagnosis(check: check, level: .ok, says: "\(file.path) is there, set-user-id root")
  }

  /// - Parameter text: what /etc/fuse.conf says; nil when it cannot be read.
  static func allowOther(_ text: String?, _ privileges: Privileges) -> Diagnosis {
    let check = "user_allow_other"
    let lines = (text ?? "").split(separator: "\n").map { line in
      line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
    }
    if lines.contains("user_allow_other") {
      return Diagnosis(check: check, level: .ok, says: "/etc/fuse.conf has user_allow_other")
    }
    if privileges.mayMount {
      return Diagnosis(check: check, level: .ok, says: "root needs no user_allow_other in /etc/fuse.conf")
    }
    return Diagnosis(
      check: check, level: .note,
      says: "/etc/fuse.conf has no user_allow_other: other users, root among them, cannot look into your "
        + "mounts",
      mend: "add a line user_allow_other to /etc/fuse.conf, if they should")
  }

  static func staleMounts(_ mounts: [ProviderMount], answers: (ProviderMount) -> Bool) -> [Diagnosis] {
    let check = "stale-mounts"
    let stale = mounts.filter { !answers($0) }
    if stale.isEmpty {
      let count = mounts.count
      let says = count == 0 ? "nothing left over" : "nothing left over; \(count) running"
      return [Diagnosis(check: check, level: .ok, says: says)]
    }
    return stale.map { mount in
      let mountpoint = Argument(bytes: mount.mountpoint)
      return Diagnosis(
        check: check, level: .note,
        says: "\(mountpoint.text) is left over from a provider that no longer answers",
        mend: "fakeprovider unmount \(mountpoint.shellWord)")
    }
  }

  static func kernel(_ features: KernelFeatures, release: String, mask: String?) -> [Diagnosis] {
    let masked = mask.map { " (masked as \($0) by \(KernelFeatures.maskVariable))" } ?? ""
    var result = [Diagnosis(check: "kernel", level: .ok, says: "Linux \(release)\(masked)")]
    for feature in KernelFeature.allCases {
      let has = features.has(feature)
      result.append(
        Diagnosis(
          check: "kernel-\(feature.rawValue)", level: has ? .ok : .note,
          says: "\(feature.title), since \(feature.floor)" + (has ? "" : ": not here; \(feature.fallback)")))
    }
    return result
  }

  /// - Parameter refused: the errno of asking for real-time scheduling; nil when it was granted.
  static func realTime(refused: Int32?) -> Diagnosis {
    let check = "real-time-timer"
    guard let refused else {
      return Diagnosis(check: check, level: .ok, says: "the timer thread may run in real time (SCHED_FIFO)")
    }
    return Diagnosis(
      check: check, level: .note,
      says:
        "the timer thread runs as any other (\(String(cString: strerror(refused)))): delays may be longer on "
        + "a busy machine",
      mend: "as an ordinary user: a line \"USER - rtprio 1\" in /etc/security/limits.d/fakeprovider.conf, "
        + "and a new login")
  }
}
