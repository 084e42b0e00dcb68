import CLinux
import Glibc

/// Bytes for execve: C strings in an array that ends with nil.
private func withCStrings<Result>(
  _ words: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = words.map { word -> UnsafeMutablePointer<CChar>? in
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: word.count + 1)
    for (index, byte) in word.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[word.count] = 0
    return copy
  }
  defer { for copy in copies { copy?.deallocate() } }
  return body(copies + [nil])
}

/// A program to start.
struct Command: Sendable {
  /// With a slash a path, else looked for in PATH.
  var program: [UInt8]
  /// Its argv, the first word included.
  var words: [[UInt8]]
  /// Added to the environment of this process.
  var environment: [(name: String, value: [UInt8])] = []
  var newSession = false
  /// Descriptors of ours that it gets, with their numbers there; all others are closed on exec.
  var descriptors: [(ours: Int32, theirs: Int32)] = []

  init(program: [UInt8], words: [[UInt8]]) {
    self.program = program
    self.words = words
  }

  /// - Parameter mask: the signals that it blocks from the start; nil: as this thread does.
  /// - Throws: why it could not be started.
  func start(mask: sigset_t? = nil) throws(StartProblem) -> Int32 {
    var attributes = posix_spawnattr_t()
    var actions = posix_spawn_file_actions_t()
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    var flags: Int32 = newSession ? Int32(CLINUX_SPAWN_SETSID) : 0
    if var mask {
      flags |= Int32(POSIX_SPAWN_SETSIGMASK)
      posix_spawnattr_setsigmask(&attributes, &mask)
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    // The same number on both sides: dup2 there takes the close-on-exec mark away.
    for (ours, theirs) in descriptors { posix_spawn_file_actions_adddup2(&actions, ours, theirs) }
    var process: pid_t = 0
    let failure = withCStrings([program]) { program in
      withCStrings(words) { words in
        withCStrings(Self.environment(adding: environment)) { environment in
          guard let program = program[0] else { return EINVAL }
          return posix_spawnp(&process, program, &actions, &attributes, words, environment)
        }
      }
    }
    guard failure == 0 else { throw StartProblem(program: program, errno: failure) }
    return process
  }

  private static func environment(adding added: [(name: String, value: [UInt8])]) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var next = environ
    while let variable = next.pointee {
      let bytes = UnsafeRawBufferPointer(start: variable, count: strlen(variable)).map { $0 }
      if !added.contains(where: { bytes.starts(with: Array("\($0.name)=".utf8)) }) { result.append(bytes) }
      next += 1
    }
    return result + added.map { Array("\($0.name)=".utf8) + $0.value }
  }
}

struct StartProblem: Error, CustomStringConvertible {
  var program: [UInt8]
  var errno: Int32
  var description: String {
    "cannot run \(String(decoding: program, as: UTF8.self)): \(String(cString: strerror(errno)))"
  }
}

/// How a process ended, from waitpid(2).
struct WaitStatus: Hashable, Sendable {
  var rawValue: Int32

  /// As a shell says it: the exit code, or 128 and the signal's number.
  var exitCode: Int32 {
    let signal = rawValue & 0x7F
    return signal == 0 ? rawValue >> 8 & 0xFF : 128 + signal
  }
}

/// The signals that a runner takes care of while its command runs, and the mask that was there before.
///
/// To be made before any other thread: threads inherit the mask.
struct RunnerSignals {
  private var caught = sigset_t()
  private(set) var before = sigset_t()

  init() {
    sigemptyset(&caught)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&caught, signal) }
    // Who started us may have ignored it: then no child could be waited for.
    signal(SIGCHLD, SIG_DFL)
    pthread_sigmask(SIG_BLOCK, &caught, &before)
  }

  /// Waits for COMMAND, and passes on to it what asks this process to end.
  /// - Parameter orphans: also wait for the processes that COMMAND left behind (a subreaper gets them).
  /// - Parameter left: called once, when COMMAND has ended and others go on.
  mutating func wait(
    for command: Int32, orphans: Bool, left: () -> Void = {}
  ) -> WaitStatus {
    var ended: WaitStatus?
    var hasTold = false
    while true {
      if let status = reap(command, all: orphans, ended: &ended) { return status }
      if ended != nil, !hasTold {
        hasTold = true
        left()
      }
      var info = siginfo_t()
      let signal = sigwaitinfo(&caught, &info)
      guard signal > 0, signal != SIGCHLD else { continue }
      // COMMAND has ended; who signals now wants the rest to end, too.
      if let ended { return ended }
      // From the terminal it went to the whole foreground group, and COMMAND has it already.
      if info.si_code <= 0 { kill(command, signal) }
    }
  }

  /// - Returns: COMMAND's status once there is nothing left to wait for.
  private func reap(_ command: Int32, all: Bool, ended: inout WaitStatus?) -> WaitStatus? {
    while true {
      var status: Int32 = 0
      let process = waitpid(all ? -1 : command, &status, WNOHANG)
      if process == command { ended = WaitStatus(rawValue: status) }
      if let ended, !all { return ended }
      if process == 0 { return nil }
      if process < 0, errno != EINTR { return ended ?? WaitStatus(rawValue: 255 << 8) }
    }
  }
}
