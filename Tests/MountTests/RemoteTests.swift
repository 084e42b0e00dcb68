import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `A remote change of a mounted provider` {
  private let source: SourceFolder
  private static let size = 300_000

  init() throws {
    source = try SourceFolder([
      "a.pdf": content(Self.size), "d/b.pdf": content(1_000, seed: 2), "d/e/c.pdf": content(10, seed: 3),
      "x.txt": Data("x".utf8),
    ])
  }

  private func provider<Value>(
    _ kernel: String? = nil, _ body: (RunningProvider) async throws -> Value
  ) async throws -> Value {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel, body)
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `that makes a file anew leaves it to whoever has it open, also when its folder is listed`(
    kernel: String?
  ) async throws {
    try await provider(kernel) { provider in
      // Each takes the place of the one that is gone, in another generation.
      for _ in 0..<8 {
        try await provider.remoteWrite("n.txt", .text("gone"))
        try await provider.remoteDelete("n.txt")
      }
      try await provider.remoteWrite("n.txt", .text("new"))
      let said = try await lines(
        """
        session = access("n.txt")
        fd = os.open(at("n.txt"), os.O_RDONLY)
        said = []
        for _ in range(3):
            said.append("n.txt" in os.listdir(mount) and os.pread(fd, 10, 0).decode())
        os.close(fd)
        say(*said)
        """, in: provider)
      #expect(said == ["new new new"])
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `of a file's content is seen by readers and watchers`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      let watcher = try await Watcher(".", "a.pdf", in: provider)
      let before = try await provider.status(of: "a.pdf")
      let untouched = try source.state()
      let result = try await provider.remoteWrite("a.pdf", .text("from another device"))
      #expect(result.path == "a.pdf" && result.version == 2 && result.id == before.id)
      #expect(result.after == nil && result.unseen == nil)
      let seen = try await watcher.events(through: "CLOSE_WRITE a.pdf")
      // From the folder's watch and from the file's own.
      #expect(
        seen == ["MODIFY a.pdf", "MODIFY a.pdf", "ATTRIB a.pdf", "ATTRIB a.pdf", "CLOSE_WRITE a.pdf"],
        "\(seen)")
      let said = try await lines(
        """
        access("a.pdf")
        status = os.stat(at("a.pdf"))
        say(status.st_size, status.st_blocks, read("a.pdf").decode(), os.stat(at("a.pdf")).st_blocks > 0)
        """, in: provider)
      #expect(said == ["19 0 from another device True"])
      #expect(try source.state() == untouched)
      try await watcher.end()
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `leaves the old content to plain opens until a coordinated read, and to open files for good`(
    kernel: String?
  ) async throws {
    try await provider(kernel) { provider in
      try await provider.download("a.pdf")
      let reader = try python(
        """
        session = access("a.pdf")
        old = original("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        view = mmap.mmap(fd, 0, access=mmap.ACCESS_READ)
        say(view[:1000] == old[:1000])
        told()
        say(read("a.pdf") == old, os.stat(at("a.pdf")).st_size, os.fstat(fd).st_size)
        reply = session.call("coordinate", intents=[{"path": "a.pdf", "kind": "read"}])
        say(reply["ok"], read("a.pdf").decode(), os.stat(at("a.pdf")).st_size)
        session.call("finish", claim=reply["claim"])
        # The one that was opened before goes on, whichever way it is read.
        said = [os.pread(fd, 1 << 20, 0) == old, view[:] == old, os.fstat(fd).st_size, os.fstat(fd).st_nlink]
        out = os.memfd_create("out")
        offset = 0
        while offset < len(old):
            count = os.sendfile(out, fd, offset, len(old) - offset)
            if not count: break
            offset += count
        said.append(os.pread(out, 1 << 20, 0) == old)
        say(*said)
        new = os.open(at("a.pdf"), os.O_RDONLY)
        say(os.fstat(new).st_ino == os.fstat(fd).st_ino, os.pread(new, 9, 0))
        """, in: provider, source: source)
      #expect(try await reader.line() == "True")
      try await provider.remoteWrite("a.pdf", .text("the new version"))
      let stale = try await provider.status(of: "a.pdf")
      #expect(stale.copy == .stale && stale.version == 2 && stale.localVersion == 1)
      reader.send(line: "")
      let said = try await reader.finished()
      #expect(said.errors == "")
      #expect(
        said.lines == [
          "True 300000 300000", "True the new version 15", "True True 300000 0 True", "True b'the new v'",
        ])
    }
  }

  @Test func `makes a new file, whose folder shows it to who has it open`() async throws {
    try await provider { provider in
      let reader = try python(
        """
        access(".")
        folder = os.open(at("d"), os.O_RDONLY)
        say(sorted(os.listdir(folder)))
        told()
        say(sorted(os.listdir(folder)), read("d/new.txt").decode(), os.stat(at("d/new.txt")).st_ino >> 62)
        """, in: provider)
      #expect(try await reader.line() == "['b.pdf', 'e']")
      let watcher = try await Watcher("d", in: provider)
      try await provider.remoteWrite("d/new.txt", .text("new"))
      let seen = try await watcher.events(through: "CLOSE_WRITE d/new.txt")
      #expect(seen == ["CREATE d/new.txt", "MODIFY d/new.txt", "ATTRIB d/new.txt", "CLOSE_WRITE d/new.txt"])
      reader.send(line: "")
      #expect(try await reader.finished().lines == ["['b.pdf', 'e', 'new.txt'] new 1"])
      try await watcher.end()
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `of a name or a folder takes the item along`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      let reader = try python(
        """
        access(".")
        inode = os.stat(at("a.pdf")).st_ino
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        say("ready")
        told()
        moved = os.stat(at("d/b 2.pdf"))
        say(error(lambda: os.stat(at("a.pdf"))), moved.st_ino == inode, moved.st_ino == os.fstat(fd).st_ino)
        say(read("d/b 2.pdf") == original("a.pdf"), read("f/e/c.pdf") == original("d/e/c.pdf"))
        say(error(lambda: os.stat(at("d"))), sorted(os.listdir(at("."))), os.getxattr(at("f/b 2.pdf"), "user.com.apple.fileprovider.before-bounce#P"))
        """.replacingOccurrences(of: "at(\"d/b 2.pdf\")", with: "at(\"f/b 2.pdf\")")
          .replacingOccurrences(of: "read(\"d/b 2.pdf\")", with: "read(\"f/b 2.pdf\")"),
        in: provider, source: source)
      #expect(try await reader.line() == "ready")
      let watcher = try await Watcher(".", "d", in: provider)
      let moved = try await provider.remoteMove("a.pdf", to: "d/b.pdf")
      #expect(moved.path == "d/b 2.pdf" && moved.version == 1)
      try await provider.remoteRename("d", to: "f")
      let seen = try await watcher.events(through: "MOVE_SELF d")
      #expect(
        seen.filter { !$0.hasPrefix("MOVE_SELF") } == [
          "MOVED_FROM/1 a.pdf", "MOVED_TO/1 d/b 2.pdf", "MOVED_FROM/2 d", "MOVED_TO/2 f",
        ])
      reader.send(line: "")
      let said = try await reader.finished()
      #expect(said.errors == "")
      #expect(
        said.lines == ["ENOENT True True", "True True", "ENOENT ['f', 'x.txt'] b'b.pdf'"])
      try await watcher.end()
    }
  }

  @Test func `deletes a folder with all that is in it, and who has a file open goes on`() async throws {
    try await provider { provider in
      try await provider.download("d/b.pdf")
      let reader = try python(
        """
        access(".")
        fd = os.open(at("d/b.pdf"), os.O_RDONLY)
        os.listdir(at("d/e"))
        say("ready")
        told()
        say(os.pread(fd, 2000, 0) == original("d/b.pdf"), error(lambda: os.stat(at("d"))), sorted(os.listdir(at("."))))
        """, in: provider, source: source)
      #expect(try await reader.line() == "ready")
      let watcher = try await Watcher(".", "d", "d/e", in: provider)
      let result = try await provider.remoteDelete("d")
      #expect(result.id == nil)
      let seen = try await watcher.events(through: "DELETE d")
      #expect(
        Set(seen).isSuperset(of: ["DELETE d/b.pdf", "DELETE d/e/c.pdf", "DELETE d/e", "DELETE d"]), "\(seen)")
      reader.send(line: "")
      #expect(try await reader.finished().lines == ["True ENOENT ['a.pdf', 'x.txt']"])
      try await watcher.end()
    }
  }

  @Test func `makes folders, and a conflict two files`() async throws {
    try await provider { provider in
      let watcher = try await Watcher(".", in: provider)
      #expect(try await provider.remoteMakeDirectory("new").path == "new")
      #expect(try await provider.remoteMakeDirectory("new").path == "new 2")
      let twin = try await provider.remoteConflict("a.pdf", .text("theirs"))
      #expect(twin.path == "a 2.pdf")
      #expect(try await provider.status(of: "a.pdf").conflicts == 1)
      #expect(try await provider.remoteConflict("a.pdf").path == "a 3.pdf")
      let seen = try await watcher.events(through: "CLOSE_WRITE a 3.pdf")
      #expect(
        seen.filter { $0.hasPrefix("CREATE") } == [
          "CREATE new", "CREATE new 2", "CREATE a 2.pdf", "CREATE a 3.pdf",
        ])
      let said = try await lines(
        """
        access(".")
        say(read("a 2.pdf").decode(), read("a 3.pdf") == original("a.pdf"), read("a.pdf") == original("a.pdf"))
        """, in: provider, source: source)
      #expect(said == ["theirs True True"])
      let names = try await provider.journal().map(\.name)
      #expect(names.count { $0 == "remoteConflict" } == 2)
      try await watcher.end()
    }
  }

  @Test func `leaves the mount read-only for everyone else`() async throws {
    try await provider { provider in
      try await provider.remoteMakeDirectory("new")
      let said = try await lines(
        """
        access(".")
        say(error(lambda: os.rename(at("a.pdf"), at("b.pdf"))), error(lambda: os.unlink(at("a.pdf"))),
            error(lambda: os.rmdir(at("new"))), error(lambda: os.mkdir(at("mine"))),
            error(lambda: open(at("a.pdf"), "wb")), error(lambda: open(at("mine"), "wb")),
            error(lambda: os.utime(at("a.pdf"))), error(lambda: os.truncate(at("a.pdf"), 0)))
        """, in: provider)
      #expect(said == ["EROFS EROFS EROFS EROFS EROFS EROFS EROFS EROFS"])
    }
  }

  @Test func `waits for a held operation that has its folder's lock, and says so`() async throws {
    try await provider { provider in
      let hold = try await provider.hold(.lookup, "d/b.pdf", name: "stuck")
      let reader = try python("say(os.stat(at(\"d/b.pdf\")).st_size)", in: provider)
      try await hold.waitUntilParked()
      let watcher = try await Watcher("d", in: provider)
      let result = try await provider.remoteRename("d/b.pdf", to: "z.pdf")
      #expect(result.after == "hold stuck" && result.path == "d/b.pdf")
      // Others go on, also in the same folder.
      #expect(try await provider.remoteWrite("d/e/c.pdf", .text("c")).after == nil)
      #expect(try await lines("say(os.stat(at(\"d/e/c.pdf\")).st_size)", in: provider) == ["1"])
      try await hold.release()
      #expect(try await reader.finished().lines == ["1000"])
      let seen = try await watcher.events(through: "MOVED_TO/1 d/z.pdf")
      #expect(seen.suffix(2) == ["MOVED_FROM/1 d/b.pdf", "MOVED_TO/1 d/z.pdf"])
      try await watcher.end()
    }
  }

  @Test func `takes bytes from a file, from a seed, and after what is there`() async throws {
    let file = try SourceFolder(["new.bin": content(500_000, seed: 9)])
    try await provider { provider in
      try await provider.remoteWrite("x.txt", .file("\(file.path)/new.bin"))
      try await provider.remoteWrite("d/b.pdf", .text(" and more"), appends: true)
      try await provider.remoteWrite("big", .synthetic(size: "3MiB", seed: 7))
      let said = try await lines(
        """
        access(".")
        say(read("x.txt") == open(sys.argv[1], "rb").read(), read("d/b.pdf") == original("d/b.pdf") + b" and more")
        def mix(value):
            z = (value + 0x9E3779B97F4A7C15) % 2**64
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
            return z ^ z >> 31
        big = read("big")
        say(len(big), all(big[8 * k:8 * k + 8] == mix(mix(7) ^ k).to_bytes(8, "little") for k in range(0, 393216, 997)))
        """, ["\(file.path)/new.bin"], in: provider, source: source)
      #expect(said == ["True True", "3145728 True"])
      for (path, problem) in [
        ("/none", "/none cannot be read: No such file or directory"),
        ("/dev/null", "is no file with content"),
        ("\(provider.path)/a.pdf", "lies in this very provider"),
      ] {
        let failure = await #expect(throws: ProviderFailure.self) {
          try await provider.remoteWrite("x.txt", .file(path))
        }
        #expect("\(failure.map { "\($0)" } ?? "")".contains(problem), "\(String(describing: failure))")
      }
      #expect(try await provider.status(of: "x.txt").version == 2)
    }
  }

  @Test func `frees what was opened longest ago under pressure`() async throws {
    try await provider { provider in
      try await provider.download("a.pdf", "d/b.pdf", "x.txt")
      let (items, freed) = try await provider.evict(pressure: "1kB")
      #expect(items.map(\.path) == ["a.pdf"] && freed == 300_000)
      #expect(try await lines("say(os.stat(at(\"a.pdf\")).st_blocks)", in: provider) == ["0"])
    }
  }
}

