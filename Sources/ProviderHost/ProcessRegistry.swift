import CLinux
import Glibc
package import ProviderModel
import Synchronization

/// The processes that the provider has met, each with a pidfd: numbers are reused, descriptors are not.
package final class ProcessRegistry: Sendable {
  private struct Entry {
    var serial: UInt64
    var descriptor: Int32
    /// The app that a client of the control socket said it is.
    var app: AppID?
  }

  private struct State {
    var entries: [Int32: Entry] = [:]
    var numbers: [UInt64: Int32] = [:]
    var met: UInt64 = 0
  }

  private let state = Mutex(State())
  private let recent = RecentCallers()
  private let poll: Int32
  private let features: KernelFeatures

  package init(features: KernelFeatures) throws(SystemError) {
    self.features = features
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    if poll < 0 { throw SystemError("cannot make an epoll descriptor") }
  }

  /// Calls `ended` for every process that ends, on a thread of its own.
  package func start(_ ended: @escaping @Sendable (ProcessID) -> Void) {
    Threads.start("processes") { [self] in
      while true {
        var event = epoll_event()
        guard epoll_wait(poll, &event, 1, -1) == 1 else { continue }
        if let process = remove(serial: event.data.u64) { ended(process) }
      }
    }
  }

  // MARK: Who is it

  /// The process that a thread belongs to; nil when it cannot be seen from here.
  package func process(ofThread thread: Int32) -> ProcessID? {
    guard thread > 0, let number = processNumber(ofThread: thread) else { return nil }
    return process(number)
  }

  /// The process that a thread belongs to, and its app, as they were when it last asked if that was just now. For
  /// what nobody is allowed or refused by.
  package func recentCaller(ofThread thread: Int32) -> (process: ProcessID, app: AppID?)? {
    let now = TimerThread.monotonicNow
    if let known = recent.caller(ofThread: thread, at: now) { return (known.process, known.app) }
    guard let process = process(ofThread: thread) else { return nil }
    let app = app(of: process)
    recent.remember(RecentCallers.Caller(process: process, app: app), thread: thread, at: now)
    return (process, app)
  }

  /// The process with this number now, watched from here on; nil when there is none.
  package func process(_ number: Int32) -> ProcessID? {
    state.withLock { state in
      if let entry = state.entries[number] {
        if isAlive(entry.descriptor) { return ProcessID(number: number, serial: entry.serial) }
        // Its end is about to be noticed; the number already belongs to another.
        state.entries[number] = nil
      }
      let descriptor = clinux_pidfd_open(number)
      guard descriptor >= 0 else { return nil }
      state.met += 1
      state.entries[number] = Entry(serial: state.met, descriptor: descriptor)
      state.numbers[state.met] = number
      var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: state.met))
      pidfds.withLock { $0[state.met] = descriptor }
      epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
      return ProcessID(number: number, serial: state.met)
    }
  }

  /// Ancestors that have been met, nearest first.
  package func ancestors(of process: ProcessID) -> [ProcessID] {
    var result: [ProcessID] = []
    var number = process.number
    // As deep as trees of processes get; a loop is impossible but for numbers reused while we look.
    for _ in 0..<64 {
      guard let parent = ProcessFiles.parent(of: number), parent > 1 else { break }
      if let met = metProcess(parent) { result.append(met) }
      number = parent
    }
    return result
  }

  package func setApp(_ app: AppID, of process: ProcessID) {
    state.withLock { state in
      if state.entries[process.number]?.serial == process.serial { state.entries[process.number]?.app = app }
    }
    recent.forget(process)
  }

  /// What the process said it is, else its executable.
  package func app(of process: ProcessID) -> AppID? {
    let said = state.withLock { state in
      state.entries[process.number].flatMap { $0.serial == process.serial ? $0.app : nil }
    }
    return said ?? ProcessFiles.executable(of: process.number).map(AppID.init)
  }

  /// Sends a signal to a process and to what it has started.
  package func signal(_ process: ProcessID, _ signal: Int32) {
    let children = ProcessFiles.descendants(of: process.number).compactMap { number in
      let descriptor = clinux_pidfd_open(number)
      return descriptor < 0 ? nil : descriptor
    }
    // Alive after the look at its children, so they were its own; and under the lock the descriptor stays it.
    let isOurs = pidfds.withLock { pidfds in
      guard let descriptor = pidfds[process.serial], isAlive(descriptor) else { return false }
      return clinux_pidfd_send_signal(descriptor, signal) == 0
    }
    for descriptor in children {
      if isOurs { _ = clinux_pidfd_send_signal(descriptor, signal) }
      close(descriptor)
    }
  }

  // MARK: -

  /// By serial, also of processes whose number has been taken over.
  private let pidfds = Mutex<[UInt64: Int32]>([:])

  private func metProcess(_ number: Int32) -> ProcessID? {
    state.withLock { state in
      guard let entry = state.entries[number], isAlive(entry.descriptor) else { return nil }
      return ProcessID(number: number, serial: entry.serial)
    }
  }

  private func processNumber(ofThread thread: Int32) -> Int32? {
    if features.pidfdInfo {
      let number = clinux_process_of_thread(thread)
      if number > 0 { return number }
    }
    return ProcessFiles.process(ofThread: thread)
  }

  private func isAlive(_ pidfd: Int32) -> Bool {
    var waiting = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&waiting, 1, 0) == 0
  }

  private func remove(serial: UInt64) -> ProcessID? {
    let process: ProcessID? = state.withLock { state in
      guard let number = state.numbers.removeValue(forKey: serial) else { return nil }
      if state.entries[number]?.serial == serial { state.entries[number] = nil }
      return ProcessID(number: number, serial: serial)
    }
    // Closed when nobody can look it up any more: its number soon stands for another file.
    guard let descriptor = pidfds.withLock({ $0.removeValue(forKey: serial) }) else { return process }
    epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil)
    close(descriptor)
    return process
  }
}

/// What /proc says of processes.
package enum ProcessFiles {
  package static func process(ofThread thread: Int32) -> Int32? {
    guard let status = text(of: "/proc/\(thread)/status"), let range = status.firstRange(of: "\nTgid:\t")
    else {
      return nil
    }
    return Int32(status[range.upperBound...].prefix { $0.isNumber })
  }

  package static func parent(of number: Int32) -> Int32? {
    guard let stat = text(of: "/proc/\(number)/stat"), let name = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[name...].split(separator: " ")
    return fields.count > 2 ? Int32(fields[2]) : nil
  }

  package static func executable(of number: Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      let count = buffer.baseAddress.map { readlink("/proc/\(number)/exe", $0, 4096) } ?? -1
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  package static func descendants(of number: Int32) -> [Int32] {
    var children: [Int32: [Int32]] = [:]
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let process = Int32(name), let parent = parent(of: process) {
        children[parent, default: []].append(process)
      }
    }
    var found: [Int32] = []
    var next = children[number] ?? []
    while let process = next.popLast() {
      found.append(process)
      next += children[process] ?? []
    }
    return found
  }

  private static func text(of path: String) -> String? {
    let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
      let count = read(descriptor, buffer.baseAddress, 4096)
      return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
  }
}
