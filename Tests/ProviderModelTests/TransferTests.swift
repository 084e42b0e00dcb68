import Testing

@testable import ProviderModel

// Bytes over time.

@Suite struct `Transfers` {
  private func harness(
    _ files: [ItemPath: Int64], _ change: (inout Profile) -> Void = { _ in }
  ) -> ModelHarness {
    let harness = ModelHarness(files) {
      $0.download.bandwidth = 2_000_000
      $0.download.concurrency = 2
      change(&$0)
    }
    harness.openGate()
    return harness
  }

  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test func `share the bandwidth, queue, stop at a hold and outlive a reader`() throws {
    // Latency 500 ms, 2 MB/s shared, two at once. a has 4 MB, b 3 MB, c 1 MB, all asked for at 0; a is held at
    // 40 % (1.6 MB); b's reader is killed at 1,200 ms.
    //
    //    500 ms  a and b get their first byte; 1 MB/s each
    //  2,100 ms  a has 1.6 MB and is held: it keeps its place, b gets all the bandwidth
    //  2,800 ms  b had 1.6 MB, and 0.7 s at 2 MB/s bring the rest: b is local, c starts, its latency begins
    //  3,300 ms  c gets its first byte, alone: 2 MB/s
    //  3,500 ms  c has 0.4 MB; a is released: 1 MB/s each
    //  4,100 ms  c has its last 0.6 MB; a has 2.2 MB and 2 MB/s from here
    //  5,000 ms  a has its last 1.8 MB
    let harness = harness(["a": 4_000_000, "b": 3_000_000, "c": 1_000_000]) {
      $0.download.latency = .fixed(.milliseconds(500))
    }
    harness.ask(.hold(.download, "a", at: .millionths(400_000), name: "h"))
    let paths: [ItemPath] = ["a", "b", "c"]
    let reads = try paths.map { harness.read(try harness.handle($0), 0..<1) }
    func bytes() throws -> [Int64?] {
      try paths.map { try harness.status($0) }.map { $0.copy == .local ? $0.size : $0.arrived }
    }

    harness.run(to: at(400))
    #expect(try bytes() == [0, 0, 0])
    harness.run(to: at(1_200))
    harness.interrupt(reads[1])
    // 0.7 s at 1 MB/s each.
    #expect(try bytes() == [700_000, 700_000, 0])
    harness.run(to: at(2_500))
    // a at its hold; b 1.6 MB and 0.4 s at 2 MB/s.
    #expect(try bytes() == [1_600_000, 2_400_000, 0])
    #expect(harness.events(.held).map(\.at) == [at(2_100)])
    #expect(harness.events(.held).map(\.offset) == [1_600_000])
    harness.run(to: at(3_400))
    // c 0.1 s at 2 MB/s.
    #expect(try bytes() == [1_600_000, 3_000_000, 200_000])
    #expect(harness.unanswered == [reads[0], reads[2]])
    harness.run(to: at(3_500))
    #expect(harness.ask(.release("h", error: nil)) == .released(1))
    harness.run(to: at(3_900))
    // Both 0.4 s at 1 MB/s.
    #expect(try bytes() == [2_000_000, 3_000_000, 800_000])
    harness.run(to: at(4_600))
    // a 2.2 MB and 0.5 s at 2 MB/s.
    #expect(try bytes() == [3_200_000, 3_000_000, 1_000_000])
    harness.run(to: at(6_000))
    #expect(harness.events(.downloadFinished).map(\.path) == ["b", "c", "a"])
    #expect(harness.events(.downloadFinished).map(\.at) == [at(2_800), at(4_100), at(5_000)])
    #expect(harness.unanswered.isEmpty)
  }

