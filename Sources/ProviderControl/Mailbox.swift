import Glibc

/// A queue between two threads with a limit, whose reader blocks its thread until something arrives.
///
/// Made of pthread calls and not of async ones: who waits here is a thread of the app, and on a machine
/// with two cores two waits on Swift's cooperative pool would stop everything else.
///
/// `@unchecked Sendable` is sound: every access to the stored state happens between lock and unlock of
/// `mutex`, and the two pthread objects are made for sharing; they live at fixed addresses until deinit.
package final class Mailbox<Value: Sendable>: @unchecked Sendable {
  package enum Taken {
    case value(Value)
    /// Nothing more will come, for this reason.
    case ended(ConnectionProblem)
    case timedOut
  }

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let arrived: UnsafeMutablePointer<pthread_cond_t>
  private let limit: Int
  private var queue: [Value] = []
  private var first = 0
  private var end: ConnectionProblem?
  private var overflowed: UInt64 = 0

  /// - Parameter limit: values beyond it are not kept, only counted.
  package init(limit: Int) {
    self.limit = limit
    mutex = .allocate(capacity: 1)
    arrived = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A set wall clock must not lengthen anybody's wait.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(arrived, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(arrived)
    pthread_mutex_destroy(mutex)
    arrived.deallocate()
    mutex.deallocate()
  }

  /// - Returns: whether it was kept.
  @discardableResult package func put(_ value: Value) -> Bool {
    locked {
      guard end == nil, queue.count - first < limit else {
        if end == nil { overflowed += 1 }
        return false
      }
      queue.append(value)
      pthread_cond_signal(arrived)
      return true
    }
  }

  /// What is queued can still be taken; the first reason stays.
  /// - Returns: whether anything was still to come.
  @discardableResult package func finish(_ problem: ConnectionProblem) -> Bool {
    locked {
      guard end == nil else { return false }
      end = problem
      pthread_cond_broadcast(arrived)
      return true
    }
  }

  /// Blocks the calling thread.
  package func take(until deadline: RealDeadline) -> Taken {
    locked {
      while true {
        if first < queue.count { return .value(next()) }
        if let end { return .ended(end) }
        if deadline.hasPassed { return .timedOut }
        if var wakeUp = deadline.wakeUp {
          pthread_cond_timedwait(arrived, mutex, &wakeUp)
        } else {
          pthread_cond_wait(arrived, mutex)
        }
      }
    }
  }

  /// How many values were not kept since the last call.
  package func takeOverflow() -> UInt64 {
    locked {
      defer { overflowed = 0 }
      return overflowed
    }
  }

  private func next() -> Value {
    let value = queue[first]
    first += 1
    if first == queue.count || first > 1024 {
      queue.removeFirst(first)
      first = 0
    }
    return value
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
