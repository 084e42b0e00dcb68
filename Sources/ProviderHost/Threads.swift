import CLinux
import Glibc
import Synchronization

/// Threads of our own: no Swift task and no Dispatch on the way to a reply.
package enum Threads {
  /// Starts a thread that runs `body` and ends.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        _ = clinux_set_thread_name(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    if result != 0 {
      start.release()
      // A provider without its threads would hang every reader; ending it answers them all.
      let problem = SystemError("fakeprovider: cannot start the thread \(name)", number: result)
      let line = Array("\(problem)\n".utf8)
      _ = write(2, line, line.count)
      _exit(70)
    }
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}

/// A counter that threads wait on: an eventfd, so that it can be polled beside sockets.
package struct WakeUp: Sendable {
  package let descriptor: Int32

  package init() throws(SystemError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC))
    if descriptor < 0 { throw SystemError("cannot make an eventfd") }
  }

  package func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  /// To be called when nobody signals it any more.
  package func close() { Glibc.close(descriptor) }

  /// Waits for at least one signal since the last wait.
  package func wait() {
    var count: UInt64 = 0
    while read(descriptor, &count, 8) < 0, errno == EINTR {}
  }
}

/// A system call that failed, in words.
package struct SystemError: Error, CustomStringConvertible, Sendable {
  package let description: String
  package let number: Int32

  /// Reads `errno`.
  package init(_ what: String) {
    number = errno
    description = "\(what): \(String(cString: strerror(number)))"
  }

  package init(_ what: String, number: Int32) {
    self.number = number
    description = "\(what): \(String(cString: strerror(number)))"
  }
}

/// Threads for file I/O that a timer or a control request must not wait for.
package final class WorkerPool: Sendable {
  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let wakeUp: Int32

  package init(threads: Int) throws(SystemError) {
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_SEMAPHORE))
    if wakeUp < 0 { throw SystemError("cannot make an eventfd") }
    for number in 1...threads { Threads.start("worker \(number)") { [self] in work() } }
  }

  package func run(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  private func work() {
    while true {
      var count: UInt64 = 0
      guard read(wakeUp, &count, 8) == 8 else { continue }
      jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
    }
  }
}
