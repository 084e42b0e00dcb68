import Foundation
import ProviderTesting
import Testing

/// A process that watches folders or files of the mount (inotify), and says what it sees as it sees it.
final class Watcher: Sendable {
  private let process: ChildProcess

  private static let script = """
    import ctypes, struct
    libc = ctypes.CDLL(None, use_errno=True)
    words = {0x2: "MODIFY", 0x4: "ATTRIB", 0x8: "CLOSE_WRITE", 0x40: "MOVED_FROM", 0x80: "MOVED_TO",
             0x100: "CREATE", 0x200: "DELETE", 0x400: "DELETE_SELF", 0x800: "MOVE_SELF"}
    fd = libc.inotify_init1(0)
    watched, cookies = {}, []
    for path in sys.argv[1:]:
        number = libc.inotify_add_watch(fd, os.fsencode(at(path)), sum(words))
        assert number > 0, (path, errno.errorcode[ctypes.get_errno()])
        watched[number] = path
    say("ready")
    while True:
        buffer = os.read(fd, 65536)
        while buffer:
            number, mask, cookie, length = struct.unpack_from("iIII", buffer)
            name = buffer[16:16 + length].rstrip(b"\\0").decode()
            buffer = buffer[16 + length:]
            for bit, word in words.items():
                if mask & bit:
                    if cookie and cookie not in cookies: cookies.append(cookie)
                    folder = " " if mask & 0x40000000 else ""
                    path = watched[number] + ("/" + name if name else "")
                    say(word + (f"/{cookies.index(cookie) + 1}" if cookie else ""), os.path.normpath(path) + folder.strip())
    """

  init(_ paths: String..., in provider: RunningProvider) async throws {
    process = try python(Self.script, paths, in: provider)
    let ready = try await process.line()
    #expect(ready == "ready")
  }

  /// What it has seen until now that was not told yet: up to an event that the caller makes last.
  func events(through last: String) async throws -> [String] {
    var events: [String] = []
    while events.last != last { events.append(try await process.line()) }
    return events
  }

  func end() async throws { _ = try await process.killed() }
}
