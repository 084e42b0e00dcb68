import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `A dataless file` {
  private let source: SourceFolder
  private static let size = 1_000_000

  init() throws {
    source = try SourceFolder(["a.pdf": content(Self.size), "in/b.txt": Data("b".utf8)])
  }

  private func provider<Value>(
    _ kernel: String? = nil, profile: String = "instant", _ body: (RunningProvider) async throws -> Value
  ) async throws -> Value {
    try await withProvider(profile: profile, source: source.source, kernel: kernel, body)
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `has its true size and no blocks until the first read`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      let said = try await lines(
        """
        client = access("a.pdf")
        def blocks(): return os.stat(at("a.pdf")).st_blocks
        say(os.stat(at("a.pdf")).st_size, blocks())
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        say("opened", blocks(), os.fstat(fd).st_blocks, client.call("status", path="a.pdf")["items"][0]["copy"])
        say("read", os.read(fd, 10) == original("a.pdf")[:10])
        say("after", blocks(), os.fstat(fd).st_blocks)
        os.close(fd)
        say(client.call("evict", path="a.pdf")["ok"], blocks())
        """, in: provider, source: source)
      // 1,000,000 bytes are 245 blocks of 4,096, in units of 512.
      #expect(
        said == ["1000000 0", "opened 0 0 dataless", "read True", "after 1960 1960", "True 0"])
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `is refused without a scope, with EPERM`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      let cat = try await run(["cat", provider.path + "/a.pdf"], in: provider)
      #expect(cat.code == 1 && cat.output == "")
      #expect(cat.errors.contains("Operation not permitted"))
      let event = try await provider.event { $0.operation == "open" }
      #expect(event.errno == "EPERM" && event.scoped == false && event.path == "a.pdf")
      #expect(try await provider.status(of: "a.pdf").copy == .dataless)
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `gives its bytes to a process with a scope, and again after it was evicted`(kernel: String?)
    async throws
  {
    try await provider(kernel) { provider in
      let said = try await lines(
        """
        client = access("a.pdf")
        for _ in range(3):
            say(read("a.pdf") == original("a.pdf"), client.call("evict", path="a.pdf")["ok"])
        client.call("stop", path="a.pdf")
        say(error(lambda: read("a.pdf")))
        """, in: provider, source: source)
      #expect(said == ["True True", "True True", "True True", "EPERM"])
      let names = try await provider.journal().map(\.name)
      #expect(names.count { $0 == "downloadStarted" } == 3)
      #expect(names.count { $0 == "evicted" } == 3)
    }
  }

  @Test func `cannot be evicted while it is open`() async throws {
    try await provider { provider in
      let said = try await lines(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        os.read(fd, 1)
        reply = client.call("evict", path="a.pdf")
        say(reply["ok"], reply["error"]["errno"])
        """, in: provider)
      #expect(said == ["False EBUSY"])
    }
  }

  @Test(arguments: ["thread", "process"])
  func `is downloaded once for 64 readers`(kind: String) async throws {
    try await provider { provider in
      let hold = try await provider.hold(.download, "a.pdf", at: "40%")
      let readers = try python(
        """
        expected = original("a.pdf")
        def reader(): return read("a.pdf") == expected
        results = []
        if sys.argv[1] == "thread":
            client = access("a.pdf")
            all = [threading.Thread(target=lambda: results.append(reader())) for _ in range(64)]
            for thread in all: thread.start()
            for thread in all: thread.join()
        else:
            for _ in range(64):
                if os.fork() == 0:
                    client = access("a.pdf")
                    os._exit(0 if reader() else 1)
            results = [os.wait()[1] == 0 for _ in range(64)]
        say(len(results), all(results) if sys.argv[1] == "process" else False not in results)
        """, [kind], in: provider, source: source)
      var last: UInt64 = 0
      for _ in 0..<64 { last = try await provider.event(after: last) { $0.operation == "open" }.sequence }
      try await hold.waitUntilParked()
      try await hold.release()
      #expect(try await readers.finished().lines == ["64 True"])
      let events = try await provider.journal()
      #expect(events.count { $0.name == "downloadStarted" } == 1)
      #expect(events.count { $0.name == "downloadFinished" } == 1)
    }
  }

  @Test func `goes on downloading when its reader is killed, who leaves at once`() async throws {
    try await provider { provider in
      let hold = try await provider.hold(.download, "a.pdf", at: "40%")
      let reader = try python("client = access('a.pdf'); read('a.pdf')", in: provider)
      try await hold.waitUntilParked()
      #expect(try await provider.status(of: "a.pdf").arrived == 400_000)
      #expect(try await reader.killed() == .signaled(9))
      let read = try await provider.event { $0.operation == "read" }
      #expect(read.error == "interrupted")
      try await hold.release()
      try await provider.wait(for: .state("a.pdf", .local))
    }
  }

  @Test(arguments: [HoldableOperation.open, .read, .download])
  func `lets a waiting call be interrupted by a signal`(operation: HoldableOperation) async throws {
    try await provider { provider in
      let hold = try await provider.hold(operation, "a.pdf")
      let reader = try python(
        """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        signal.signal(signal.SIGUSR1, lambda *_: None)
        client = access("a.pdf")
        buffer = ctypes.create_string_buffer(10)
        fd = libc.open(at("a.pdf").encode(), os.O_RDONLY)
        result = fd if fd < 0 else libc.read(fd, buffer, 10)
        say(result, errno.errorcode.get(ctypes.get_errno()))
        if fd < 0: fd = libc.open(at("a.pdf").encode(), os.O_RDONLY)
        say(libc.read(fd, buffer, 10))
        """, in: provider)
      try await hold.waitUntilParked()
      reader.send(signal: SIGUSR1)
      #expect(try await reader.line() == "-1 EINTR")
      try await hold.release()
      #expect(try await reader.finished().lines == ["10"])
    }
  }

  @Test func `opens for everyone as in the simulator`() async throws {
    try await provider(profile: "simulator") { provider in
      let cat = try await run(["cat", provider.path + "/in/b.txt"], in: provider)
      #expect(cat.code == 0 && cat.output == "b")
      let stat = try await run(["stat", "--format=%s %b", provider.path + "/a.pdf"], in: provider)
      #expect(stat.lines == ["1000000 1960"])
    }
  }

  @Test func `takes as long as its profile says, by the provider's clock`() async throws {
    try await withProvider(profile: "slow-cloud", source: source.source, clock: .manual) { provider in
      let reader = try python("client = access('a.pdf'); say(len(read('a.pdf')))", in: provider)
      try await provider.wait(for: .state("a.pdf", .downloading))
      try await provider.clock.advance(by: .seconds(8))
      // 2 to 8 s until the first byte, then 3.4 s at 300 kB/s.
      try await provider.clock.advance(by: .seconds(4))
      #expect(try await reader.finished().lines == ["1000000"])
      let finished = try await provider.event { $0.name == "downloadFinished" }
      #expect((Duration.milliseconds(5333)...(.milliseconds(11334))).contains(finished.at))
    }
  }
}
