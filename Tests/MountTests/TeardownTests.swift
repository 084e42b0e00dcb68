import Foundation
import ProviderTesting
import Testing

/// Whoever goes away, and in whatever state: nothing is left, and nobody hangs.
@Suite(.serialized) struct Teardown {
  /// `make stress` sets it.
  private static let isStress = ProcessInfo.processInfo.environment["FAKEPROVIDER_STRESS"] == "1"
  private static let rounds = isStress ? 1000 : 50

  private let source: SourceFolder

  init() throws { source = try SourceFolder(["a.pdf": content(1_000_000)]) }

  /// Everything that a provider has outside itself.
  private func expectNothingLeft(
    of provider: RunningProvider, at location: SourceLocation = #_sourceLocation
  ) throws {
    let mounts = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    #expect(!mounts.contains(provider.path), sourceLocation: location)
    for path in [
      provider.path, provider.socket, URL(fileURLWithPath: provider.path).deletingLastPathComponent().path,
    ] {
      #expect(access(path, F_OK) != 0, "\(path)", sourceLocation: location)
    }
    #expect(Glibc.kill(provider.processID, 0) != 0 && errno == ESRCH, sourceLocation: location)
  }

  /// Reads at 40 % again and again, of the file that each line names, and says the errors that it meets: of
  /// that read, and after another line those of another read, of a stat and of an open.
  private func reader() throws -> ChildProcess {
    try python(
      """
      for line in sys.stdin:
          path = line.strip()
          fd = os.open(path, os.O_RDONLY)
          say(error(lambda: os.pread(fd, 4096, 400_000)))
          told()
          say(error(lambda: os.pread(fd, 4096, 400_000)), error(lambda: os.stat(path)),
              error(lambda: os.open(path, os.O_RDONLY)))
          error(lambda: os.close(fd))
      """, in: nil)
  }

  // MARK: A read that is held at 40 %