@Suite(.serialized) struct `The child that makes remote changes` {
  private let source: SourceFolder

  init() throws { source = try SourceFolder(["a.txt": Data("a".utf8)]) }

  /// Processes that make changes in this mount.
  private static func children(of mountpoint: String) -> [Int32] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { Int32($0) }.filter { process in
      let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.split(separator: 0) ?? []
      return words.contains { $0.elementsEqual("mount-child".utf8) }
        && words.contains { $0.elementsEqual(mountpoint.utf8) }
    }
  }

  @Test func `starts with the first change and ends with the provider`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      #expect(Self.children(of: provider.path).isEmpty)
      try await provider.remoteMakeDirectory("d")
      #expect(Self.children(of: provider.path).count == 1)
      await provider.unmount()
      #expect(Self.children(of: provider.path).isEmpty)
    }
  }

  @Test func `ends when the provider is killed, also while it waits`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      try await provider.remoteMakeDirectory("d")
      kill(provider.processID, SIGKILL)
      let path = provider.path
      try await eventually { Self.children(of: path).isEmpty }
    }
  }

  @Test func `is started again when somebody has killed it`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      try await provider.remoteMakeDirectory("d")
      let child = try #require(Self.children(of: provider.path).first)
      kill(child, SIGKILL)
      try await eventually { [path = provider.path] in !Self.children(of: path).contains(child) }
      let result = try await provider.remoteMakeDirectory("e")
      #expect(result.path == "e")
      #expect(try await provider.status(".").map(\.path.description).sorted() == [".", "a.txt", "d", "e"])
    }
  }
}
