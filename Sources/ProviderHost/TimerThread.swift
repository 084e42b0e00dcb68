import CLinux
import Glibc

/// The only thread that waits for a time: it sleeps until the earliest deadline and then tells the host.
final class TimerThread: Sendable {
  private let descriptor: Int32

  init(_ due: @escaping @Sendable () -> Void) throws(SystemError) {
    descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC))
    if descriptor < 0 { throw SystemError("cannot make a timer") }
    let descriptor = descriptor
    Threads.start("timer") {
      // Wakes to the microsecond where it is permitted; without it a busy machine adds milliseconds.
      _ = clinux_set_timer_slack(1)
      _ = clinux_set_realtime()
      while true {
        var expirations: UInt64 = 0
        if read(descriptor, &expirations, 8) == 8 { due() }
      }
    }
  }

  /// - Parameter monotonic: nil disarms.
  func arm(at monotonic: Int64?) {
    var setting = itimerspec()
    if let monotonic {
      // 0 would disarm, and a moment that has passed fires at once.
      let moment = max(monotonic, 1)
      setting.it_value = timespec(
        tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
    }
    timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  static var monotonicNow: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
