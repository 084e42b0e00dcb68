import Glibc
import ProviderControl
import ProviderHost
import Testing

@testable import fakeprovider

private let root = Privileges(isRoot: true, mayMount: true, helperMayMount: true)
private let ordinary = Privileges(isRoot: false, mayMount: false, helperMayMount: true)
private let confinedRoot = Privileges(isRoot: true, mayMount: false, helperMayMount: false)

@Suite struct `Doctor on the FUSE device` {
  @Test func `says how to get a device that is missing`() {
    let diagnosis = Checks.device(.missing, root)
    #expect(diagnosis.level == .problem)
    #expect(diagnosis.mend?.contains("modprobe fuse") == true)
    #expect(diagnosis.mend?.contains("--device /dev/fuse") == true)
  }

  @Test func `finds mode 0600 a problem for an ordinary user and a note for root`() {
    let refused = Checks.device(.present(mode: 0o020600, openError: EACCES), ordinary)
    #expect(refused.level == .problem)
    #expect(refused.says.contains("0600"))
    #expect(refused.mend?.contains("chmod 666 /dev/fuse") == true)
    #expect(refused.mend?.contains("udev") == true)
    #expect(Checks.device(.present(mode: 0o020600, openError: nil), root).level == .note)
    #expect(Checks.device(.present(mode: 0o020666, openError: nil), ordinary).level == .ok)
  }

  @Test func `tells a container's refusal and a missing module apart`() {
    #expect(
      Checks.device(.present(mode: 0o020666, openError: EPERM), root).mend?.contains("container") == true)
    #expect(
      Checks.device(.present(mode: 0o020666, openError: ENODEV), root).mend?.contains("modprobe") == true)
  }

  @Test func `looks at a real file`() {
    #expect(Doctor.device("/no/such/device") == .missing)
    guard case .present(_, nil) = Doctor.device("/dev/null") else {
      Issue.record("/dev/null cannot be opened")
      return
    }
  }
}

@Suite struct `Doctor on the right to mount` {
  private func status(_ effective: String, _ bounding: String, _ noNewPrivileges: Int = 0) -> String {
    "Name:\tx\nCapEff:\t\(effective)\nCapBnd:\t\(bounding)\nNoNewPrivs:\t\(noNewPrivileges)\n"
  }
  private let all = "000001ffffffffff"
  private let none = "0000000000000000"

  @Test func `reads it from the kernel's status`() {
    #expect(Privileges(user: 0, status: status(all, all)) == root)
    #expect(Privileges(user: 1000, status: status(none, all)) == ordinary)
    #expect(Privileges(user: 0, status: status(none, none)) == confinedRoot)
    #expect(!Privileges(user: 1000, status: status(none, all, 1)).helperMayMount)
    #expect(Privileges(user: 0, status: "") == root)
    #expect(Privileges(user: 1000, status: "nonsense") == ordinary)
  }

  @Test func `is a problem for root in a container without it`() {
    #expect(Checks.mountRight(root).level == .ok)
    #expect(Checks.mountRight(ordinary).level == .ok)
    #expect(Checks.mountRight(confinedRoot).level == .problem)
    #expect(Checks.mountRight(confinedRoot).mend?.contains("--cap-add SYS_ADMIN") == true)
  }

  @Test func `needs a set-user-id helper for ordinary users only`() {
    let good = HelperFile(path: "/usr/bin/fusermount3", mode: 0o104755, owner: 0)
    let plain = HelperFile(path: "/usr/bin/fusermount3", mode: 0o100755, owner: 0)
    let foreign = HelperFile(path: "/usr/bin/fusermount3", mode: 0o104755, owner: 1000)
    #expect(Checks.helper(good, ordinary).level == .ok)
    for file in [plain, foreign, nil] {
      #expect(Checks.helper(file, ordinary).level == .problem)
      #expect(Checks.helper(file, root).level == .note)
      #expect(Checks.helper(file, root).mend != nil)
    }
  }

  @Test func `finds a helper on the path`() {
    #expect(Doctor.find("sh", in: ["/no/such/place", "/bin"])?.path == "/bin/sh")
    #expect(Doctor.find("no-such-helper", in: ["/bin"]) == nil)
  }

