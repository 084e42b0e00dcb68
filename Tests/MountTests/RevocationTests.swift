import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `A revocation` {
  private let source: SourceFolder

  init() throws { source = try SourceFolder(["a.pdf": content(1_000_000), "in/b.txt": Data("b".utf8)]) }

  private func provider<Value>(
    _ kernel: String? = nil, _ body: (RunningProvider) async throws -> Value
  ) async throws -> Value {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel, body)
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `ends scopes and starts but not open files, and restoring gives access back`(kernel: String?)
    async throws
  {
    try await provider(kernel) { provider in
      let app = try python(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        say("open"); told()
        def start(): return client.call("start", path="a.pdf")["started"]
        say(error(lambda: read("a.pdf")), start(), len(os.pread(fd, 1000, 0)))
        told()
        say(error(lambda: read("a.pdf")), start(), read("a.pdf") == original("a.pdf"))
        """, in: provider, source: source)
      #expect(try await app.line() == "open")
      let revoked = try await provider.revoke("a.pdf")
      #expect(revoked.grants == 1 && revoked.scopes == 1)
      #expect(revoked.descriptors == 1 && revoked.processesKilled == 0)
      app.send(line: "go")
      #expect(try await app.line() == "EPERM False 1000")
      #expect(try await provider.event { $0.errno == "EPERM" }.error == "accessRevoked")
      try await provider.restore("a.pdf")
      app.send(line: "go")
      // What was started before has ended with the revocation; a new start counts.
      #expect(try await app.line() == "EPERM True True")
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `with reads also fails open files and what waits`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      let app = try python(
        """
        client = access("a.pdf")
        fd = os.open(at("a.pdf"), os.O_RDONLY)
        say(len(os.pread(fd, 1000, 0))); told()
        say(error(lambda: os.pread(fd, 1000, 500_000)))
        say(error(lambda: os.pread(fd, 1000, 0)))
        """, in: provider)
      #expect(try await app.line() == "1000")
      let hold = try await provider.hold(.read, "a.pdf", at: "50%")
      app.send(line: "go")
      try await hold.waitUntilParked()
      #expect(try await provider.revoke("a.pdf", reads: true).descriptors == 1)
      #expect(try await app.line() == "EPERM")
      #expect(try await app.line() == "EPERM")
      #expect(try await hold.parked == 0)
    }
  }

  @Test func `while a read is held lets the copy become whole`() async throws {
    let target = try SourceFolder()
    try await provider { provider in
      let hold = try await provider.hold(.read, "a.pdf", at: "40%")
      let app = try python(
        """
        client = access("a.pdf")
        shutil.copyfile(at("a.pdf"), sys.argv[1] + "/copy")
        say(open(sys.argv[1] + "/copy", "rb").read() == original("a.pdf"), error(lambda: read("a.pdf")))
        """, [target.path], in: provider, source: source)
      try await hold.waitUntilParked()
      try await provider.revoke("a.pdf")
      #expect(try await provider.status(of: "a.pdf").scopes == [])
      try await hold.release()
      #expect(try await app.finished().lines == ["True EPERM"])
    }
  }

  @Test func `while a download is held fails the read that waits for it`() async throws {
    try await provider { provider in
      let hold = try await provider.hold(.download, "a.pdf", at: "40%")
      let app = try python(
        "client = access('a.pdf'); say(error(lambda: read('a.pdf'))); told()", in: provider)
      try await hold.waitUntilParked()
      try await provider.revoke("a.pdf")
      #expect(try await app.line() == "EPERM")
      #expect(try await provider.status(of: "a.pdf").scopes == [])
      try await hold.release()
      try await provider.wait(for: .state("a.pdf", .local))
    }
  }

  @Test func `by the user kills the app and nobody else`() async throws {
    try await provider { provider in
      let script = "client = access('a.pdf', app=sys.argv[1]); say('started'); told(); say('lives')"
      let victim = try python(script, ["org.example.victim"], in: provider)
      let other = try python(script, ["org.example.other"], in: provider)
      #expect(try await victim.line() == "started")
      #expect(try await other.line() == "started")
      let revoked = try await provider.revoke("a.pdf", app: "org.example.victim", byUser: true)
      #expect(revoked.processesKilled == 1)
      #expect(try await victim.finished().end == .signaled(9))
      other.send(line: "go")
      #expect(try await other.finished().lines == ["lives"])
    }
  }

  @Test func `of a folder reaches what is in it`() async throws {
    try await provider { provider in
      let app = try python(
        "client = access('in'); say(read('in/b.txt')); told(); say(error(lambda: read('in/b.txt')))",
        in: provider)
      #expect(try await app.line() == "b'b'")
      try await provider.revoke(".")
      app.send(line: "go")
      #expect(try await app.finished().lines == ["EPERM"])
    }
  }

  @Test func `of one app leaves the others theirs`() async throws {
    try await provider { provider in
      let script =
        "client = access('a.pdf', app=sys.argv[1]); say('started'); told(); say(error(lambda: read('a.pdf', 1)))"
      let one = try python(script, ["org.example.one"], in: provider)
      let two = try python(script, ["org.example.two"], in: provider)
      for app in [one, two] { #expect(try await app.line() == "started") }
      try await provider.revoke("a.pdf", app: "org.example.one")
      for app in [one, two] { app.send(line: "go") }
      #expect(try await one.finished().lines == ["EPERM"])
      #expect(try await two.finished().lines == ["none"])
    }
  }
}

@Suite(.serialized) struct `A scope` {
  private let source: SourceFolder

  init() throws { source = try SourceFolder(["a.pdf": content(1000), "in/b.txt": Data("b".utf8)]) }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `is its process's alone, or its descendants' too`(kernel: String?) async throws {
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      let said = try await lines(
        """
        import subprocess
        def child():
            return subprocess.run(["cat", at("a.pdf")], capture_output=True).returncode
        client = access("a.pdf")
        say(child(), len(read("a.pdf")))
        client.call("stop", path="a.pdf")
        client = access("a.pdf", covers="descendants")
        say(child())
        client.call("stop", path="a.pdf")
        say(child(), error(lambda: read("a.pdf")))
        """, in: provider)
      #expect(said == ["1 1000", "0", "1 EPERM"])
    }
  }

  @Test func `counts, and belongs to all threads of its process`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let said = try await lines(
        """
        client = access("a.pdf")
        client.call("start", path="a.pdf")
        client.call("stop", path="a.pdf")
        results = []
        thread = threading.Thread(target=lambda: results.append(error(lambda: read("a.pdf"))))
        thread.start(); thread.join()
        client.call("stop", path="a.pdf")
        say(results[0], error(lambda: read("a.pdf")))
        """, in: provider)
      #expect(said == ["none EPERM"])
    }
  }

  @Test func `dies with its process`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let app = try python("client = access('a.pdf'); say('started'); told()", in: provider)
      #expect(try await app.line() == "started")
      #expect(try await provider.status(of: "a.pdf").scopes == [app.pid])
      #expect(try await app.killed() == .signaled(9))
      _ = try await provider.event { $0.name == "processEnded" && $0.process == app.pid }
      #expect(try await provider.status(of: "a.pdf").scopes == [])
    }
  }

  @Test func `of a folder covers what is in it`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let said = try await lines(
        "client = access('in'); say(read('in/b.txt'), error(lambda: read('a.pdf')))", in: provider)
      #expect(said == ["b'b' EPERM"])
    }
  }

  @Test func `of a process in an inner pid namespace is known from outside`() async throws {
    try await withProvider(profile: "instant", source: source.source) { provider in
      let script = Python.prelude + "client = access('a.pdf'); say(os.getpid(), len(read('a.pdf')))"
      let inner = try await run(
        ["unshare", "--fork", "--pid", "--", Python.executable, "-I", "-S", "-c", script], in: provider)
      #expect(inner.lines == ["1 1000"], "\(inner.errors)")
    }
  }

  /// The provider is in the inner namespace, so that it cannot see who reads outside.
  @Test func `cannot be checked for a process that the provider cannot see`() async throws {
    let wrapper = try SourceFolder()
    let executable = try Executable.find()
    try wrapper.write(
      "text", Data("#!/bin/sh\nexec unshare --fork --kill-child --pid -- '\(executable)' \"$@\"\n".utf8))
    // Written by another process: one that is spawned meanwhile would inherit our descriptor for a moment, and a
    // file that is open for writing cannot be run.
    let install = ["install", "-m", "755", wrapper.path + "/text", wrapper.path + "/inner"]
    #expect(try await ChildProcess(install).finished().code == 0)
    try await withProvider(
      profile: "instant", source: source.source, executable: wrapper.path + "/inner"
    ) { provider in
      let cat = try await run(["cat", provider.path + "/a.pdf"], in: provider)
      #expect(cat.code == 1 && cat.errors.contains("Operation not permitted"))
      let event = try await provider.event { $0.operation == "open" }
      #expect(event.error == "callerNotVisible" && event.errno == "EPERM" && event.process == nil)
    }
  }
}
