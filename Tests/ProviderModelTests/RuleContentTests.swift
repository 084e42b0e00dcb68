import Testing

@testable import ProviderModel

@Suite struct `A rule about bytes and sizes` {
  private func harness(_ operation: OperationName, _ disturbance: Disturbance, times: UInt64? = nil)
    -> ModelHarness
  {
    var rule = Rule(name: "r", operations: [operation], effect: RuleEffect(disturbance: disturbance))
    rule.occurrence.times = times
    let harness = ModelHarness(["a.pdf": 1_000]) {
      $0.items.initial = .local
      $0.rules = [rule]
    }
    harness.openGate()
    return harness
  }

  private func size(_ harness: ModelHarness) throws -> Int64 { try harness.attributes("a.pdf").size }

  @Test(arguments: [OperationName.open, .read]) func `ends the file early`(operation: OperationName) throws {
    let harness = harness(operation, .content(.short(.millionths(400_000))), times: 1)
    let handle = try harness.handle("a.pdf")
    for (range, count) in [(0..<300, 300), (300..<500, 100), (500..<600, 0), (2_000..<2_001, 0)]
      as [(Range<Int64>, Int64)]
    {
      guard case .content(_, _, count, _, nil) = harness.readReply(handle, range) else {
        harness.fail("\(range)")
        continue
      }
    }
    #expect(try size(harness) == 1_000)
    let next = try harness.handle("a.pdf")
    guard case .content(_, _, 200, _, nil) = harness.readReply(next, 300..<500) else {
      return harness.fail("twice")
    }
  }

  @Test(arguments: [
    (ContentFault.zeroed(.bytes(400)), Alteration.zeroed(from: 400)),
    (.altered(.millionths(400_000)), .altered(from: 400)),
  ])
  func `alters the bytes of an open`(fault: ContentFault, alteration: Alteration) throws {
    let harness = harness(.open, .content(fault), times: 1)
    let handle = try harness.handle("a.pdf")
    guard case .content(_, _, 1_000, _, alteration) = harness.readReply(handle, 0..<1_000) else {
      return harness.fail("unaltered")
    }
    let next = try harness.handle("a.pdf")
    guard case .content(_, _, 1_000, _, nil) = harness.readReply(next, 0..<1_000) else {
      return harness.fail("always")
    }
  }

  @Test func `alters every byte past the point and none before it, however it is read`() {
    let original = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
    func altered(_ alteration: Alteration, pieces: Int) -> [UInt8] {
      stride(from: 0, to: 1_000, by: pieces).flatMap { start in
        var piece = Array(original[start..<min(start + pieces, 1_000)])
        piece.withUnsafeMutableBytes { alteration.apply(to: $0, at: Int64(start)) }
        return piece
      }
    }
    let whole = altered(.altered(from: 400), pieces: 1_000)
    #expect(whole[..<400] == original[..<400])
    #expect(zip(whole[400...], original[400...]).allSatisfy { $0 != $1 })
    #expect(altered(.altered(from: 400), pieces: 77) == whole)
    #expect(
      altered(.zeroed(from: 400), pieces: 77) == Array(original[..<400]) + Array(repeating: 0, count: 600))
  }

  @Test(
    arguments: [
      (SizeFault.zero, 0), (.larger(by: .bytes(4_096)), 5_096), (.larger(by: .millionths(500_000)), 1_500),
      (.smaller(by: .bytes(10)), 990), (.smaller(by: .bytes(5_000)), 0), (.late, 1_000),
    ] as [(SizeFault, Int64)])
  func `lies about the size, to stat and lookup alike`(fault: SizeFault, said: Int64) throws {
    let harness = harness(.getattr, .size(fault))
    #expect(try size(harness) == said)
    let name: Name = "a.pdf"
    guard case .entry(_, let attributes) = harness.reply(.lookup(parent: .root, name: name)) else {
      return harness.fail("no entry")
    }
    #expect(attributes.size == said)
    let handle = try harness.handle("a.pdf")
    guard case .content(_, _, 4_096, _, nil) = harness.readReply(handle) else {
      return harness.fail("bytes too")
    }
  }

  @Test func `lies as often as it is told`() throws {
    let harness = harness(.getattr, .size(.zero), times: 2)
    #expect(try (0..<4).map { _ in try size(harness) } == [0, 0, 1_000, 1_000])
  }

  @Test func `tells the size late, once the item is local`() throws {
    let harness = harness(.getattr, .size(.late))
    harness.ask(.evict(["a.pdf"]))
    let modified = try harness.attributes("a.pdf").modified
    #expect(try size(harness) == 0)
    _ = harness.readReply(try harness.handle("a.pdf"))
    #expect(try size(harness) == 1_000)
    #expect(try harness.attributes("a.pdf").modified == modified)
  }

  @Test func `lets a file grow or shrink as time goes by, and reads end where it ends`() throws {
    let growing = harness(
      .getattr, .size(.growing(from: .millionths(250_000), step: 100, every: .milliseconds(100))))
    let shrinking = harness(
      .getattr, .size(.shrinking(to: .bytes(300), step: 200, every: .milliseconds(100))))
    for (harness, sizes) in [
      (growing, [250, 350, 450, 950, 1_000]), (shrinking, [1_000, 800, 600, 300, 300]),
    ] {
      for (ticks, size) in zip([0, 1, 2, 7, 100], sizes) {
        harness.tick(to: Instant(nanoseconds: Int64(ticks) * 100_000_000))
        #expect(try self.size(harness) == size)
        let handle = try harness.handle("a.pdf")
        guard case .content(_, _, Int64(size), _, nil) = harness.readReply(handle, 0..<5_000) else {
          harness.fail("reads at \(ticks)")
          continue
        }
      }
    }
  }
}

@Suite struct `A rule on listings` {
  @Test func `fails at its entry, after those before it were told, and for the rest of that listing`() throws
  {
    var rule = Rule(name: "r", operations: [.readdir], effect: RuleEffect(disturbance: .fail(.errno(.EIO))))
    rule.bytes = Rule.Span(from: .bytes(3))
    rule.occurrence.times = 1
    let harness = ModelHarness(["d/a": 1, "d/b": 1, "d/c": 1, "d/d": 1, "d/e": 1]) { $0.rules = [rule] }
    let node = try harness.node("d")
    func listing() -> [String] {
      guard case .opened(let handle, _) = harness.reply(.openDirectory(node)) else { return ["not opened"] }
      var told: [String] = []
      var cookie: Int64 = 0
      while true {
        switch harness.reply(.readDirectory(handle, cookie: cookie, capacity: 4_096, plus: false)) {
        case .directory(let rows, _):
          if rows.isEmpty { return told }
          told += rows.map { String(decoding: $0.name, as: UTF8.self) }
          cookie = rows.last?.next ?? cookie
        case .error(let error): return told + [error.errno.rawValue]
        default: return told + ["?"]
        }
      }
    }
    #expect(listing() == [".", "..", "a", "b", "c", "EIO"])
    #expect(listing() == [".", "..", "a", "b", "c", "d", "e"])
  }
}
