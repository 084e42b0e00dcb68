import Testing

@testable import ProviderModel

@Suite struct `A picked copy` {
  private func harness(purgeAfter: Span? = nil) -> ModelHarness {
    ModelHarness(["a.pdf": 100, "b.pdf": 50, "d/c.pdf": 10]) {
      $0.picker.purgeAfter = purgeAfter
      $0.download.latency = .fixed(.seconds(2))
    }
  }

  private let inbox = Array("/inbox".utf8)

  private func files(_ answer: Answer?) -> [String]? {
    guard case .copies(let made) = answer else { return nil }
    return made.map { String(decoding: $0.copy.file, as: UTF8.self) }
  }

  @Test func `is made of what has been downloaded, without anybody's access`() throws {
    let harness = harness()
    let number = harness.begin(.pickCopies(["a.pdf", "d/c.pdf"], into: inbox), by: harness.app)
    #expect(harness.answer(number, of: harness.app) == nil && harness.copies.isEmpty)
    harness.pass(.seconds(2))
    #expect(files(harness.answer(number, of: harness.app)) == ["/inbox/a.pdf", "/inbox/c.pdf"])
    #expect(harness.copies.map(\.content.reference) == [.source("a.pdf"), .source("d/c.pdf")])
    #expect(harness.events(.copyMade).map(\.path) == ["a.pdf", "d/c.pdf"])
    #expect(harness.events(.granted).isEmpty)
    harness.pass(.seconds(86_400))
    #expect(harness.removedCopies.isEmpty)
  }

  @Test func `is purged when its time is over`() throws {
    let harness = harness(purgeAfter: .seconds(60))
    harness.begin(.pickCopies(["a.pdf"], into: inbox))
    harness.pass(.seconds(2))
    harness.pass(.seconds(59))
    #expect(harness.removedCopies.isEmpty)
    harness.pass(.seconds(1))
    #expect(harness.removedCopies == [Array("/inbox/a.pdf".utf8)])
    #expect(harness.events(.copyPurged).map(\.detail) == [.file(Array("/inbox/a.pdf".utf8))])
    #expect(harness.events(.copyPurged).map(\.at) == [.start + .seconds(62)])
  }

  @Test func `is none of a folder, of nothing, or of what does not arrive`() throws {
    let harness = harness()
    #expect(harness.ask(.pickCopies(["d"], into: inbox)) == .failure(.isADirectory, "d"))
    #expect(harness.ask(.pickCopies(["x"], into: inbox)) == .failure(.noSuchItem, "x"))
    let number = harness.begin(.pickCopies(["a.pdf", "b.pdf"], into: inbox))
    harness.fail("b.pdf", .provider(.notAuthenticated))
    #expect(harness.answer(number) == .failure(.provider(.notAuthenticated), "b.pdf"))
    harness.pass(.seconds(2))
    #expect(harness.copies.isEmpty)
    harness.expectNobodyWaits()
  }

  @Test func `that cannot be made leaves none of the others behind`() throws {
    let harness = harness()
    harness.ask(.download(["a.pdf", "b.pdf"]))
    harness.pass(.seconds(2))
    harness.copyError = .content(.ENOSPC, "full")
    #expect(
      harness.ask(.pickCopies(["a.pdf", "b.pdf"], into: inbox))
        == .failure(.content(.ENOSPC, "full"), "a.pdf"))
    harness.expectNobodyWaits()
    harness.expectRightCounts()
  }
}
