import Foundation
import ProviderTesting
import ScopedAccess
import Testing

@Suite(.serialized) struct `A whole copy` {
  private let source: SourceFolder

  init() throws { source = try SourceFolder(["a.pdf": content(3_000_001), "empty": Data()]) }

  @Test(.tags(.kernelMask), arguments: ["MAP_SHARED", "MAP_PRIVATE"], kernels)
  func `by mmap has every byte`(kind: String, kernel: String?) async throws {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      let said = try await lines(
        """
        client = access("a.pdf")
        with open(at("a.pdf"), "rb") as file:
            with mmap.mmap(file.fileno(), 0, flags=getattr(mmap, sys.argv[1]), prot=mmap.PROT_READ) as map:
                say(map[:] == original("a.pdf"))
        """, [kind], in: provider, source: source)
      #expect(said == ["True"])
    }
  }

  @Test(.tags(.kernelMask))
  func `by a shared mmap cannot be made on an older kernel while its reads must be seen`() async throws {
    try await withProvider(profile: "instant", source: source.source, kernel: "6.1") { provider in
      let hold = try await provider.hold(.read, "a.pdf", at: "100%")
      let said = try await lines(
        """
        client = access("a.pdf")
        with open(at("a.pdf"), "rb") as file:
            say(error(lambda: mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)))
            with mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as map:
                say(map[0] == original("a.pdf")[0])
        """, in: provider, source: source)
      #expect(said == ["ENODEV", "True"])
      try await hold.release()
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `by sendfile, copyfile, cp and dd has every byte`(kernel: String?) async throws {
    let target = try SourceFolder()
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      let said = try await lines(
        """
        import subprocess
        client = access("a.pdf", "empty", covers="descendants")
        target, expected = sys.argv[1], original("a.pdf")
        with open(at("a.pdf"), "rb") as file, open(target + "/1", "wb") as out:
            offset = 0
            while count := os.sendfile(out.fileno(), file.fileno(), offset, 1 << 20): offset += count
        shutil.copyfile(at("a.pdf"), target + "/2")
        subprocess.run(["cp", at("a.pdf"), target + "/3"], check=True)
        subprocess.run(["dd", "if=" + at("a.pdf"), "of=" + target + "/4", "bs=7777", "status=none"], check=True)
        subprocess.run(["cp", at("empty"), target + "/5"], check=True)
        for number in "1234": say(open(target + "/" + number, "rb").read() == expected)
        say(os.path.getsize(target + "/5"))
        """, [target.path], in: provider, source: source)
      #expect(said == ["True", "True", "True", "True", "0"])
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `by FileManager has every byte`(kernel: String?) async throws {
    let target = try SourceFolder()
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      try await provider.pick("a.pdf")
      let (file, copy) = (provider.url(of: "a.pdf"), URL(fileURLWithPath: target.path + "/copy"))
      let started = try await blocking {
        let started = file.startAccessingSecurityScopedResource()
        defer { file.stopAccessingSecurityScopedResource() }
        try FileManager.default.copyItem(at: file, to: copy)
        return started
      }
      #expect(started)
      #expect(try Data(contentsOf: copy) == content(3_000_001))
    }
  }

  @Test func `by FileManager is error 513 when access is revoked while the download is held`() async throws {
    let target = try SourceFolder()
    try await withProvider(profile: "instant", source: source.source) { provider in
      try await provider.pick("a.pdf")
      let hold = try await provider.hold(.download, "a.pdf", at: "40%")
      let (file, copy) = (provider.url(of: "a.pdf"), URL(fileURLWithPath: target.path + "/copy"))
      async let code = blocking {
        let started = file.startAccessingSecurityScopedResource()
        defer { if started { file.stopAccessingSecurityScopedResource() } }
        do {
          try FileManager.default.copyItem(at: file, to: copy)
          return 0
        } catch {
          return (error as NSError).code
        }
      }
      try await hold.waitUntilParked()
      try await provider.revoke("a.pdf")
      _ = try await provider.event { $0.operation == "read" && $0.errno == "EPERM" }
      // A copy that tried again, and waits, goes on now and is seen by its success.
      try await hold.release()
      #expect(try await code == 513)
      #expect(try await provider.status(of: "a.pdf").scopes == [])
    }
  }

  @Test func `by a mapping that is killed while it waits ends, and its request is dropped`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let hold = try await provider.hold(.read, "a.pdf", at: "40%")
      let reader = try python(
        """
        client = access("a.pdf")
        with open(at("a.pdf"), "rb") as file:
            map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        say("mapped", map[0])
        map[len(map) * 4 // 10]
        """, in: provider)
      #expect(try await reader.line().hasPrefix("mapped"))
      try await hold.waitUntilParked()
      #expect(try await reader.killed() == .signaled(9))
      _ = try await provider.event { $0.operation == "read" && $0.error == "interrupted" }
      #expect(try await hold.parked == 0)
      try await hold.release()
      try await provider.evict("a.pdf")
    }
  }

  @Test func `of a file over 4 GiB has the right bytes at each end`() async throws {
    let size = (5 << 30) + 12345
    try source.write("big", Data())
    truncate(source.path + "/big", size)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: source.path + "/big"))
    for (offset, mark) in [(0, "start"), (1 << 32, "middle"), (size - 3, "end")] as [(Int, String)] {
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data(mark.utf8))
    }
    try file.close()
    try await withProvider(profile: "instant", source: source.source) { provider in
      let said = try await lines(
        """
        client = access("big")
        fd = os.open(at("big"), os.O_RDONLY)
        size = os.fstat(fd).st_size
        say(size, os.pread(fd, 5, 0), os.pread(fd, 8, (1 << 32) - 1), os.pread(fd, 100, size - 5),
            os.pread(fd, 1, size), os.fstat(fd).st_blocks * 512 >= size)
        """, in: provider)
      #expect(
        said == ["\(size) b'start' b'\\x00middle\\x00' b'\\x00\\x00end' b'' True"])
    }
  }
}
