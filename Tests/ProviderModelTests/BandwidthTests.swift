import Testing

@testable import ProviderModel

// Who gets how much of what there is.

@Suite struct `The bandwidth` {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func harness(
    _ files: [ItemPath: Int64], _ change: (inout Profile.Download) -> Void
  ) -> ModelHarness {
    let harness = ModelHarness(files) { change(&$0.download) }
    harness.openGate()
    return harness
  }

  private func finishes(_ harness: ModelHarness) -> [Instant] {
    harness.run(to: at(10_000_000))
    return harness.events(.downloadFinished).map(\.at)
  }

  @Test func `is divided evenly, and what one may not have goes to the others`() {
    func divided(_ bandwidth: Int64?, _ limits: [Int64?]) -> [[Int64]] {
      Bandwidth.divided(bandwidth, among: limits).map { rate in
        switch rate {
        case .nothing: [0]
        case .unlimited: []
        case .limited(let bytes, let sharers): [bytes, sharers]
        }
      }
    }
    #expect(divided(900, [nil, nil, nil]) == [[900, 3], [900, 3], [900, 3]])
    #expect(divided(1_000, [nil, nil, nil]) == [[1_000, 3], [1_000, 3], [1_000, 3]])
    #expect(divided(900, [nil, 100, nil]) == [[800, 2], [100, 1], [800, 2]])
    // What 100 leaves makes a share of 400, which is more than 350.
    #expect(divided(900, [350, 100, nil]) == [[350, 1], [100, 1], [450, 1]])
    // Nobody may have his share: the rest is nobody's.
    #expect(divided(900, [100, 100, 100]) == [[100, 1], [100, 1], [100, 1]])
    #expect(divided(2, [100, 100, 100]) == [[2, 3], [2, 3], [2, 3]])
    #expect(divided(nil, [nil, 5]) == [[], [5, 1]])
    #expect(divided(.max, [.max, .max]) == [[.max, 2], [.max, 2]])
    #expect(divided(1, []) == [])
  }

  @Test func `of one item is what its limit allows, however much is free`() throws {
    let harness = harness(["a": 1_000, "b": 4_000]) {
      $0.bandwidth = 10_000
      $0.itemBandwidth = 500
    }
    harness.begin(.download(["a", "b"]))
    harness.run(to: at(1_000))
    #expect(try harness.arrived("a") == 500)
    #expect(try harness.status("a").transfer == TransferStatus(phase: .streaming, bytesPerSecond: 500))
    #expect(finishes(harness) == [at(2_000), at(8_000)])
  }

  @Test func `of one item is its share where that is less than its limit`() {
    let harness = harness(["a": 1_000, "b": 4_000]) {
      $0.bandwidth = 1_000
      $0.itemBandwidth = 800
    }
    harness.begin(.download(["a", "b"]))
    // 500 B/s each for 2 s, then b has 800 B/s for the other 3,000 bytes.
    #expect(finishes(harness) == [at(2_000), at(5_750)])
  }

  @Test func `without a limit to share still minds that of each item`() {
    let harness = harness(["a": 1_000]) { $0.itemBandwidth = 250 }
    harness.begin(.download(["a"]))
    #expect(finishes(harness) == [at(4_000)])
  }

  @Test func `is less for the first five seconds of a slow start`() throws {
    let harness = harness(["a": 4_000, "b": 4_000]) {
      $0.bandwidth = 2_000
      $0.slowStart = .init(bandwidth: 200, length: .seconds(5))
    }
    harness.begin(.download(["a", "b"]))
    harness.run(to: at(5_000))
    // 100 B/s each.
    #expect(try harness.arrived("a") == 500)
    harness.run(to: at(6_000))
    #expect(try harness.arrived("a") == 1_500)
    #expect(finishes(harness) == [at(8_500), at(8_500)])
    // It is the provider's start that is slow, not each download's.
    harness.ask(.evict(["a"]))
    let start = harness.now
    harness.begin(.download(["a"]))
    #expect(harness.nextDeadline == start + .seconds(2))
  }

