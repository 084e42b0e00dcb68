import Foundation
import ScopedAccess
import Testing

private struct Failure: Error, Equatable { let number: Int }
private struct MoveOnly: ~Copyable { let number: Int }

@Suite struct `With a security scope` {
  private let url = URL(fileURLWithPath: "/etc/hostname")

  @Test func `the body runs also when start says false`() {
    let active = url.withSecurityScope { $0.isActive }
    #expect(!active)
  }

  @Test func `the body's own error is thrown, by its type`() {
    do throws(Failure) {
      try url.withSecurityScope { (_) throws(Failure) in throw Failure(number: 3) }
      Issue.record("not thrown")
    } catch {
      #expect(error.number == 3)
    }
  }

  @Test func `a result need not be copyable`() {
    let result = url.withSecurityScope { _ in MoveOnly(number: 4) }
    #expect(result.number == 4)
  }

  @MainActor @Test func `the asynchronous body runs in the caller's isolation`() async throws {
    var count = 0
    let active = await url.withSecurityScope { token in
      MainActor.assertIsolated()
      count += 1
      await Task.yield()
      return token.isActive
    }
    #expect(count == 1 && !active)
    do throws(Failure) {
      try await url.withSecurityScope { (_) async throws(Failure) in throw Failure(number: 5) }
      Issue.record("not thrown")
    } catch {
      #expect(error == Failure(number: 5))
    }
  }

  @Test func `a token can be held and stopped`() {
    let token = AccessToken(startingAccessTo: url)
    let active = token.isActive
    #expect(!active)
    token.stop()
  }
}
