import Foundation
import ProviderTesting
import Testing

/// What a stranger does first.
@Suite struct `A file on the command line` {
  @Test func `cannot be read without access, and downloads inside it`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let file = bench.file("a.pdf")
      let before = try await bench.run(["stat", "-c", "%s %b", file])
      #expect(before.output == "300000 0\n")
      #expect(try await status(of: file, bench) == "dataless")
      let refused = try await bench.run(["cat", file])
      #expect(refused.code == 1)
      #expect(refused.output == "" && refused.errors.contains("Operation not permitted"))
      #expect(try await status(of: file, bench) == "dataless")

      let equal = try await bench.fakeprovider("access", file, "--", "cmp", file, bench.source + "/a.pdf")
      #expect(equal.code == 0 && equal.output == "" && equal.errors == "", "\(equal)")
      // Rounded up to 4096 bytes.
      #expect(try await bench.run(["stat", "-c", "%s %b", file]).output == "300000 592\n")
      #expect(try await status(of: file, bench) == "local")
      #expect(try await bench.run(["cat", file]).code == 1)

      let evicted = try await bench.fakeprovider("evict", file)
      #expect(evicted.code == 0 && evicted.output == "", "\(evicted)")
      #expect(evicted.errors == "\(file) is dataless (300 kB)\n")
      #expect(try await bench.run(["stat", "-c", "%s %b", file]).output == "300000 0\n")
    }
  }

  private func status(of file: String, _ bench: Bench) async throws -> String? {
    let said = try await bench.fakeprovider("status", "--json", file)
    #expect(said.code == 0 && said.errors == "", "\(said)")
    let object = try JSONSerialization.jsonObject(with: Data(said.output.utf8)) as? [String: Any]
    return (object?["items"] as? [[String: Any]])?.first?["copy"] as? String
  }

  @Test func `that is open is not evicted, and the message says what to close`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let file = bench.file("a.pdf")
      let said = try await bench.bash(
        """
        fakeprovider access cloud/a.pdf -- bash -c '
          exec 3<cloud/a.pdf; cat <&3 >/dev/null; fakeprovider evict "$1"; echo "exit $?"
          fakeprovider evict "$1" cloud/b.txt; echo "exit $?"' bash '\(file)'
        stat -c %b cloud/a.pdf
        fakeprovider evict cloud/a.pdf; echo "exit $?"
        """)
      #expect(said.output == "exit 1\nexit 1\n592\nexit 0\n", "\(said)")
      let lines = said.errorLines
      #expect(lines.count == 3, "\(said)")
      #expect(lines[0].contains("\(file) was not evicted: it is still open (1 open descriptor)"))
      #expect(lines[0].contains("EBUSY") && lines[0].contains("Close it"))
      #expect(lines[1].contains("none of the 2 items was evicted"))
    }
  }

  /// close(2) returns before the provider hears of it, so an eviction can overtake it.
  @Test func `is evicted right after its close, every time`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let script = #"""
        import json, os, socket, subprocess, sys
        path, control = sys.argv[1:]
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(control)
        lines = connection.makefile("rb")
        for turn in range(300):
            descriptor = os.open(path, os.O_RDONLY)
            os.read(descriptor, 10)
            os.close(descriptor)
            connection.sendall(json.dumps({"id": turn, "verb": "evict", "path": path}).encode() + b"\n")
            reply = json.loads(lines.readline())
            if not reply["ok"]: sys.exit(f"turn {turn}: {reply}")
            if os.stat(path).st_blocks: sys.exit(f"turn {turn}: blocks")
        for turn in range(20):
            open(path, "rb").close()
            subprocess.run(["fakeprovider", "evict", path], check=True, stderr=subprocess.DEVNULL)
        """#
      let file = bench.file("a.pdf")
      let said = try await bench.fakeprovider(
        "access", file, "--", "python3", "-c", script, file, try bench.provider().socket)
      #expect(said.code == 0, "\(said)")
    }
  }

  @Test func `has a progress bar on a terminal that ends at 100 %, and none elsewhere`() async throws {
    try await withBench(["a.pdf": Bench.bytes(400_000)]) { bench in
      let profile = bench.path + "/slow.json"
      try Data(
        #"{"schemaVersion": 1, "name": "slow", "download": {"bandwidth": "1MB/s"}}"#.utf8
      ).write(to: URL(fileURLWithPath: profile))
      try await bench.mount(profile: profile)
      let file = bench.file("a.pdf")
      let script = #"""
        import os, pty, subprocess, sys
        master, slave = pty.openpty()
        child = subprocess.Popen(["fakeprovider", "download", sys.argv[1]], stderr=slave, stdout=subprocess.PIPE)
        os.close(slave)
        seen = b""
        while True:
            try: some = os.read(master, 4096)
            except OSError: break
            if not some: break
            seen += some
        print(repr(child.stdout.read()), child.wait())
        sys.stdout.write(seen.decode())
        """#
      let shown = try await bench.run(["python3", "-c", script, file])
      #expect(shown.output.hasPrefix("b'' 0\n"), "\(shown)")
      let drawn = shown.output.split(separator: "\u{1B}[K").dropFirst()
      #expect(drawn.count >= 3, "\(shown)")
      #expect(drawn.contains { $0.hasPrefix("[") && !$0.contains("100 %") }, "\(shown)")
      #expect(
        drawn.last?.hasPrefix("[####################] 100 %  400 kB of 400 kB  \(file)") == true, "\(shown)")
      #expect(drawn.last?.hasSuffix("\(file) is local (400 kB)\r\n") == true, "\(shown)")

      try await bench.fakeprovider("evict", file)
      let silent = try await bench.fakeprovider("download", file)
      #expect(silent.code == 0 && silent.output == "")
      #expect(silent.errors == "\(file) is local (400 kB)\n", "\(silent)")
    }
  }

  @Test func `is served again to whoever mounts as a line of JSON`() async throws {
    try await withBench { bench in
      let words = ["fakeprovider", "mount", "--json", "--profile", "instant", "--source", bench.source]
      let foreground = try bench.start(words + [bench.cloud])
      #expect(try await foreground.line() == #"{"mountpoint":"\#(bench.cloud)"}"#)
      try await bench.fakeprovider("unmount", bench.cloud)
      let ended = try await foreground.said()
      #expect(ended.code == 0 && ended.output == "" && ended.errors == "", "\(ended)")
      let background = try await bench.run(words + ["--background", bench.cloud])
      #expect(background.output == "{\"mountpoint\":\"\(bench.cloud)\"}\n")
    }
  }
}
