import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `The source folder` {
  private let source: SourceFolder

  init() throws {
    source = try SourceFolder([
      "a.pdf": content(300_000), "in/b.txt": Data("b".utf8), "in/deep/c.txt": Data("c".utf8),
    ])
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `that changes underneath fails open files with ESTALE and gives the next open the new bytes`(
    kernel: String?
  ) async throws {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      let said = try await lines(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        say(os.pread(fd, 5, 100) == original("a.pdf")[100:105])
        with open(source + "/a.pdf", "r+b") as file: file.write(b"other bytes, and more")
        os.truncate(source + "/a.pdf", 21)
        # Far from what the kernel may have cached where not all reads are seen.
        say(error(lambda: os.pread(fd, 5, 290_000)), error(lambda: os.pread(fd, 5, 290_000)))
        with open(at("a.pdf"), "rb") as file: say(file.read(), os.stat(at("a.pdf")).st_size)
        say(client.call("status", path="a.pdf")["items"][0]["version"])
        """, in: provider, source: source)
      #expect(said == ["True", "ESTALE ESTALE", "b'other bytes, and more' 21", "2"])
      let events = try await provider.journal()
      #expect(events.count { $0.name == "sourceChanged" } == 1)
    }
  }

  @Test func `that is replaced by another file is a change, too`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let said = try await lines(
        """
        client = access("a.pdf")
        say(len(read("a.pdf")))
        with open(source + "/new", "wb") as file: file.write(b"new")
        os.rename(source + "/new", source + "/a.pdf")
        say(read("a.pdf"), read("a.pdf"))
        os.unlink(source + "/a.pdf")
        say(error(lambda: read("a.pdf")))
        os.mkfifo(source + "/a.pdf")
        say(error(lambda: read("a.pdf")) != "none")
        """, in: provider, source: source)
      #expect(said == ["300000", "b'new' b'new'", "ENOENT", "True"])
      #expect(try await provider.journal().count { $0.name == "sourceChanged" } >= 1)
    }
  }

  @Test func `is listed once: what comes later is not there`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let said = try await lines(
        """
        say(sorted(os.listdir(mount)))
        open(source + "/later", "w").close()
        open(source + "/in/later", "w").close()
        say(sorted(os.listdir(mount)), error(lambda: os.stat(at("later"))), sorted(os.listdir(at("in"))))
        """, in: provider, source: source)
      #expect(said == ["['a.pdf', 'in']", "['a.pdf', 'in'] ENOENT ['b.txt', 'deep', 'later']"])
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `keeps its bytes and all its times, whatever is done to the mount`(kernel: String?) async throws {
    // Times in the past: a relatime mount writes an access time only where it is older than the content's.
    for name in ["a.pdf", "in/b.txt", "in/deep", "in/deep/c.txt", "in", ""] {
      var times = [timespec(tv_sec: 1000, tv_nsec: 7), timespec(tv_sec: 2000, tv_nsec: 9)]
      #expect(utimensat(AT_FDCWD, "\(source.path)/\(name)", &times, 0) == 0)
    }
    let before = try source.state()
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      _ = try await lines(
        """
        client = access(".", covers="descendants")
        for folder, _, files in os.walk(mount):
            for file in files:
                with open(folder + "/" + file, "rb") as opened: opened.read()
                os.listxattr(folder + "/" + file)
        error(lambda: os.utime(at("a.pdf")))
        error(lambda: open(at("a.pdf"), "r+b"))
        error(lambda: open(at("a.pdf"), "wb"))
        error(lambda: os.unlink(at("in/b.txt")))
        client.call("evict", path="a.pdf")
        client.call("download", path="a.pdf")
        """, in: provider, source: source)
    }
    #expect(try source.state() == before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: source.path + "/a.pdf")) == content(300_000))
  }
}

@Suite(.serialized) struct Writing {
  private let source: SourceFolder

  init() throws {
    source = try SourceFolder(["a.pdf": content(300_000), "in/b.txt": Data("b".utf8)])
    symlink("a.pdf", source.path + "/link")
  }

  private static let changes = """
    changes = {
        "open for writing": lambda: open(at("a.pdf"), "r+b"),
        "open and empty": lambda: open(at("a.pdf"), "wb"),
        "create": lambda: open(at("new"), "xb"),
        "truncate": lambda: os.truncate(at("a.pdf"), 0),
        "mkdir": lambda: os.mkdir(at("folder")),
        "mkfifo": lambda: os.mkfifo(at("fifo")),
        "rename": lambda: os.rename(at("a.pdf"), at("b.pdf")),
        "unlink": lambda: os.unlink(at("a.pdf")),
        "rmdir": lambda: os.rmdir(at("in")),
        "link": lambda: os.link(at("a.pdf"), at("hard")),
        "symlink": lambda: os.symlink("a.pdf", at("soft")),
        "chmod": lambda: os.chmod(at("a.pdf"), 0o600),
        "chown": lambda: os.chown(at("a.pdf"), 1, 1),
        "utime": lambda: os.utime(at("a.pdf")),
        "setxattr": lambda: os.setxattr(at("a.pdf"), "user.note", b"x"),
        "removexattr": lambda: os.removexattr(at("a.pdf"), "user.note"),
    }
    for name, change in changes.items(): say(name + ":", error(change))

    """

  @Test(.tags(.kernelMask), arguments: kernels)
  func `is EROFS with a scope and EPERM without`(kernel: String?) async throws {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      let without = try await lines(Self.changes, in: provider)
      #expect(without.count == 16)
      #expect(without.allSatisfy { $0.hasSuffix(": EPERM") }, "\(without)")
      let with = try await lines("client = access('.')\n" + Self.changes, in: provider)
      #expect(with.allSatisfy { $0.hasSuffix(": EROFS") }, "\(with)")
    }
  }

  @Test func `by ordinary tools is refused in words`() async throws {
    try await withProvider(profile: "simulator", source: source.source) { provider in
      let file = provider.path + "/a.pdf"
      for words in [
        ["touch", file], ["mkdir", provider.path + "/x"], ["mv", file, file + "2"], ["rm", "-f", file],
        ["chmod", "600", file], ["truncate", "--size=0", file], ["ln", "-s", "x", provider.path + "/y"],
      ] {
        let finished = try await run(words, in: provider)
        #expect(finished.code != 0 && finished.errors.contains("Read-only file system"), "\(words)")
      }
      #expect(try await run(["readlink", provider.path + "/link"], in: provider).output == "a.pdf\n")
    }
  }
}

/// What a program in any language can ask for with no client at all.
@Suite(.serialized) struct `Extended attributes` {
  private let source: SourceFolder

  init() throws { source = try SourceFolder(["a.pdf": content(1_000_000)]) }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `tell the state and act on it`(kernel: String?) async throws {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      try await provider.pick("a.pdf")
      let said = try await lines(
        """
        def get(name): return os.getxattr(at("a.pdf"), "user.fakeprovider." + name).decode()
        def do(action): os.setxattr(at("a.pdf"), "user.fakeprovider.do", action.encode())
        say(get("state"), get("version"), get("progress"), os.listxattr(at("a.pdf")))
        do("download")
        say(get("state"), get("progress"))
        do("evict")
        say(get("state"), os.stat(at("a.pdf")).st_blocks)
        say(error(lambda: read("a.pdf")))
        do("start"); do("start"); do("stop")
        say(read("a.pdf") == original("a.pdf"))
        do("stop")
        say(error(lambda: read("a.pdf")))
        say(error(lambda: do("dance")), error(lambda: get("do")), error(lambda: get("other")))
        """, in: provider, source: source)
      #expect(
        said == [
          "dataless 1 0 []", "local 100", "dataless 0", "EPERM", "True", "EPERM", "EINVAL ENODATA ENODATA",
        ])
    }
  }

  @Test func `tell the progress of a download that waits`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let hold = try await provider.hold(.download, "a.pdf", at: "40%")
      let client = try python(
        """
        def get(name): return os.getxattr(at("a.pdf"), "user.fakeprovider." + name).decode()
        told()
        say(get("state"), get("progress"))
        """, in: provider)
      let downloader = try python(
        "os.setxattr(at('a.pdf'), 'user.fakeprovider.do', b'download'); say('here')", in: provider)
      try await hold.waitUntilParked()
      client.send(line: "go")
      #expect(try await client.finished().lines == ["downloading 40"])
      try await hold.release()
      #expect(try await downloader.finished().lines == ["here"])
    }
  }

  @Test func `cannot start what was not picked`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let said = try await lines(
        "say(error(lambda: os.setxattr(at('a.pdf'), 'user.fakeprovider.do', b'start')))", in: provider)
      #expect(said == ["EPERM"])
      let refused = try await provider.event { $0.name == "scopeRefused" }
      #expect(refused.path == "a.pdf")
    }
  }
}