  @Test func `of a slow start counts for a transfer that begins in it only as far as it lasts`() {
    let harness = harness(["a": 1_000]) {
      $0.latency = .fixed(.seconds(4))
      $0.bandwidth = 2_000
      $0.slowStart = .init(bandwidth: 200, length: .seconds(5))
    }
    harness.begin(.download(["a"]))
    // 200 bytes in the last slow second, then 800 at 2,000 B/s.
    #expect(finishes(harness) == [at(5_400)])
  }

  @Test func `of a slow start never makes anything faster`() {
    let harness = harness(["a": 1_000]) {
      $0.bandwidth = 100
      $0.slowStart = .init(bandwidth: 1_000, length: .seconds(5))
    }
    harness.begin(.download(["a"]))
    #expect(finishes(harness) == [at(10_000)])
  }

  @Test func `is divided to the last byte, whatever the numbers`() {
    // 3 B/s and three sharers with 1, 2 and 7 bytes: 1 B/s each, then 1.5, then 3.
    let harness = harness(["a": 1, "b": 2, "c": 7]) { $0.bandwidth = 3 }
    for path in ["a", "b", "c"] as [ItemPath] { harness.begin(.download([path])) }
    let last = Instant(nanoseconds: 3_333_333_334)
    #expect(finishes(harness) == [at(1_000), Instant(nanoseconds: 1_666_666_667), last])
  }
}

@Suite struct `A stall` {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func harness(
    _ stalls: [Profile.Stall], _ change: (inout Profile.Download) -> Void = { _ in }
  ) -> ModelHarness {
    let harness = ModelHarness(["a.pdf": 1_000, "b.txt": 1_000]) {
      $0.download.bandwidth = 1_000
      $0.download.stalls = stalls
      change(&$0.download)
    }
    harness.openGate()
    return harness
  }

  private func transfer(_ path: ItemPath, _ harness: ModelHarness) throws -> TransferStatus? {
    try harness.status(path).transfer
  }

  @Test func `stops progress at its byte for its time, and leaves the bandwidth to others`() throws {
    let harness = harness([.init(at: .millionths(400_000), length: .seconds(60), path: Glob("*.pdf"))])
    let read = harness.read(try harness.handle("a.pdf"), 0..<1)
    harness.begin(.download(["b.txt"]))
    // 500 B/s each until 800 ms; then b has all of it.
    harness.run(to: at(30_000))
    #expect(harness.events(.downloadStalled).map(\.at) == [at(800)])
    #expect(harness.events(.downloadStalled).map(\.offset) == [400])
    #expect(harness.events(.downloadFinished).map(\.at) == [at(1_400)])
    #expect(try harness.arrived("a.pdf") == 400)
    #expect(try transfer("a.pdf", harness) == TransferStatus(phase: .stalled, bytesPerSecond: 0))
    #expect(harness.unanswered == [read])
    harness.run(to: at(61_000))
    // 200 ms at 1,000 B/s since the stall ended.
    #expect(try harness.arrived("a.pdf") == 600)
    #expect(try transfer("a.pdf", harness) == TransferStatus(phase: .streaming, bytesPerSecond: 1_000))
    harness.run(to: at(61_400))
    #expect(harness.unanswered.isEmpty)
  }

  @Test func `for ever takes no time off anyone, and keeps its place`() throws {
    let harness = harness([.init(at: .bytes(0), length: nil, path: Glob("a*"))]) { $0.concurrency = 1 }
    let read = harness.read(try harness.handle("a.pdf"), 0..<1)
    harness.begin(.download(["b.txt"]))
    harness.run(to: at(100_000_000))
    #expect(harness.nextDeadline == nil)
    #expect(harness.unanswered == [read])
    #expect(try transfer("a.pdf", harness)?.phase == .stalled)
    #expect(try transfer("b.txt", harness) == TransferStatus(phase: .queued, bytesPerSecond: 0))
    // Its reader can still give up.
    harness.interrupt(read)
    #expect(harness.replies[read] == .error(.interrupted))
  }