  /// A run of many downloads: when each finished, however the clock was moved.
  private func finishes(seed: UInt64, steps: Int) throws -> [ItemPath?: Instant] {
    var random = SeededGenerator(seed)
    var files: [ItemPath: Int64] = [:]
    for number in 0..<9 {
      files[ItemPath([Name("f\(number)")].compactMap { $0 })] = Int64.random(in: 1...5_000, using: &random)
    }
    let bandwidth: Int64? = [7, 1_000, 999_983].randomElement(using: &random)
    let concurrency = Int.random(in: 1...7, using: &random)
    let itemBandwidth: Int64? = [nil, 3, 777, 500_009].randomElement(using: &random) ?? nil
    let slowStart: Profile.SlowStart? =
      [
        nil, .init(bandwidth: 5, length: .seconds(2)), .init(bandwidth: 997, length: .seconds(40)),
      ].randomElement(using: &random) ?? nil
    let stalls: [Profile.Stall] = [
      .init(at: .millionths(333_333), length: .milliseconds(1_501)),
      .init(at: .bytes(77), length: .seconds(7), bandwidth: 13, path: Glob("f[0-4]")),
      .init(at: .bytes(99), length: nil, bandwidth: 11, path: Glob("f6")),
    ].filter { _ in Bool.random(using: &random) }
    let harness = harness(files) {
      $0.seed = seed
      $0.download.bandwidth = bandwidth
      $0.download.itemBandwidth = itemBandwidth
      $0.download.slowStart = slowStart
      $0.download.stalls = stalls
      $0.download.concurrency = concurrency
      $0.download.latency = .uniform(minimum: .zero, maximum: .seconds(3))
    }
    harness.label = "seed \(seed)"
    for path in files.keys.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
      harness.begin(.download([path]))
    }
    var moments = SeededGenerator(seed &+ 1)
    let end: Int64 = 100_000_000_000_000
    for _ in 1..<steps {
      harness.tick(to: harness.now + Span(nanoseconds: Int64.random(in: 1...40_000_003, using: &moments)))
      // Looking changes nothing either.
      harness.ask(.status([]))
    }
    harness.tick(to: Instant(nanoseconds: end))
    harness.expectNobodyWaits()
    return Dictionary(uniqueKeysWithValues: harness.events(.downloadFinished).map { ($0.path, $0.at) })
  }

  @Test(arguments: 1...80 as ClosedRange<UInt64>)
  func `arrive at the same moments in one jump and in many steps`(seed: UInt64) throws {
    let jump = try finishes(seed: seed, steps: 1)
    #expect(jump.count == 9)
    #expect(try finishes(seed: seed, steps: 400) == jump, "seed \(seed)")
  }

  @Test func `lose nothing to many small steps`() throws {
    // Three share 1 B/s: every step of a nanosecond divides by three with a rest.
    let harness = harness(["a": 1, "b": 1, "c": 1]) {
      $0.download.bandwidth = 1
      $0.download.concurrency = 3
    }
    for path in ["a", "b", "c"] as [ItemPath] { harness.begin(.download([path])) }
    for _ in 0..<1_000 { harness.pass(Span(nanoseconds: 1)) }
    harness.run(to: at(4_000))
    #expect(harness.events(.downloadFinished).map(\.at) == [at(3_000), at(3_000), at(3_000)])
  }

  @Test func `draw each item's latency from the seed, whoever asks first`() throws {
    func started(_ order: [ItemPath], seed: UInt64) throws -> [ItemPath?: Instant] {
      let harness = harness(["a": 1, "b": 1, "c": 1]) {
        $0.seed = seed
        $0.download.bandwidth = nil
        $0.download.concurrency = 3
        $0.download.latency = .logNormal(median: .milliseconds(800), p99: .seconds(6))
      }
      for path in order { harness.begin(.download([path])) }
      harness.run(to: at(100_000))
      return Dictionary(uniqueKeysWithValues: harness.events(.downloadFinished).map { ($0.path, $0.at) })
    }
    let drawn = try started(["a", "b", "c"], seed: 1)
    #expect(Set(drawn.values).count == 3)
    #expect(try started(["c", "b", "a"], seed: 1) == drawn)
    #expect(try started(["a", "b", "c"], seed: 2) != drawn)
  }

  @Test func `draw a new latency for each attempt`() throws {
    let harness = harness(["a": 1]) {
      $0.download.latency = .uniform(minimum: .seconds(1), maximum: .seconds(9))
    }
    var lengths: Set<Span> = []
    for _ in 0..<5 {
      let start = harness.now
      harness.begin(.download(["a"]))
      while let due = harness.nextDeadline { harness.tick(to: due) }
      lengths.insert(harness.now - start)
      harness.ask(.evict(["a"]))
    }
    #expect(lengths.count == 5)
  }

  /// There is no later moment at which the rest could arrive; asking for it must not go round for ever.
  @Test func `stand still at the end of time`() throws {
    let harness = harness(["a": 4_000_000])
    harness.run(to: Instant(nanoseconds: .max - 1))
    let read = harness.read(try harness.handle("a"), 0..<1)
    harness.run(to: Instant(nanoseconds: .max))
    #expect(harness.unanswered == [read])
    #expect(try harness.status("a").copy == .downloading)
    harness.run(to: Instant(nanoseconds: .max))
  }

  @Test func `without a limit arrive after their latency`() throws {
    let harness = harness(["a": 1 << 40]) {
      $0.download.bandwidth = nil
      $0.download.latency = .fixed(.seconds(2))
    }
    let number = harness.begin(.download(["a"]))
    #expect(harness.nextDeadline == at(2_000))
    harness.tick(to: at(2_000))
    #expect(harness.answer(number) != nil)
    #expect(harness.nextDeadline == nil)
  }
}

/// Numbers from a seed, the same on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = Dice.mix(seed) }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Dice.mix(state)
  }
}