  @Test func `reads user_allow_other past comments`() {
    #expect(Checks.allowOther("# x\n  user_allow_other # yes\n", ordinary).level == .ok)
    #expect(Checks.allowOther("#user_allow_other\n", ordinary).level == .note)
    #expect(Checks.allowOther(nil, ordinary).level == .note)
    #expect(Checks.allowOther(nil, root).level == .ok)
  }
}

@Suite struct `Doctor on mounts` {
  private let table = """
    22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
    40 22 0:50 / /tmp/my\\040cloud rw,nosuid shared:9 master:2 - fuse.fakeprovider fakeprovider:/run/a\\134b rw
    41 22 0:51 / /tmp/other rw,nosuid - fuse.sshfs host:/ rw
    42 22 0:52 / /tmp/gone rw - fuse.fakeprovider fakeprovider:/run/gone rw
    43 22
    44 22 0:53 / /tmp/- rw - fuse.fakeprovider

    """

  private var mounts: [ProviderMount] { MountTable(text: Array(table.utf8)).providers }

  @Test func `reports those whose provider does not answer, with a command that can be pasted`() {
    let diagnoses = Checks.staleMounts(mounts) { $0.mountpoint == Array("/tmp/gone".utf8) }
    #expect(diagnoses.map(\.level) == [.note])
    #expect(diagnoses.first?.mend == "fakeprovider unmount '/tmp/my cloud'")
    #expect(Checks.staleMounts(mounts) { _ in true }.map(\.level) == [.ok])
    #expect(Checks.staleMounts([]) { _ in false }.map(\.level) == [.ok])
  }

  @Test func `quotes what a shell would take apart`() {
    #expect(Argument("/tmp/cloud-1").shellWord == "/tmp/cloud-1")
    #expect(Argument("it's").shellWord == #"'it'\''s'"#)
    #expect(Argument("").shellWord == "''")
  }

  @Test func `asks the socket whether anybody answers`() throws {
    let directory = "/tmp/fakeprovider-doctor-\(getpid())"
    try #require(mkdir(directory, 0o700) == 0)
    defer { rmdir(directory) }
    let path = "\(directory)/socket"
    #expect(!Doctor.answers(Array(path.utf8)))

    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(listener >= 0)
    defer { unlink(path) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0 && listen(listener, 1) == 0)
    #expect(Doctor.answers(Array(path.utf8)))
    close(listener)
    #expect(!Doctor.answers(Array(path.utf8)))
    #expect(!Doctor.answers([UInt8](repeating: 0x61, count: 500)))
  }
}

@Suite struct `Doctor's answer` {
  @Test func `names the fallback of each feature that is not here`() {
    let diagnoses = Checks.kernel(
      KernelFeatures(version: KernelVersion(6, 1)), release: "6.18.0", mask: "6.1")
    #expect(diagnoses.first?.says.contains("masked as 6.1") == true)
    #expect(diagnoses.filter { $0.level == .note }.count == KernelFeature.allCases.count - 1)
    for feature in KernelFeature.allCases where feature != .readOnlyClone {
      #expect(diagnoses.contains { $0.says.contains(feature.fallback) })
    }
  }

  @Test func `calls a refused real-time timer a note`() {
    #expect(Checks.realTime(refused: nil).level == .ok)
    #expect(Checks.realTime(refused: EPERM).level == .note)
    #expect(Checks.realTime(refused: EPERM).mend?.contains("rtprio") == true)
  }

  @Test func `is 1 only when something prevents mounting`() {
    let fine = Diagnosis(check: "a", level: .ok, says: "fine")
    let note = Diagnosis(check: "b", level: .note, says: "slower", mend: "do this")
    let problem = Diagnosis(check: "c", level: .problem, says: "missing", mend: "do that")
    #expect(Doctor.exitCode([fine, note]) == 0)
    #expect(Doctor.exitCode([fine, problem]) == 1)
    #expect(Doctor.text([fine, problem]) == "ok       fine\nproblem  missing\n         mend: do that\n")
  }
}