  @Test func `with a rate of its own is slow, and not still`() throws {
    let harness = harness([
      .init(at: .bytes(100), length: .seconds(10), bandwidth: 10, path: Glob("a*"))
    ])
    harness.begin(.download(["a.pdf"]))
    harness.run(to: at(5_100))
    #expect(try harness.arrived("a.pdf") == 150)
    #expect(try transfer("a.pdf", harness) == TransferStatus(phase: .streaming, bytesPerSecond: 10))
    harness.run(to: at(10_100))
    #expect(try harness.arrived("a.pdf") == 200)
    harness.run(to: at(10_900))
    #expect(harness.events(.downloadFinished).map(\.at) == [at(10_900)])
    // Who is slow leaves what he does not use: b at 990 B/s.
    harness.ask(.evict(["a.pdf"]))
    harness.begin(.download(["a.pdf"]))
    harness.run(to: harness.now + .milliseconds(100))
    let start = harness.now
    harness.begin(.download(["b.txt"]))
    harness.run(to: start + .milliseconds(1_000))
    #expect(try harness.arrived("b.txt") == 990)
  }

  @Test func `at the end withholds what has all arrived`() throws {
    let harness = harness([.init(at: .millionths(1_000_000), length: .seconds(5))])
    let read = harness.read(try harness.handle("a.pdf"))
    harness.run(to: at(5_999))
    #expect(try harness.arrived("a.pdf") == 1_000)
    #expect(harness.unanswered == [read])
    harness.run(to: at(6_000))
    #expect(harness.unanswered.isEmpty)
  }

  @Test func `of several comes one after the other, and a hold at the same byte before them`() throws {
    let harness = harness([
      .init(at: .bytes(500), length: .seconds(2)), .init(at: .millionths(250_000), length: .seconds(1)),
    ])
    harness.ask(.hold(.download, "a.pdf", at: .bytes(500), name: "h"))
    harness.begin(.download(["a.pdf"]))
    harness.run(to: at(9_000))
    #expect(harness.events(.downloadStalled).map(\.at) == [at(250)])
    #expect(harness.events(.held).map(\.at) == [at(1_500)])
    #expect(try transfer("a.pdf", harness) == TransferStatus(phase: .held, bytesPerSecond: 0))
    harness.ask(.release("h", error: nil))
    #expect(harness.events(.downloadStalled).map(\.at) == [at(250), at(9_000)])
    harness.run(to: at(11_500))
    #expect(harness.events(.downloadFinished).map(\.at) == [at(11_500)])
  }

  @Test func `and a hold stop a fast download at their very byte`() throws {
    let harness = harness([.init(at: .bytes(333_333_333), length: nil)]) { $0.bandwidth = 99_999_999_977 }
    harness.source.edit("a.pdf", size: 1 << 40)
    harness.begin(.download(["a.pdf"]))
    harness.run(to: at(60_000))
    #expect(harness.events(.downloadStalled).map(\.offset) == [333_333_333])
    #expect(try harness.arrived("a.pdf") == 333_333_333)
  }

  @Test func `and a hold stop a download without a limit, too`() throws {
    let harness = harness([.init(at: .bytes(300), length: .seconds(1))]) { $0.bandwidth = nil }
    harness.ask(.hold(.download, "a.pdf", at: .bytes(700), name: "h"))
    harness.begin(.download(["a.pdf"]))
    #expect(try harness.arrived("a.pdf") == 300)
    harness.run(to: at(1_000))
    #expect(try harness.arrived("a.pdf") == 700)
    harness.ask(.release("h", error: nil))
    #expect(harness.events(.downloadFinished).map(\.at) == [at(1_000)])
  }

  @Test func `and waiting show in the phase of a transfer`() throws {
    let harness = harness([]) { $0.latency = .fixed(.seconds(1)) }
    #expect(try transfer("a.pdf", harness) == nil)
    harness.begin(.download(["a.pdf"]))
    #expect(try transfer("a.pdf", harness) == TransferStatus(phase: .waiting, bytesPerSecond: 0))
    harness.run(to: at(1_000))
    #expect(try transfer("a.pdf", harness) == TransferStatus(phase: .streaming, bytesPerSecond: 1_000))
    harness.run(to: at(2_000))
    #expect(try transfer("a.pdf", harness) == nil)
  }
}
