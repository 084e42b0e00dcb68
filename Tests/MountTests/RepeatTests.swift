import Foundation
import ProviderTesting
import Testing

/// One profile and seed, and a client that opens and reads every file three times, evicting it in between.
@Suite(.serialized) struct `What a mounted provider does by chance` {
  private static let files = 24
  private let source: SourceFolder

  init() throws {
    source = try SourceFolder(
      Dictionary(uniqueKeysWithValues: (0..<Self.files).map { ("f\($0)", content(20_000, seed: UInt64($0))) })
    )
  }

  /// - Parameter divisor: of every duration.
  private func profile(divisor: Int64) throws -> String {
    func milliseconds(_ count: Int64) -> String { "\(count * 1_000_000 / divisor)ns" }
    let path = source.path + "/../profile-\(UUID().uuidString).json"
    let json = """
      { "schemaVersion": 1, "name": "by chance", "seed": 7, "access": { "mode": "simulator" },
        "download": {
          "latency": { "median": "\(milliseconds(200))", "p99": "\(milliseconds(4_000))" },
          "bandwidth": "\(200 * divisor)kB/s", "concurrency": 2, "timeout": "never",
          "retryInterval": "\(milliseconds(500))" },
        "latency": { "open": { "min": "\(milliseconds(1))", "max": "\(milliseconds(400))" } },
        "rules": [
          { "name": "fetch fails", "on": "download", "probability": "30%", "effect": { "error": "serverUnreachable" } },
          { "name": "fetch breaks", "on": "download", "probability": "20%", "bytes": { "from": "50%" },
            "effect": { "error": "EIO" } },
          { "name": "open times out", "on": "open", "probability": "20%",
            "effect": { "delay": "\(milliseconds(25_000))", "error": "ETIMEDOUT" } },
          { "name": "altered", "on": "read", "probability": "30%", "basis": { "standing": "synthetic" },
            "effect": { "altered": "50%" } }
        ] }
      """
    try Data(json.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private static let client = """
    import hashlib
    def attempt(path):
        try: said = hashlib.sha256(read(path)).hexdigest()[:16]
        except OSError as problem: said = errno.errorcode[problem.errno]
        try: os.setxattr(at(path), "user.fakeprovider.do", b"evict")
        except OSError: pass
        return said
    threads, outcomes = int(sys.argv[1]), {}
    def work(number):
        for index in range(number, 24, threads):
            outcomes[f"f{index}"] = [attempt(f"f{index}") for _ in range(3)]
    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    say(json.dumps(outcomes, sort_keys=True))
    """

  private func outcomes(
    threads: Int, clock: RunningProvider.ClockMode, divisor: Int64 = 1
  ) async throws -> String {
    let profile = try profile(divisor: divisor)
    defer { unlink(profile) }
    return try await withProvider(profile: profile, source: source.source, clock: clock) { provider in
      let client = try python(Self.client, ["\(threads)"], in: provider)
      async let finished = client.finished()
      if clock == .manual { try await advance(provider, whileRunning: client) }
      let said = try await finished
      #expect(said.code == 0 && said.errors == "", "\(said.errors)")
      return said.output
    }
  }

  /// From one moment at which something is due to the next, until the client has ended.
  private func advance(_ provider: RunningProvider, whileRunning client: ChildProcess) async throws {
    while client.hasEnded == nil {
      // Refused when nothing is due: the client is at work.
      _ = try? await provider.clock.advanceToNext()
    }
  }

  @Test func `is the same for each file with 1, 2 or 8 threads, in real, scaled and manual time`()
    async throws
  {
    let alone = try await outcomes(threads: 1, clock: .scaled(1_000))
    let kinds = try JSONDecoder().decode([String: [String]].self, from: Data(alone.utf8)).values.joined()
    #expect(kinds.contains("EIO") && kinds.contains("ETIMEDOUT") && kinds.contains { $0.count == 16 })
    for threads in [2, 8] {
      #expect(try await outcomes(threads: threads, clock: .scaled(1_000)) == alone, "\(threads) threads")
    }
    #expect(try await outcomes(threads: 8, clock: .manual) == alone, "manual time")
    #expect(
      try await outcomes(threads: 8, clock: .real, divisor: 100) == alone, "real time, a hundredth of it")
  }
}
