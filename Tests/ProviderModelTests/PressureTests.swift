import Testing

@testable import ProviderModel

@Suite struct `Pressure` {
  private func harness(limit: Int64? = nil) -> ModelHarness {
    let harness = ModelHarness(["a": 100, "b": 100, "c": 100, "d/e": 100, "empty": 0]) {
      $0.items.localLimit = limit
    }
    harness.openGate()
    return harness
  }

  private func relieved(_ answer: Answer?) -> ([ItemPath], Int64)? {
    guard case .relieved(let items, let bytes) = answer else { return nil }
    return (items.map(\.path), bytes)
  }

  @Test func `evicts what was opened longest ago, until enough is free`() throws {
    let harness = harness()
    harness.ask(.download(["a", "b", "c", "d/e"]))
    harness.release(try harness.handle("a"))
    let (paths, bytes) = try #require(relieved(harness.ask(.relieve(150))))
    #expect(paths == ["b", "c"] && bytes == 200)
    #expect(try harness.status("a").copy == .local)
    harness.expectRightCounts()
  }

  @Test func `spares what is open or claimed`() throws {
    let harness = harness()
    harness.ask(.download(["a", "b", "c"]))
    let open = try harness.handle("a")
    harness.ask(.coordinate([Intent(path: "b", kind: .read)], purpose: ""), by: harness.app)
    let (paths, bytes) = try #require(relieved(harness.ask(.relieve(1_000))))
    #expect(paths == ["c"] && bytes == 100)
    harness.release(open)
    #expect(relieved(harness.ask(.relieve(1)))?.0 == ["a"])
  }

  @Test func `of the profile's limit evicts after each download`() throws {
    let harness = harness(limit: 250)
    harness.ask(.download(["a", "b"]))
    harness.release(try harness.handle("a"))
    harness.ask(.download(["c"]))
    let states = try ["a", "b", "c"].map { try harness.status($0).copy }
    #expect(states == [.local, .dataless, .local])
    // The one that has just come stays, however large it is.
    _ = harness.remote(.write("c", NewContent(.synthetic(size: 1_000, seed: 1)), keepsModified: false))
    harness.ask(.download(["c"]))
    #expect(try harness.status("c").copy == .local)
    #expect(try harness.status("a").copy == .dataless)
    harness.expectRightCounts()
  }
}
