import Foundation
import ProviderTesting
import Testing

/// Without root a provider is mounted by fusermount3, which needs a /dev/fuse that everyone may open: an
/// ordinary machine has one, and where this one has not, a mount namespace of the test's own has.
@Suite(.serialized, .tags(.ordinaryUser), .enabled(if: geteuid() == 0, "becoming another user needs root"))
struct `An ordinary user` {
  private let folder: SourceFolder

  init() throws {
    folder = try SourceFolder(["source/a.pdf": content(300_000)])
    for name in ["mount", "run", "device"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
    }
    for name in ["", "mount", "run", "source", "source/a.pdf"] {
      chown("\(folder.path)/\(name)", 65534, 65534)
    }
    chmod(folder.path + "/run", 0o700)
  }

  private static let namespace = """
    set -e
    mount --make-rprivate /
    mount -t tmpfs tmpfs "$1/device"
    mknod -m 666 "$1/device/fuse" c 10 229
    mount --bind "$1/device/fuse" /dev/fuse
    folder=$1; shift
    cd /
    exec env XDG_RUNTIME_DIR="$folder/run" setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
    """

  private static let script = """
    import subprocess
    folder, executable = sys.argv[1:3]
    mount = folder + "/mount"
    source = folder + "/source"
    def mounted(): return mount in open("/proc/self/mountinfo").read()
    def start():
        provider = subprocess.Popen([executable, "mount", "--profile", "instant", "--source", source, mount],
                                    stdout=subprocess.PIPE)
        assert provider.stdout.readline() == f"ready {mount}\\n".encode(), "not ready"
        line = [line for line in open("/proc/self/mountinfo") if mount in line][0]
        os.environ["FAKEPROVIDER_CONTROL"] = line.split(" - ")[1].split()[1].removeprefix("fakeprovider:")
        return provider

    """

  private func lines(_ script: String, kernel: String? = nil) async throws -> [String] {
    let finished = try await ChildProcess(
      [
        "unshare", "--mount", "sh", "-c", Self.namespace, "sh", folder.path,
        Python.executable, "-I", "-S", "-c", Python.prelude + Self.script + script,
        folder.path, try Executable.find(),
      ],
      environment: ["FAKEPROVIDER_MOUNT": "", "FAKEPROVIDER_KERNEL": kernel]
    ).finished()
    #expect(finished.code == 0, "\(finished.errors)")
    return finished.lines
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `mounts, reads and unmounts`(kernel: String?) async throws {
    let said = try await lines(
      """
      before = os.stat(source + "/a.pdf").st_atime_ns
      provider = start()
      say(os.getuid(), mounted(), os.stat(at("a.pdf")).st_blocks, error(lambda: read("a.pdf")))
      client = access("a.pdf")
      say(read("a.pdf") == original("a.pdf"), os.stat(source + "/a.pdf").st_atime_ns != 0)
      say(client.call("unmount")["ok"], provider.wait(), mounted(), os.listdir(folder + "/run/fakeprovider"))
      """, kernel: kernel)
    #expect(said == ["65534 True 0 EPERM", "True True", "True 0 False []"])
  }

  @Test func `leaves its source's access times alone`() async throws {
    let said = try await lines(
      """
      os.utime(source + "/a.pdf", ns=(1000, 2000))
      provider = start()
      client = access("a.pdf")
      say(len(read("a.pdf")), os.stat(source + "/a.pdf").st_atime_ns)
      provider.terminate()
      say(provider.wait(), mounted())
      """)
    #expect(said == ["300000 1000", "0 False"])
  }

  @Test func `can clear away the mount of a provider that was killed`() async throws {
    let said = try await lines(
      """
      provider = start()
      provider.kill()
      provider.wait()
      say(mounted(), error(lambda: os.stat(mount)))
      say(subprocess.run(["fusermount3", "-u", "-z", mount]).returncode, mounted())
      """)
    #expect(said == ["True ENOTCONN", "0 False"])
  }
}
