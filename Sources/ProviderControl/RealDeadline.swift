import Glibc

/// A moment of real time: how long a client is ready to wait, whatever the provider's own clock says.
package struct RealDeadline: Hashable, Sendable {
  /// On CLOCK_MONOTONIC; nil: never.
  private let at_ns: Int64?

  package static let never = RealDeadline(at_ns: nil)

  private init(at_ns: Int64?) { self.at_ns = at_ns }

  package init(in timeout: Duration?) {
    guard let timeout else {
      self = .never
      return
    }
    let (seconds, attoseconds) = timeout.components
    let (whole, overflow) = max(seconds, 0).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(
      Self.now_ns() + max(attoseconds, 0) / 1_000_000_000)
    at_ns = overflow || carry ? nil : sum
  }

  private static func now_ns() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// For poll(2): rounded up, so that a wait never ends early; -1 for ever.
  package var remaining_ms: Int32 {
    guard let at_ns else { return -1 }
    return Int32(clamping: (max(at_ns - Self.now_ns(), 0) + 999_999) / 1_000_000)
  }

  package var hasPassed: Bool { at_ns.map { $0 <= Self.now_ns() } ?? false }

  /// For pthread_cond_timedwait(3) on CLOCK_MONOTONIC.
  var wakeUp: timespec? {
    at_ns.map { timespec(tv_sec: Int($0 / 1_000_000_000), tv_nsec: Int($0 % 1_000_000_000)) }
  }
}
