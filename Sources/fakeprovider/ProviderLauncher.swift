import CLinux
import Glibc
import ProviderControl

/// Starts `fakeprovider mount` as a process of its own and waits until it is usable.
enum ProviderLauncher {
  /// What `mount` prints once it can be used, before the mountpoint.
  static let readyWord = "ready "

  struct Launched: Sendable {
    var process: Int32
    /// As the provider says it.
    var mountpoint: [UInt8]
    /// The provider unmounts and ends when this end is closed; -1 without a lifeline.
    var lifeline: Int32
  }

  enum Outcome: Sendable {
    case ready(Launched)
    /// It ended first, with this code; it has said why on standard error.
    case ended(Int32)
  }

  /// `mount --background`: the same command line again, in a session of its own.
  /// - Returns: the exit code.
  static func background(_ arguments: ParsedArguments) -> Int32 {
    do {
      var arguments = arguments
      arguments.flags.remove("--background")
      arguments.verb = "mount"
      switch try launch(arguments, lifeline: false, relaysErrors: true) {
      case .ended(let code): return code
      case .ready(let launched):
        MountVerb.ready(
          String(decoding: launched.mountpoint, as: UTF8.self), json: arguments.has("--json"))
        return FakeProvider.Exit.done
      }
    } catch {
      Console.err("fakeprovider mount: \(error)\n")
      return FakeProvider.Exit.failed
    }
  }

  /// - Parameters:
  ///   - lifeline: tie the provider to this process.
  ///   - relaysErrors: its standard error is passed on until it is ready, and nowhere afterwards; else it
  ///     shares ours.
  ///   - mask: the signals that it blocks from the start.
  static func launch(
    _ arguments: ParsedArguments, lifeline: Bool, relaysErrors: Bool, mask: sigset_t? = nil
  ) throws(StartProblem) -> Outcome {
    let executable = Array("/proc/self/exe".utf8)
    let output = try Pipe()
    let errors = relaysErrors ? try Pipe() : nil
    let life = lifeline ? try Pipe() : nil
    var command = Command(program: executable, words: [])
    // A standard stream that nobody reads any more must not end the provider; exec keeps this.
    if relaysErrors { signal(SIGPIPE, SIG_IGN) }
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    if nothing >= 0 { command.descriptors.append((nothing, 0)) }
    command.descriptors.append((output.writing, 1))
    if let errors { command.descriptors.append((errors.writing, 2)) }
    var words = [Array("fakeprovider".utf8)] + mountWords(arguments)
    if let life {
      command.descriptors.append((life.reading, life.reading))
      words.insert(contentsOf: [Array("--lifeline".utf8), Array("\(life.reading)".utf8)], at: 2)
    }
    command.words = words
    command.newSession = true
    defer {
      if nothing >= 0 { close(nothing) }
      for descriptor in [output.reading, errors?.reading, life?.reading] where descriptor != nil {
        close(descriptor ?? -1)
      }
    }
    let process: Int32
    do {
      process = try command.start(mask: mask)
    } catch {
      for descriptor in [output.writing, errors?.writing, life?.writing] { close(descriptor ?? -1) }
      throw error
    }
    close(output.writing)
    if let errors { close(errors.writing) }
    guard let mountpoint = readyMountpoint(output.reading, errors: errors?.reading) else {
      if let life { close(life.writing) }
      return .ended(exitCode(of: process))
    }
    return .ready(Launched(process: process, mountpoint: mountpoint, lifeline: life?.writing ?? -1))
  }

  /// The words of `mount`, from those that `mount` or `run` was given.
  static func mountWords(_ arguments: ParsedArguments) -> [[UInt8]] {
    var words = [Array("mount".utf8)]
    words += arguments.flags.filter { $0 != "--json" }.sorted().map { Array($0.utf8) }
    for name in arguments.values.keys.sorted() {
      // With an equals sign, since a value may begin with dashes.
      words += (arguments.values[name] ?? []).map { Array("\(name)=".utf8) + $0.bytes }
    }
    // So may a mountpoint.
    return words + [Array("--".utf8)] + arguments.positionals.map(\.bytes)
  }

  /// Reads the provider's output until it says that it is ready, and passes its errors on meanwhile.
  /// - Returns: nil when it ended before.
  private static func readyMountpoint(_ output: Int32, errors: Int32?) -> [UInt8]? {
    var said: [UInt8] = []
    var errors = errors ?? -1
    while true {
      var entries = [
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&entries, 2, -1) > 0 else { continue }
      if entries[1].revents != 0 {
        let text = readSome(errors)
        if text.isEmpty { errors = -1 } else { Console.err(String(decoding: text, as: UTF8.self)) }
        // Words come before the end, whichever is seen first.
        continue
      }
      let some = readSome(output)
      if some.isEmpty { return nil }
      said += some
      while let end = said.firstIndex(of: 0x0A) {
        let line = said[..<end]
        if line.starts(with: readyWord.utf8) { return Array(line.dropFirst(readyWord.utf8.count)) }
        said.removeFirst(end + 1)
      }
    }
  }

  private static func readSome(_ descriptor: Int32) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count >= 0 { return Array(buffer[..<count]) }
      if errno != EINTR { return [] }
    }
  }

  /// Waits for its end.
  static func exitCode(of process: Int32) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      if errno != EINTR { return FakeProvider.Exit.failed }
    }
    let code = WaitStatus(rawValue: status).exitCode
    // It ended before it was ready; that it ended well cannot be the answer.
    return code == 0 ? FakeProvider.Exit.failed : code
  }
}

/// Both ends of a pipe, closed on exec.
private struct Pipe {
  var reading: Int32
  var writing: Int32

  init() throws(StartProblem) {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else {
      throw StartProblem(program: Array("fakeprovider mount".utf8), errno: errno)
    }
    (reading, writing) = (ends[0], ends[1])
  }
}
