import Foundation
import ProviderControl
import ProviderTesting
import Testing

@Suite struct `fakeprovider access` {
  @Test func `ends as its command does`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let cases: [(command: [String], code: Int32)] = [
        (["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "exit 255"], 255),
        (["sh", "-c", "kill -TERM $$"], 143), (["sh", "-c", "kill -KILL $$"], 137),
        (["no-such-program"], 125), ([bench.source], 125), ([bench.source + "/b.txt"], 125),
      ]
      for (command, code) in cases {
        let said = try await bench.run(["fakeprovider", "access", bench.cloud, "--"] + command)
        #expect(said.code == code, "\(command): \(said)")
        #expect(said.output == "" && said.errorLines.count == (code == 125 ? 1 : 0), "\(command): \(said)")
      }
      let outside = try await bench.fakeprovider("access", bench.source, "--", "true")
      #expect(
        outside.code == 125 && outside.errors.contains("is not inside a mounted provider"), "\(outside)")
    }
  }

  @Test func `passes on what asks it to end`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let script = """
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        print("begun", flush=True)
        signal.sigwait({signal.SIGTERM})
        print("ended", flush=True)
        raise SystemExit(5)
        """
      let access = try bench.start(["fakeprovider", "access", bench.cloud, "--", "python3", "-c", script])
      #expect(try await access.line() == "begun")
      access.process.send(signal: SIGTERM)
      let said = try await access.said()
      #expect(said.code == 5 && said.output == "ended\n", "\(said)")
    }
  }

  @Test func `lasts as long as what its command left behind`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let file = bench.file("b.txt")
      let script = #"""
        import os, sys
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.close(writing)
            os.read(reading, 1)  # ends when the parent has ended
            if os.fork() == 0:
                print("orphan:", open(sys.argv[1]).read().strip(), flush=True)
            os._exit(0)
        os._exit(3)
        """#
      let said = try await bench.fakeprovider("access", file, "--", "python3", "-c", script, file)
      #expect(said.code == 3 && said.output == "orphan: bee\n" && said.errors == "", "\(said)")
      #expect(try await bench.run(["cat", file]).code == 1)
    }
  }

  @Test func `is for the app of --app, else FAKEPROVIDER_APP, else the command's file`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let said = try await bench.bash(
        """
        ln -s "$(command -v python3)" snake
        fakeprovider access cloud/b.txt --app com.example.one -- true
        FAKEPROVIDER_APP=com.example.two fakeprovider access cloud/b.txt -- true
        FAKEPROVIDER_APP=com.example.two fakeprovider access cloud/b.txt --app com.example.three -- true
        fakeprovider access cloud/b.txt -- ./snake -c ''
        fakeprovider events --json --provider cloud | grep '"name":"granted"' | grep -o '"app":"[^"]*"'
        readlink -f snake
        """)
      let lines = said.output.split(separator: "\n").map(String.init)
      let executable = try #require(lines.last)
      let apps = ["com.example.one", "com.example.two", "com.example.three", executable]
      #expect(lines.dropLast().map { $0 } == apps.map { "\"app\":\"\($0)\"" }, "\(said)")
    }
  }
}

@Suite struct `fakeprovider run` {
  @Test func `gives its command a provider, and takes it away again`() async throws {
    try await withBench { bench in
      let script = """
        test -S "$FAKEPROVIDER_CONTROL" || exit 20
        echo "$FAKEPROVIDER_MOUNT"
        stat -c '%s %b' "$FAKEPROVIDER_MOUNT/a.pdf"
        fakeprovider holds
        fakeprovider access "$FAKEPROVIDER_MOUNT/b.txt" -- cat "$FAKEPROVIDER_MOUNT/b.txt"
        exit 9
        """
      let journal = bench.path + "/events.jsonl"
      let said = try await bench.fakeprovider(
        "run", "--profile", "instant", "--source", bench.source, "--journal", journal, "--", "bash", "-c",
        script)
      #expect(said.code == 9 && said.errors == "no hold is set\n", "\(said)")
      let lines = said.output.split(separator: "\n").map(String.init)
      #expect(lines.dropFirst() == ["300000 0", "bee"])
      #expect(lines.first?.hasPrefix(bench.temporary) == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: bench.temporary).isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: bench.path + "/run/fakeprovider").isEmpty)
      #expect(try String(contentsOfFile: journal, encoding: .utf8).contains("\"name\":\"scopeStarted\""))
      #expect(try bench.mounts.isEmpty)
    }
  }

  @Test func `ends as its command does, and with 125 when it never ran`() async throws {
    try await withBench { bench in
      let cases: [(options: [String], command: [String], code: Int32)] = [
        (["--profile", "instant"], ["sh", "-c", "kill -KILL $$"], 137),
        (["--profile", "instant"], ["no-such-program"], 125),
        (["--profile", "instnt"], ["true"], 125),
        (["--profile", "instant", "--source", "/none"], ["true"], 125),
        (["--profle", "instant"], ["true"], 2), ([], ["true"], 2),
      ]
      for (options, command, code) in cases {
        let said = try await bench.run(["fakeprovider", "run"] + options + ["--"] + command)
        #expect(said.code == code && said.output == "", "\(options): \(said)")
        #expect(said.errorLines.count == (code == 137 ? 0 : 1) || code == 2, "\(options): \(said)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: bench.temporary).isEmpty)
      #expect(try bench.mounts.isEmpty)
    }
  }

  @Test func `that is asked to end takes its provider along`() async throws {
    try await withBench { bench in
      // Ends by the signal alone, not with its input.
      let command = "echo \"$FAKEPROVIDER_MOUNT\"; exec tail -f /dev/null"
      let words = ["fakeprovider", "run", "--profile", "instant", "--source", bench.source]
      let run = try bench.start(words + ["--", "bash", "-c", command])
      let mountpoint = try await run.line()
      #expect(try bench.mounts.map { String(decoding: $0.mountpoint, as: UTF8.self) } == [mountpoint])
      run.process.send(signal: SIGTERM)
      let said = try await run.said()
      #expect(said.code == 143 && said.errors == "", "\(said)")
      #expect(
        try bench.mounts.isEmpty && FileManager.default.contentsOfDirectory(atPath: bench.temporary).isEmpty)

      // Killed, it cannot clear anything; the lifeline ends the provider.
      let killed = try bench.start(words + ["--", "bash", "-c", "echo; exec cat"])
      _ = try await killed.line()
      let provider = try bench.provider()
      let script = "import os, select, sys; p = os.pidfd_open(int(sys.argv[1])); print(flush=True); "
      let watch = try bench.start(
        ["python3", "-c", script + "select.select([p], [], [])", "\(provider.process)"])
      _ = try await watch.line()
      killed.process.send(signal: SIGKILL)
      killed.process.closeInput()
      #expect(try await watch.said().code == 0)
      try bench.expectNothingLeft(of: provider)
    }
  }
}
