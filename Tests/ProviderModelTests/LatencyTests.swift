import Testing

@testable import ProviderModel

// Delays over many draws, from a seed that is in the test.

@Suite struct `Drawing a latency` {
  private static let draws: UInt64 = 100_000

  private func sorted(_ latency: Latency, seed: UInt64) -> [Int64] {
    (0..<Self.draws).map { attempt in
      latency.draw(Dice(seed: seed, item: .root, action: .download, attempt: attempt)).nanoseconds
    }.sorted()
  }

  @Test func `gives a fixed one as it is`() {
    #expect(Set(sorted(.fixed(.milliseconds(800)), seed: 1)) == [800_000_000])
  }

  @Test(arguments: [1, 2, 77] as [UInt64])
  func `spreads a uniform one evenly from its minimum to its maximum`(seed: UInt64) {
    let lengths = sorted(.uniform(minimum: .seconds(2), maximum: .seconds(8)), seed: seed)
    for (percent, seconds) in [(0, 2.0), (25, 3.5), (50, 5.0), (75, 6.5)] {
      let length = Double(lengths[lengths.count * percent / 100]) / 1e9
      #expect(abs(length - seconds) < 0.05, "\(percent) %, seed \(seed)")
    }
    #expect(lengths.allSatisfy { (2_000_000_000...8_000_000_000).contains($0) })
    #expect((lengths.last ?? 0) > 7_990_000_000)
  }

  @Test(arguments: [1, 2, 77] as [UInt64])
  func `has the median and the 99th percentile of a log-normal one`(seed: UInt64) {
    let lengths = sorted(.logNormal(median: .milliseconds(800), p99: .seconds(6)), seed: seed)
    let median = Double(lengths[lengths.count / 2])
    let p99 = Double(lengths[lengths.count * 99 / 100])
    #expect(abs(median / 800e6 - 1) < 0.03, "median \(median), seed \(seed)")
    #expect(abs(p99 / 6e9 - 1) < 0.05, "p99 \(p99), seed \(seed)")
    // The lower tail mirrors the upper one: the first percentile is median² / p99.
    let p1 = Double(lengths[lengths.count / 100])
    #expect(abs(p1 / (800e6 * 800e6 / 6e9) - 1) < 0.05, "p1 \(p1), seed \(seed)")
    // Draws end at the 99.9th percentile, so that no reader waits for ever by chance.
    #expect((lengths.last ?? .max) < 12_000_000_000)
  }

  @Test func `gives the same delay for the same dice, and others for others`() {
    let latency = Latency.logNormal(median: .milliseconds(800), p99: .seconds(6))
    func draw(_ seed: UInt64, _ item: UInt64, _ action: Dice.Action, _ attempt: UInt64) -> Span {
      latency.draw(Dice(seed: seed, item: ItemID(item), action: action, attempt: attempt))
    }
    let drawn = draw(1, 2, .download, 3)
    #expect(drawn == draw(1, 2, .download, 3))
    for other in [
      draw(2, 2, .download, 3), draw(1, 3, .download, 3), draw(1, 2, .open, 3), draw(1, 2, .download, 4),
    ] {
      #expect(other != drawn)
    }
  }

  @Test func `has the same bits on every machine`() {
    let dice = Dice(seed: 1, item: .root, action: .download, attempt: 0)
    #expect(dice.bits == 10_221_669_612_495_221_047)
    #expect(
      Latency.logNormal(median: .milliseconds(800), p99: .seconds(6)).draw(dice).nanoseconds == 899_771_213)
    #expect(
      Latency.uniform(minimum: .seconds(2), maximum: .seconds(8)).draw(dice).nanoseconds == 5_324_706_920)
  }

  @Test func `does not trap on the widest bounds`() {
    let widest = Span(nanoseconds: .max)
    for attempt: UInt64 in 0..<1_000 {
      let dice = Dice(seed: 1, item: .root, action: .list, attempt: attempt)
      #expect(Latency.uniform(minimum: .zero, maximum: widest).draw(dice) >= .zero)
      #expect(Latency.logNormal(median: Span(nanoseconds: 1), p99: widest).draw(dice) >= .zero)
      #expect(Latency.logNormal(median: widest, p99: widest).draw(dice) == widest)
      #expect(Latency.uniform(minimum: .seconds(1), maximum: .seconds(1)).draw(dice) == .seconds(1))
    }
  }
}
