import ProviderHost
import ProviderModel
import Testing

private func nanoseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count) }

@Suite struct `Provider time` {
  @Test(
    arguments: [
      ("real", .real), ("manual", .manual), ("scaled:1", .scaled(1)), ("scaled:100", .scaled(100)),
      ("scaled:1000000", .scaled(1_000_000)), ("scaled:0", nil), ("scaled:1000001", nil), ("scaled:", nil),
      ("scaled:1.5", nil), ("Real", nil), ("", nil), ("scaled:-1", nil),
    ] as [(String, ProviderTime.Mode?)])
  func `is read from a word`(text: String, mode: ProviderTime.Mode?) {
    #expect(ProviderTime.Mode(text) == mode)
  }

  @Test func `starts at zero and follows the machine's clock`() {
    let time = ProviderTime(.real, monotonic: 5_000)
    #expect(time.instant(at: 5_000) == .start)
    #expect(time.instant(at: 5_007) == nanoseconds(7))
    // A clock that is read late never goes back before the start.
    #expect(time.instant(at: 4_000) == .start)
  }

  @Test(arguments: [1, 3, 7, 100, 1_000_000] as [Int64])
  func `of a scale reaches a moment never too early and at most a tick late`(scale: Int64) throws {
    let time = ProviderTime(.scaled(scale), monotonic: 1_000)
    for wanted in [1, 2, 99, 100, 101, 1_000_000_007, 86_400_000_000_000] as [Int64] {
      let moment = try #require(time.monotonic(for: nanoseconds(wanted)))
      #expect(time.instant(at: moment) >= nanoseconds(wanted))
      #expect(time.instant(at: moment - 1) < nanoseconds(wanted))
    }
    #expect(time.monotonic(for: .start) == 1_000)
  }

  @Test func `moves by hand only while it stands still`() {
    var manual = ProviderTime(.manual, monotonic: 0)
    #expect(manual.instant(at: 1_000_000) == .start)
    #expect(manual.monotonic(for: nanoseconds(1)) == nil)
    let moved = manual.move(to: nanoseconds(60))
    #expect(moved == true)
    #expect(manual.instant(at: 2_000_000) == nanoseconds(60))
    // Never back.
    let movedBack = manual.move(to: nanoseconds(10))
    #expect(movedBack == true)
    #expect(manual.instant(at: 2_000_000) == nanoseconds(60))
    var real = ProviderTime(.real, monotonic: 0)
    let movedReal = real.move(to: nanoseconds(60))
    #expect(movedReal == false)
    #expect(real.instant(at: 5) == nanoseconds(5))
  }

  @Test func `stands still in a pause and goes on where it stood`() {
    var time = ProviderTime(.scaled(10), monotonic: 0)
    time.pause(at: 100)
    time.pause(at: 150)
    #expect(time.instant(at: 999) == nanoseconds(1_000))
    #expect(time.monotonic(for: nanoseconds(1_001)) == nil)
    let moved = time.move(to: nanoseconds(2_000))
    #expect(moved == true)
    time.resume(at: 1_000)
    #expect(time.instant(at: 1_000) == nanoseconds(2_000))
    #expect(time.instant(at: 1_001) == nanoseconds(2_010))
  }

  @Test func `keeps every nanosecond over many changes of scale`() {
    var time = ProviderTime(.real, monotonic: 0)
    var expected: Int64 = 0
    var now: Int64 = 0
    var scale: Int64 = 1
    for step in 1...1_000 as ClosedRange<Int64> {
      now += step
      expected += step * scale
      #expect(time.instant(at: now) == nanoseconds(expected))
      scale = step % 97 + 1
      time.setScale(scale, at: now)
    }
    #expect(time.scale == scale)
  }

  @Test func `ends at the last moment instead of going round`() {
    let time = ProviderTime(.scaled(1_000_000), monotonic: 0)
    #expect(time.instant(at: .max) == nanoseconds(.max))
    #expect(ProviderTime(.real, monotonic: .max / 2).monotonic(for: nanoseconds(.max)) == .max)
  }
}
