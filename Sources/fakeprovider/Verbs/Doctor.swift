import CLinux
import FoundationEssentials
import Glibc
import ProviderControl
import ProviderHost

/// Looks at this machine and says what keeps a mount from working, and how to mend it.
enum Doctor {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    let environment = ProcessInfo.processInfo.environment
    let diagnoses = examine(environment: environment)
    if arguments.has("--json") {
      Console.json(Answer(mayMount: exitCode(diagnoses) == FakeProvider.Exit.done, checks: diagnoses))
    } else {
      Console.out(text(diagnoses))
    }
    return exitCode(diagnoses)
  }

  private struct Answer: Encodable {
    var mayMount: Bool
    var checks: [Diagnosis]
  }

  static func exitCode(_ diagnoses: [Diagnosis]) -> Int32 {
    diagnoses.contains { $0.level == .problem } ? FakeProvider.Exit.failed : FakeProvider.Exit.done
  }

  static func text(_ diagnoses: [Diagnosis]) -> String {
    diagnoses.map { diagnosis in
      let level = diagnosis.level.rawValue
      let mend = diagnosis.mend.map { "         mend: \($0)\n" } ?? ""
      return level + String(repeating: " ", count: 9 - level.count) + diagnosis.says + "\n" + mend
    }.joined()
  }

  private static func examine(environment: [String: String]) -> [Diagnosis] {
    let privileges = Privileges(user: geteuid(), status: text(of: "/proc/self/status") ?? "")
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    var result = [
      Checks.device(device("/dev/fuse"), privileges), Checks.mountRight(privileges),
      Checks.helper(find("fusermount3", in: path.split(separator: ":").map(String.init)), privileges),
      Checks.allowOther(text(of: "/etc/fuse.conf"), privileges),
    ]
    let mounts = MountTable(text: bytes(of: "/proc/self/mountinfo") ?? []).providers
    result += Checks.staleMounts(mounts) { answers($0.socket) }
    do {
      let mask = environment[KernelFeatures.maskVariable].flatMap { $0.isEmpty ? nil : $0 }
      result += Checks.kernel(
        try KernelFeatures.current(environment: environment), release: KernelFeatures.release(), mask: mask)
    } catch {
      result.append(Diagnosis(check: "kernel", level: .problem, says: error.message))
    }
    result.append(Checks.realTime(refused: realTimeRefusal()))
    return result
  }

  // MARK: What is looked at

  static func device(_ path: String) -> DeviceState {
    var about = stat()
    guard stat(path, &about) == 0 else { return .missing }
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    let openError = descriptor < 0 ? errno : nil
    if descriptor >= 0 { close(descriptor) }
    return .present(mode: about.st_mode, openError: openError)
  }

  static func find(_ name: String, in directories: [String]) -> HelperFile? {
    for directory in directories {
      let path = "\(directory)/\(name)"
      var about = stat()
      if stat(path, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_mode & 0o111 != 0 {
        return HelperFile(path: path, mode: about.st_mode, owner: about.st_uid)
      }
    }
    return nil
  }

  /// Whether somebody listens at a unix socket. One that cannot be asked (another user's) counts as alive.
  static func answers(_ path: [UInt8]) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard path.count < room.count else { return false }
      room.copyBytes(from: path)
      return true
    }
    guard fits else { return false }
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, flags, 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    let failed = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
        connect(descriptor, rebound, socklen_t(MemoryLayout<sockaddr_un>.size)) < 0
      }
    }
    guard failed else { return true }
    return errno != ECONNREFUSED && errno != ENOENT && errno != ENOTDIR && errno != ENOTSOCK
  }

  /// Asked by doing it: resource limits, capabilities and control groups all have a say.
  private static func realTimeRefusal() -> Int32? {
    guard clinux_set_realtime() == 0 else { return errno }
    var ordinary = sched_param()
    sched_setscheduler(0, SCHED_OTHER, &ordinary)
    return nil
  }

  static func text(of path: String) -> String? { bytes(of: path).map { String(decoding: $0, as: UTF8.self) } }

  /// A small file whole; /proc's files do not know their size.
  static func bytes(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while result.count < 64 << 20 {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      result += buffer[..<count]
    }
    return result
  }
}
