import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `The journal of a mount` {
  private let source: SourceFolder

  init() throws {
    source = try SourceFolder(["a.pdf": content(100_000), "d/b.txt": Data("b".utf8)])
    symlink("a.pdf", source.path + "/link")
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `has every operation with its process and app`(kernel: String?) async throws {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      let said = try await lines(
        #"""
        client = access("a.pdf")
        os.listdir(mount)
        os.stat(mount + "/a.pdf")
        say(error(lambda: os.stat(mount + "/none")))
        os.readlink(mount + "/link")
        os.statvfs(mount)
        say(error(lambda: os.getxattr(mount + "/a.pdf", "user.none")))
        os.listxattr(mount + "/a.pdf")
        file = os.open(mount + "/a.pdf", os.O_RDONLY)
        os.read(file, 10)
        os.fsync(file)
        say(error(lambda: os.mkdir(mount + "/new")))
        say(os.getpid(), os.readlink("/proc/self/exe"))
        """#, in: provider)
      #expect(said.dropLast() == ["ENOENT", "ENODATA", "EPERM"])
      let own = try #require(said.last).split(separator: " ", maxSplits: 1).map(String.init)
      let events = try await provider.journal().filter {
        $0.name == "operation" && "\($0.process ?? 0)" == own[0]
      }
      #expect(events.allSatisfy { $0.app == own[1] && $0.thread == $0.process && $0.waited != nil })
      let operations = Set(events.compactMap(\.operation))
      let expected: Set = [
        "lookup", "getattr", "readlink", "opendir", "readdir", "statfs", "getxattr", "listxattr", "open",
        "read",
        "fsync", "mkdir",
      ]
      #expect(operations.isSuperset(of: expected), "\(expected.subtracting(operations))")
      #expect(events.last { $0.operation == "lookup" && $0.path == "none" }?.errno == "ENOENT")
      #expect(events.last { $0.operation == "getxattr" }?.errno == "ENODATA")
      #expect(events.last { $0.operation == "readlink" }?.path == "link")
      #expect(events.last { $0.operation == "fsync" }?.path == "a.pdf")
      #expect(events.last { $0.operation == "read" }?.errno == nil)
    }
  }

  @Test func `tells a program from the one that it replaced`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let script = #"test -e "$FAKEPROVIDER_MOUNT/a.pdf"; exec cat "$FAKEPROVIDER_MOUNT/none" 2>/dev/null"#
      for _ in 0..<20 { _ = try await run(["sh", "-c", script], in: provider) }
      let events = try await provider.journal().filter { $0.operation == "lookup" }
      let looked = Set(events.filter { $0.path == "a.pdf" }.compactMap(\.app))
      let opened = Set(events.filter { $0.path == "none" }.compactMap(\.app))
      #expect(looked.count == 1 && opened.count == 1 && looked != opened, "\(looked) \(opened)")
      #expect(opened.first?.hasSuffix("/cat") == true)
    }
  }

  @Test func `has no looking for what desktops probe`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      _ = try await lines(
        """
        for name in (".Trash", ".Trash-0", "autorun.inf", "d/.hidden", "d/probed"):
            error(lambda: os.stat(mount + "/" + name))
        """, in: provider)
      let paths = try await provider.journal().filter { $0.errno == "ENOENT" }.compactMap(\.path?.description)
      #expect(paths == ["d/probed"])
    }
  }

  @Test func `says who could not be served from the source`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let reader = try python(
        """
        client = access("a.pdf")
        file = os.open(mount + "/a.pdf", os.O_RDONLY)
        say("open")
        told()
        say(error(lambda: os.read(file, 10)))
        """, in: provider)
      #expect(try await reader.line() == "open")
      try source.write("a.pdf", content(100_000, seed: 2))
      reader.send(line: "go")
      #expect(try await reader.finished().lines == ["ESTALE"])
      let read = try await provider.journal().last { $0.operation == "read" }
      #expect(read?.errno == "ESTALE")
    }
  }

  @Test func `does not wait for a follower that never reads`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let stuck = try python(
        """
        client = socket.socket(socket.AF_UNIX)
        client.connect(os.environ["FAKEPROVIDER_CONTROL"])
        client.sendall(b'{"id":1,"verb":"events","follow":true,"since":0}\\n')
        say("following")
        told()
        last = 0
        for line in client.makefile("rb"):
            event = json.loads(line).get("event")
            if not event: continue
            assert event["sequence"] == last + 1, (last, event)
            last = event["sequence"]
            if event.get("path") == "the end": break
        say(last)
        """, in: provider)
      #expect(try await stuck.line() == "following")
      let before = try Self.memory(of: provider.processID)
      let said = try await lines(
        """
        for _ in range(20_000): os.stat(mount + "/a.pdf")
        error(lambda: os.stat(mount + "/the end"))
        say("done")
        """, in: provider)
      #expect(said == ["done"])
      // Others get everything, and so does this one in the end.
      let last = try await provider.event { $0.path == "the end" }
      #expect(last.sequence > 20_000)
      #expect(try await provider.status(of: "a.pdf").copy == .dataless)
      let grown = try Self.memory(of: provider.processID) - before
      #expect(grown < 32 << 10, "\(grown) kB")
      stuck.send(line: "go")
      #expect(try await stuck.finished().lines == ["\(last.sequence)"])
    }
  }

  /// Of its resident pages, in kB.
  private static func memory(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
  }
}