  @Test(.tags(.kernelMask), arguments: kernels)
  func `survives access being revoked and restored under a held read`(kernel: String?) async throws {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      let app = try python(
        """
        client = access("a.pdf")
        for line in sys.stdin:
            fd = os.open(at("a.pdf"), os.O_RDONLY)
            say(error(lambda: os.pread(fd, 4096, 400_000)))
            os.close(fd)
            told()
            say(client.call("start", path="a.pdf")["started"])
        """, in: provider)
      for round in 0..<Self.rounds {
        let reads = round % 2 == 1
        let hold = try await provider.hold(.read, "a.pdf", at: "40%")
        app.send(line: "go")
        try await hold.waitUntilParked()
        try await provider.revoke("a.pdf", reads: reads)
        try await provider.restore("a.pdf")
        try await hold.release()
        #expect(try await app.line() == (reads ? "EPERM" : "none"))
        app.send(line: "go")
        #expect(try await app.line() == "True")
      }
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `survives its reader being killed in a held read`(kernel: String?) async throws {
    try await withProvider(profile: "simulator", source: source.source, kernel: kernel) { provider in
      var last: UInt64 = 0
      for _ in 0..<Self.rounds {
        let hold = try await provider.hold(.read, "a.pdf", at: "40%")
        let reader = try child(["dd", "if=\(provider.path)/a.pdf", "of=/dev/null", "bs=128K"], in: provider)
        try await hold.waitUntilParked()
        #expect(try await reader.killed() == .signaled(9))
        last = try await provider.event(after: last) { $0.error == "interrupted" }.sequence
        #expect(try await hold.release() == 0)
      }
      try await provider.evict("a.pdf")
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `answers a held read when it is unmounted`(kernel: String?) async throws {
    let reader = try self.reader()
    for _ in 0..<Self.rounds {
      let provider = try await RunningProvider.start(
        profile: "simulator", source: source.source, kernel: kernel)
      let hold = try await provider.hold(.read, "a.pdf", at: "40%")
      reader.send(line: provider.path + "/a.pdf")
      try await hold.waitUntilParked()
      await provider.unmount()
      #expect(try await reader.line() == "ECONNABORTED")
      reader.send(line: "go")
      #expect(try await reader.line() == "ENOTCONN ENOENT ENOENT")
      try expectNothingLeft(of: provider)
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `leaves a mount that says so when it is killed, and that goes`(kernel: String?) async throws {
    let reader = try self.reader()
    for _ in 0..<Self.rounds {
      let provider = try await RunningProvider.start(
        profile: "simulator", source: source.source, kernel: kernel)
      let hold = try await provider.hold(.read, "a.pdf", at: "40%")
      reader.send(line: provider.path + "/a.pdf")
      try await hold.waitUntilParked()
      try await provider.kill()
      #expect(try await reader.line() == "ECONNABORTED")
      reader.send(line: "go")
      #expect(try await reader.line() == "ENOTCONN ENOTCONN ENOTCONN")
      await provider.unmount()
      try expectNothingLeft(of: provider)
    }
  }

  // MARK: Other ends

  @Test func `comes and goes`() async throws {
    for _ in 0..<(Self.isStress ? 1000 : 20) {
      let provider = try await RunningProvider.start(profile: "instant", source: source.source)
      await provider.unmount()
      try expectNothingLeft(of: provider)
    }
  }

  @Test func `ends with the object that holds it`() async throws {
    var provider: RunningProvider? = try await RunningProvider.start(
      profile: "instant", source: source.source)
    let (path, socket, process) = (provider?.path ?? "", provider?.socket ?? "", provider?.processID ?? 0)
    _ = try await blocking { [provider] in provider?.path }
    let remaining = provider
    provider = nil
    _ = consume remaining
    // A thread that has just used it may be the last to let go of it.
    try await eventually { Glibc.kill(process, 0) != 0 && access(path, F_OK) != 0 }
    #expect(access(socket, F_OK) != 0)
  }

  @Test func `ends although it is stopped and a reader hangs in it`() async throws {
    let reader = try self.reader()
    for _ in 0..<5 {
      let provider = try await RunningProvider.start(profile: "simulator", source: source.source)
      let hold = try await provider.hold(.read, "a.pdf", at: "40%")
      reader.send(line: provider.path + "/a.pdf")
      try await hold.waitUntilParked()
      provider.suspend()
      let hanging = try child(["stat", provider.path], in: provider)
      await provider.unmount()
      #expect(try await reader.line() == "ECONNABORTED")
      reader.send(line: "go")
      #expect(try await reader.line() == "ENOTCONN ENOENT ENOENT")
      _ = try await hanging.finished()
      try expectNothingLeft(of: provider)
    }
  }

  @Test func `goes on after it was stopped for a while`() async throws {
    try await withProvider(profile: "simulator", source: source.source) { provider in
      provider.suspend()
      let cat = try child(["cat", provider.path + "/a.pdf"], in: provider)
      provider.resume()
      #expect(try await cat.finished().output.isEmpty == false)
    }
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func `ends cleanly by a signal`(signal: Int32) async throws {
    let provider = try await RunningProvider.start(profile: "simulator", source: source.source)
    let reader = try self.reader()
    let hold = try await provider.hold(.read, "a.pdf", at: "40%")
    reader.send(line: provider.path + "/a.pdf")
    try await hold.waitUntilParked()
    Glibc.kill(provider.processID, signal)
    #expect(try await reader.line() == "ECONNABORTED")
    await provider.unmount()
    try expectNothingLeft(of: provider)
  }

  @Test func `ends when somebody takes its mount away`() async throws {
    let provider = try await RunningProvider.start(profile: "simulator", source: source.source)
    #expect(try await run(["umount", "--", provider.path], in: provider).code == 0)
    try await eventually { access(provider.socket, F_OK) != 0 }
    await provider.unmount()
    try expectNothingLeft(of: provider)
  }

  @Test func `ends with the process that started it`() async throws {
    let folder = try SourceFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/mount", withIntermediateDirectories: true)
    let said = try await lines(
      """
      import select, subprocess
      reading, writing = os.pipe()
      starter = os.fork()
      if starter == 0:
          provider = subprocess.Popen([sys.argv[1], "mount", "--profile", "instant", "--sample", "--lifeline",
                                       str(reading), sys.argv[2]], stdout=subprocess.PIPE, pass_fds=[reading])
          assert provider.stdout.readline().startswith(b"ready"), "not ready"
          os.kill(os.getppid(), signal.SIGUSR1)
          while True: signal.pause()
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
      os.close(writing)
      signal.sigwait([signal.SIGUSR1])
      children = open(f"/proc/{starter}/task/{starter}/children").read().split()
      ends = select.poll()
      ends.register(os.pidfd_open(int(children[0])), select.POLLIN)
      os.kill(starter, signal.SIGKILL)
      say(len(ends.poll(30_000)), sys.argv[2] in open("/proc/self/mountinfo").read())
      """, [try Executable.find(), folder.path + "/mount"], in: nil)
    #expect(said == ["1 False"])
  }
}
