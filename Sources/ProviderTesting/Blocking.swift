#if os(Linux)

  internal import Glibc

  /// Runs work that may block (a read on a provider's mount, say) on a thread of its own and awaits it.
  ///
  /// Swift's cooperative pool has one thread a core: two tests that block in a read there stop each other, and
  /// whoever would release them.
  /// - Throws: what `body` throws. Canceling the task does not end `body`: nothing ends a read but its answer
  ///   or a signal.
  public func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      OwnThread.run { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Runs each job of a task on a thread of its own, so that a job may block without stopping anybody else:
  ///
  ///     try await Task(executorPreference: ThreadPerJobExecutor()) { try readTheMount() }.value
  ///
  /// A thread costs some 20 microseconds; use it for what may block, not for everything.
  public final class ThreadPerJobExecutor: TaskExecutor {
    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = asUnownedTaskExecutor()
      OwnThread.run { job.runSynchronously(on: executor) }
    }
  }

  enum OwnThread {
    static func run(_ body: @escaping @Sendable () -> Void) {
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      defer { pthread_attr_destroy(&attributes) }
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      let job = Unmanaged.passRetained(Job(body))
      var thread = pthread_t()
      let result = pthread_create(
        &thread, &attributes,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
          return nil
        }, job.toOpaque())
      // Without the thread whoever awaits it would wait for ever.
      precondition(result == 0, "pthread_create: \(String(cString: strerror(result)))")
    }

    private final class Job: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
  }

#endif
