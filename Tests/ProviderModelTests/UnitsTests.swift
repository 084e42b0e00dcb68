import Testing

@testable import ProviderModel

// Values with their unit, and the nearest word.

@Suite struct `A value with its unit` {
  @Test(
    arguments: [
      ("0", 0), ("800ms", 800_000_000), ("1.5s", 1_500_000_000), ("2m", 120_000_000_000), ("10ns", 10),
      ("250us", 250_000), ("1h", 3_600_000_000_000), ("0.000000001s", 1),
    ] as [(String, Int64)])
  func `is read as a duration`(_ text: String, _ nanoseconds: Int64) {
    #expect(Span(text: text)?.nanoseconds == nanoseconds)
  }

  @Test(arguments: [
    "", "1", "s", ".s", ".5s", "1.s", "-1s", "+1s", "1.-5s", "1 s", "1e3s", "9999999999h", "1S", "१s",
  ])
  func `is no duration`(_ text: String) { #expect(Span(text: text) == nil) }

  @Test(
    arguments: [
      (0, "0"), (1, "1ns"), (1_500, "1500ns"), (1_000_000, "1ms"), (90_000_000_000, "90s"),
      (120_000_000_000, "2m"), (86_400_000_000_000, "24h"), (.max, "9223372036854775807ns"),
    ] as [(Int64, String)])
  func `is written as a duration and read again`(_ nanoseconds: Int64, _ text: String) {
    let span = Span(nanoseconds: nanoseconds)
    #expect(span.text == text)
    #expect(Span(text: text) == span)
  }

  @Test(
    arguments: [
      ("2MB/s", 2_000_000), ("500kB/s", 500_000), ("1MiB/s", 1_048_576), ("1GB/s", 1_000_000_000),
      ("7B/s", 7), ("3KiB/s", 3_072), ("1048577B/s", 1_048_577),
    ] as [(String, Int64)])
  func `is read as a rate and written again`(_ text: String, _ bytes: Int64) {
    #expect(ByteRate.bytesPerSecond(text: text) == bytes)
    #expect(ByteRate.text(bytesPerSecond: bytes) == text)
  }

  @Test(arguments: ["", "2MB", "2mb/s", "MB/s", "-1B/s", "1.2.3MB/s", "99999999999GB/s"])
  func `is no rate`(_ text: String) { #expect(ByteRate.bytesPerSecond(text: text) == nil) }

  @Test(
    arguments: [
      ("65536", 65_536), ("64KiB", 65_536), ("2MB", 2_000_000), ("1.5GiB", 1_610_612_736), ("0", 0),
      ("7B", 7),
    ] as [(String, Int64)])
  func `is read as a number of bytes`(_ text: String, _ bytes: Int64) {
    #expect(ByteCount.bytes(text: text) == bytes)
    #expect(ByteCount.bytes(text: ByteCount.text(bytes: bytes)) == bytes)
    #expect(HoldPoint(text: text) == .bytes(bytes))
  }

  @Test(
    arguments: [
      ("40%", 400_000, "40%"), ("12.5%", 125_000, "12.5%"), ("100.00%", 1_000_000, "100%"), ("0%", 0, "0%"),
      ("007.0001%", 70_001, "7.0001%"),
    ] as [(String, Int64, String)])
  func `is read as a share and written again`(_ text: String, _ millionths: Int64, _ written: String) {
    #expect(HoldPoint(text: text) == .millionths(millionths))
    #expect(HoldPoint.millionths(millionths).text == written)
  }

  @Test(arguments: [
    "", "%", "-1", "+1", "1.5", "1.5.5MB", "101%", "100.0001%", "0.00001%", "40 %", "64kib", "9999999999GB",
    "MB",
  ])
  func `is no place in a file`(_ text: String) { #expect(HoldPoint(text: text) == nil) }

  @Test(arguments: [("lcoal", "local"), ("DATALESS", "dataless"), ("", "local"), ("datales", "dataless")])
  func `has a nearest word`(_ word: String, _ nearest: String) {
    #expect(Nearest.word(to: word, among: ["dataless", "local"]) == nearest)
    #expect(Nearest.word(to: word, among: []) == nil)
  }
}
