#if os(Linux)

  internal import CLinux
  internal import Glibc
  internal import ProviderControl
  internal import Synchronization

  /// A child process whose end can be waited for with a limit: a process in the grip of a stuck mount cannot
  /// even be killed, and nobody must wait for it for ever.
  ///
  /// Its number cannot come to mean another process while this object sends signals: it is reaped under the
  /// same lock. The lock is a leaf.
  package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum End: Hashable, Sendable {
      case exited(Int32)
      case signaled(Int32)
      /// As a shell has it: 128 and the signal's number.
      package var code: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
      }
    }

    package let pid: Int32
    private let standardOutput: Int32
    private let standardError: Int32
    private let input: Mutex<Int32>
    private let ended = Mutex<End?>(nil)
    private let end = Mailbox<End>(limit: 1)

    /// - Parameters:
    ///   - words: the program, found in PATH unless it has a slash, and its arguments.
    ///   - environment: variables to set; nil removes one. Everything else is inherited.
    ///   - inherited: descriptors that the child gets, by the number that it gets them as.
    package init(
      _ words: [[UInt8]], environment changes: [String: String?] = [:], inherited: [Int32: Int32] = [:]
    ) throws {
      let output = try Pipe()
      let input = try Pipe(ofSockets: ())
      standardError = try ChildProcess.unnamedFile()
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, input.reading, 0)
      posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
      posix_spawn_file_actions_adddup2(&actions, standardError, 2)
      for (number, descriptor) in inherited { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
      // Nothing of this process's signals: a test runner may ignore or block some.
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var signals = sigset_t()
      sigemptyset(&signals)
      posix_spawnattr_setsigmask(&attributes, &signals)
      sigfillset(&signals)
      posix_spawnattr_setsigdefault(&attributes, &signals)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

      var arguments = words.map(ChildProcess.cString)
      arguments.append(nil)
      var variables = ChildProcess.environment(changes).map { ChildProcess.cString(Array($0.utf8)) }
      variables.append(nil)
      defer { for string in arguments + variables { free(string) } }
      guard let program = arguments[0] else {
        throw ProviderFailure.system(call: "posix_spawn", errno: ENOENT)
      }
      var number: pid_t = 0
      let result = posix_spawnp(&number, program, &actions, &attributes, &arguments, &variables)
      close(input.reading)
      close(output.writing)
      guard result == 0 else {
        for descriptor in [input.writing, output.reading, standardError] { close(descriptor) }
        throw ProviderFailure.system(
          call: "posix_spawn \(String(decoding: words[0], as: UTF8.self))", errno: result)
      }
      pid = number
      standardOutput = output.reading
      self.input = Mutex(input.writing)
      watch()
    }

    package convenience init(
      _ words: [String], environment: [String: String?] = [:], inherited: [Int32: Int32] = [:]
    ) throws {
      try self.init(words.map { Array($0.utf8) }, environment: environment, inherited: inherited)
    }

    deinit {
      close(standardOutput)
      close(standardError)
      closeInput()
    }

    // MARK: Its end

    /// Waits on a thread of its own, which keeps this object until the process has ended.
    private func watch() {
      OwnThread.run { [self] in
        var information = siginfo_t()
        // Only looking: from the reaping on the number is free for others.
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let how = ended.withLock { ended in
          var status: Int32 = 0
          while waitpid(pid, &status, 0) < 0, errno == EINTR {}
          let signal = status & 0x7F
          let how: End = signal == 0 ? .exited((status >> 8) & 0xFF) : .signaled(signal)
          ended = how
          return how
        }
        end.put(how)
        end.finish(.closed)
      }
    }

    /// nil while it runs.
    package var hasEnded: End? { ended.withLock { $0 } }

    /// Blocks the calling thread.
    /// - Returns: nil when it has not ended in time.
    package func waitForEnd(timeout: Duration) -> End? {
      switch end.take(until: RealDeadline(in: timeout)) {
      case .value(let how): how
      // Somebody else has taken it.
      case .ended: hasEnded
      case .timedOut: nil
      }
    }

    /// - Returns: false when the process has ended.
    @discardableResult package func send(signal: Int32) -> Bool {
      ended.withLock { ended in ended == nil && Glibc.kill(pid, signal) == 0 }
    }

    // MARK: What it says and hears

    /// Reads its standard output up to and without a newline. Blocks the calling thread.
    /// - Returns: nil at the end of the output or when time is up.
    package func readLine(timeout: Duration) -> [UInt8]? {
      var line: [UInt8] = []
      let deadline = RealDeadline(in: timeout)
      while true {
        var byte: UInt8 = 0
        guard ChildProcess.isReadable(standardOutput, until: deadline) else { return nil }
        guard read(standardOutput, &byte, 1) == 1 else { return nil }
        if byte == 0x0A { return line }
        line.append(byte)
      }
    }

    /// What is left of its standard output, once the last process that holds it has closed it.
    /// - Returns: nil when time is up before that.
    package func restOfOutput(timeout: Duration) -> [UInt8]? {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let deadline = RealDeadline(in: timeout)
      while ChildProcess.isReadable(standardOutput, until: deadline) {
        let count = read(standardOutput, &buffer, buffer.count)
        if count == 0 { return bytes }
        if count > 0 { bytes += buffer[..<count] }
      }
      return nil
    }

    /// What it has said on standard error until now.
    package var errorText: String {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = pread(standardError, &buffer, buffer.count, bytes.count)
        if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer[..<count]
      }
    }

    /// Writes a line to its standard input; it is lost when the child has closed that.
    package func send(line: String) {
      let bytes = Array((line + "\n").utf8)
      input.withLock { input in
        if input >= 0 { _ = Glibc.send(input, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
      }
    }

    package func closeInput() {
      input.withLock { input in
        if input >= 0 { close(input) }
        input = -1
      }
    }

    private static func isReadable(_ descriptor: Int32, until deadline: RealDeadline) -> Bool {
      while true {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, deadline.remaining_ms) > 0 { return true }
        if deadline.hasPassed { return false }
      }
    }

    // MARK: -

    /// Closed on exec at both ends: children that other threads start at this moment must not keep it open.
    package struct Pipe {
      package let reading: Int32
      package let writing: Int32
      package init() throws {
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw ProviderFailure.system(call: "pipe2", errno: errno) }
        (reading, writing) = (ends[0], ends[1])
      }
      /// Writing to one whose reader is gone raises no signal, if one asks for that.
      init(ofSockets: ()) throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
          throw ProviderFailure.system(call: "socketpair", errno: errno)
        }
        (reading, writing) = (ends[0], ends[1])
      }
    }

    /// Not a pipe: nobody would empty it, and a child that says much must not wait.
    private static func unnamedFile() throws -> Int32 {
      let descriptor = clinux_unnamed_file()
      guard descriptor >= 0 else { throw ProviderFailure.system(call: "memfd_create", errno: errno) }
      return descriptor
    }

    private static func cString(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
      (bytes + [0]).withUnsafeBytes { bytes in
        bytes.assumingMemoryBound(to: CChar.self).baseAddress.flatMap { strdup($0) }
      }
    }

    private static func environment(_ changes: [String: String?]) -> [String] {
      var variables: [String] = []
      var next = environ
      while let variable = next.pointee {
        let text = String(cString: variable)
        let name = String(text.prefix { $0 != "=" })
        if changes[name] == nil { variables.append(text) }
        next += 1
      }
      for (name, value) in changes { if let value { variables.append("\(name)=\(value)") } }
      return variables
    }
  }

#endif
