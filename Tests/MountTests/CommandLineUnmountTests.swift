import Foundation
import ProviderControl
import ProviderTesting
import Testing

/// Reads a file that is parked somewhere and says what it met, then opens it once more.
private let reader = #"""
  import errno, os, sys
  def met(body):
      try: return body()
      except OSError as problem: return errno.errorcode[problem.errno]
  def read():
      # Not closed: a close of its own can fail, too.
      return len(os.read(os.open(sys.argv[1], os.O_RDONLY), 1000))
  print(met(read), flush=True)
  sys.stdin.readline()
  print(met(read), flush=True)
  """#

@Suite struct `Unmounting` {
  /// A reader inside a scope that is parked at a hold when this returns.
  private func parked(_ bench: Bench) async throws -> Started {
    let file = bench.file("a.pdf")
    try await bench.fakeprovider("hold", "read", file, "--name", "here")
    let started = try bench.start(["fakeprovider", "access", file, "--", "python3", "-c", reader, file])
    let waited = try await bench.fakeprovider("wait", "hold:here", "--provider", bench.cloud)
    try #require(waited.code == 0, "\(waited)")
    return started
  }

  @Test func `a provider that runs answers its readers and leaves nothing`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let provider = try bench.provider()
      let waiting = try await parked(bench)
      let said = try await bench.fakeprovider("unmount", bench.cloud)
      #expect(said.code == 0 && said.output == "" && said.errors == "", "\(said)")
      try bench.expectNothingLeft(of: provider)
      let first = try await waiting.line()
      #expect(first.hasPrefix("E"), "\(first)")
      // The mountpoint is an empty folder again.
      waiting.process.send(line: "go on")
      #expect(try await waiting.line() == "ENOENT")
      #expect(try await waiting.said().code == 0)
      let again = try await bench.fakeprovider("unmount", bench.cloud)
      #expect(again.code == 1 && again.errors.contains("is not a mountpoint of a provider"), "\(again)")
    }
  }

  @Test func `a provider that is stopped kills it within seconds and leaves nothing`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let provider = try bench.provider()
      let waiting = try await parked(bench)
      kill(provider.process, SIGSTOP)
      let clock = ContinuousClock()
      let start = clock.now
      let said = try await bench.fakeprovider("unmount", bench.cloud, "--json")
      #expect(clock.now - start < .seconds(20))
      #expect(said.code == 0, "\(said)")
      #expect(said.output == #"{"unmounted":[{"how":"killed","mountpoint":"\#(bench.cloud)"}]}"# + "\n")
      #expect(said.errors == "\(bench.cloud): the provider did not answer and was killed\n")
      try bench.expectNothingLeft(of: provider)
      #expect(try await waiting.line() == "ECONNABORTED")
      waiting.process.closeInput()
      #expect(try await waiting.said().output == "ENOENT\n")
    }
  }

  @Test func `what a killed provider left behind clears it`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let provider = try bench.provider()
      let waiting = try await parked(bench)
      kill(provider.process, SIGKILL)
      #expect(try await waiting.line() == "ECONNABORTED")
      waiting.process.send(line: "go on")
      #expect(try await waiting.line() == "ENOTCONN")
      #expect(try await waiting.said().code == 0)
      #expect(access(provider.socket, F_OK) == 0)
      for words in [["status", bench.file("a.pdf")], ["holds", "--provider", bench.cloud]] {
        let said = try await bench.run(["fakeprovider"] + words)
        #expect(said.code == 1 && said.output == "", "\(said)")
        let advice = "the provider of \(bench.cloud) has crashed; to clear what it left behind: "
        #expect(said.errors.contains(advice + "fakeprovider unmount \(bench.cloud)"), "\(said)")
      }
      let said = try await bench.fakeprovider("unmount", bench.cloud)
      #expect(said.code == 0, "\(said)")
      #expect(said.errors == "\(bench.cloud): cleared what a crashed provider left behind\n")
      try bench.expectNothingLeft(of: provider)
    }
  }

  @Test func `what a killed provider left behind makes room for another at the same place`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let provider = try bench.provider()
      let before = try await bench.run(["stat", "--format=%i %s", bench.file("a.pdf")])
      kill(provider.process, SIGKILL)
      try await eventually { access(bench.file("a.pdf"), F_OK) != 0 && errno == ENOTCONN }
      let said = try await bench.fakeprovider(
        "mount", "--background", "--profile", "instant", "--source", bench.source, bench.cloud)
      #expect(said.code == 0 && said.output == "ready \(bench.cloud)\n", "\(said)")
      #expect(said.errors == "\(bench.cloud): cleared what a crashed provider left behind\n")
      // Healthy, and the same items.
      #expect(try await bench.run(["stat", "--format=%i %s", bench.file("a.pdf")]).output == before.output)
      #expect(access(provider.socket, F_OK) != 0)
      // One that lives stays where it is.
      let again = try await bench.fakeprovider(
        "mount", "--background", "--profile", "instant", "--source", bench.source, bench.cloud)
      #expect(again.code == 1 && again.errors.contains("is a provider's mount already"), "\(again)")
    }
  }

  @Test func `something else is refused`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let cases: [([String], Int32, String)] = [
        ([bench.source], 1, "is not a mountpoint of a provider"),
        (["/proc"], 1, "is not a mountpoint of a provider"),
        ([bench.path + "/none"], 1, "is not a mountpoint of a provider"),
        ([bench.file("in")], 1, "is inside the provider mounted at \(bench.cloud); unmount that"),
        ([], 2, "needs MOUNTPOINT or --all\nusage: fakeprovider unmount"),
        (["--all", bench.cloud], 2, "--all stands without a mountpoint"),
        ([bench.cloud, bench.cloud], 2, "one word too many"),
      ]
      for (words, code, message) in cases {
        let said = try await bench.run(["fakeprovider", "unmount"] + words)
        #expect(said.code == code && said.output == "" && said.errors.contains(message), "\(words): \(said)")
      }
      #expect(try bench.mounts.count == 1)
    }
  }
}

/// In a mount table of its own, so that providers of others are neither counted nor ended.
@Suite(.enabled(if: Bench.isRoot, "a private mount table needs root"))
struct `Several providers on the command line` {
  @Test func `are told apart by --provider, and ended by --all`() async throws {
    try await withBench { bench in
      let said = try await bench.alone(
        """
        mkdir "it's"
        fakeprovider clock; echo "exit $?"
        fakeprovider mount --background --profile instant --source source cloud
        fakeprovider clock >/dev/null; echo "exit $?"
        fakeprovider mount --background --profile instant --source source "it's"
        for verb in holds clock events "release h" "wait hold:h"; do
          fakeprovider $verb >/dev/null; echo "exit $?"
        done
        fakeprovider holds --provider "it's"; echo "exit $?"
        fakeprovider status; echo "exit $?"
        fakeprovider list | wc -l
        kill -9 $(fakeprovider list --json | grep -o '"pid":[0-9]*' | head -n 1 | cut -d: -f2)
        fakeprovider unmount --all; echo "exit $?"
        fakeprovider unmount --all; echo "exit $?"
        fakeprovider list; echo "exit $?"
        ls run/fakeprovider | wc -l
        """)
      let several = "exit 2\n"
      let expected =
        "exit 1\nready \(bench.cloud)\nexit 0\nready \(bench.path)/it's\n"
        + String(repeating: several, count: 5) + "exit 0\nexit 0\n3\nexit 0\nexit 0\nexit 0\n0\n"
      #expect(said.output == expected, "\(said)")
      let list =
        "several providers are mounted; say which:\n  --provider \(bench.cloud)\n"
        + #"  --provider '\#(bench.path)/it'\''s'"# + "\n"
      #expect(said.errors.ranges(of: list).count == 5, "\(said.errors)")
      #expect(!said.errors.contains("usage:"), "\(said.errors)")
      #expect(said.errors.contains("cleared what a crashed provider left behind\n"), "\(said.errors)")
      #expect(said.errors.contains(": unmounted\n"), "\(said.errors)")
      #expect(said.errors.hasSuffix("no provider is mounted\nno provider is mounted\n"), "\(said.errors)")
    }
  }
}

extension Bench {
  /// Runs a script where no provider of anybody else is mounted; it must end what it mounts.
  func alone(_ script: String, environment: [String: String?] = [:]) async throws -> Said {
    let prelude = """
      cd "$1" || exit 99
      while read -r mountpoint; do umount -l -- "$(printf '%b' "$mountpoint")"; done < <(
        awk '/ - fuse.fakeprovider /{ print $5 }' /proc/self/mountinfo)
      trap 'fakeprovider unmount --all >/dev/null 2>&1' EXIT

      """
    return try await run(
      ["unshare", "--mount", "--propagation", "private", "bash", "-c", prelude + script, "bash", path],
      environment: environment)
  }
}
