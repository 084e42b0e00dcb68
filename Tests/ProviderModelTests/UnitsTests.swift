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

  @Test(arguments: [("lcoal", "local"), ("DATALESS", "dataless"), ("", "local"), ("datales", "dataless")])
  func `has a nearest word`(_ word: String, _ nearest: String) {
    #expect(Nearest.word(to: word, among: ["dataless", "local"]) == nearest)
    #expect(Nearest.word(to: word, among: []) == nil)
  }
}
