import Foundation
import ProviderTesting
import Testing

extension Tag {
  /// Repeated with FAKEPROVIDER_KERNEL=6.1, so that the fallbacks for older kernels are met.
  @Tag static var kernelMask: Self
  /// Mounts without root, through fusermount3.
  @Tag static var ordinaryUser: Self
}

/// The kernels whose features a core test meets: this one's, and those of the oldest that is supported.
let kernels: [String?] = [nil, "6.1"]

/// Real time after which something counts as hanging; no part of what is tested.
let hangGuard = Duration.seconds(60)

/// Waits for what nothing can tell: the end of a process of somebody else, say.
func eventually(_ holds: @escaping @Sendable () -> Bool) async throws {
  try await blocking {
    let end = ContinuousClock.now + hangGuard
    while !holds() {
      if ContinuousClock.now > end { throw ChildTrouble(description: "it has not come true") }
      sched_yield()
    }
  }
}

/// How a child process ended and what it said.
struct Finished: Sendable {
  var end: ChildProcess.End
  var output: String
  var errors: String
  var code: Int32 { end.code }
  var lines: [String] { output.split(separator: "\n").map(String.init) }
}

struct ChildTrouble: Error, CustomStringConvertible {
  let description: String
}

/// Starts a program that knows where the provider is.
func child(_ words: [String], in provider: RunningProvider?, source: SourceFolder? = nil) throws
  -> ChildProcess
{
  try ChildProcess(
    words,
    environment: [
      "FAKEPROVIDER_MOUNT": provider?.path ?? "", "FAKEPROVIDER_CONTROL": provider?.socket, "LC_ALL": "C",
      "SOURCE": source?.path,
    ])
}

func run(
  _ words: [String], in provider: RunningProvider, source: SourceFolder? = nil
) async throws -> Finished {
  try await child(words, in: provider, source: source).finished()
}

/// Starts a Python program that speaks to the provider by itself: no library of ours is in it.
func python(
  _ script: String, _ arguments: [String] = [], in provider: RunningProvider?, source: SourceFolder? = nil
) throws -> ChildProcess {
  try child(
    [Python.executable, "-I", "-S", "-c", Python.prelude + script] + arguments, in: provider, source: source)
}

/// Runs a Python program to its end, which must be a good one, and returns the lines that it said.
func lines(
  _ script: String, _ arguments: [String] = [], in provider: RunningProvider?, source: SourceFolder? = nil,
  at location: SourceLocation = #_sourceLocation
) async throws -> [String] {
  let finished = try await python(script, arguments, in: provider, source: source).finished()
  #expect(finished.code == 0 && finished.errors == "", "\(finished.errors)", sourceLocation: location)
  return finished.lines
}

extension ChildProcess {
  /// The next line that it says.
  func line() async throws -> String {
    try await blocking { [self] in
      guard let line = readLine(timeout: hangGuard) else {
        throw ChildTrouble(description: "the child said nothing more: \(errorText)")
      }
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// Waits for its end.
  func finished() async throws -> Finished {
    try await blocking { [self] in
      closeInput()
      let output = restOfOutput(timeout: hangGuard)
      guard let output, let end = waitForEnd(timeout: hangGuard) else {
        send(signal: 9)
        throw ChildTrouble(description: "the child did not end: \(errorText)")
      }
      return Finished(end: end, output: String(decoding: output, as: UTF8.self), errors: errorText)
    }
  }

  /// Kills it and waits until it is gone, which must not take what it waited for.
  func killed() async throws -> End {
    try await blocking { [self] in
      send(signal: 9)
      guard let end = waitForEnd(timeout: .seconds(20)) else {
        throw ChildTrouble(description: "the child cannot be killed")
      }
      return end
    }
  }
}

/// Content to serve: a temporary folder, removed with this object.
final class SourceFolder: Sendable {
  let path: String

  init(_ files: [String: Data] = [:]) throws {
    var template = Array((NSTemporaryDirectory() + "/srcXXXXXX").utf8CString)
    guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
      throw ProviderFailure.system(call: "mkdtemp", errno: errno)
    }
    defer { free(resolved) }
    path = String(cString: resolved)
    for (name, data) in files { try write(name, data) }
  }

  deinit {
    // Not FileManager: a test makes paths that are longer than one system call takes.
    _ = try? ChildProcess(["rm", "-rf", "--", path]).waitForEnd(timeout: .seconds(30))
  }

  var source: RunningProvider.Source { .folder(path) }

  func write(_ name: String, _ data: Data) throws {
    let url = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  /// Every file's bytes and times, to compare with later.
  func state() throws -> [String: String] {
    var result: [String: String] = [:]
    for name in [""] + (try FileManager.default.subpathsOfDirectory(atPath: path)) {
      var status = stat()
      let file = "\(path)/\(name)"
      guard lstat(file, &status) == 0 else { continue }
      let times = [status.st_mtim, status.st_atim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
      result[name] = "\(status.st_mode) \(status.st_size) \(times)"
    }
    return result
  }
}

/// Bytes that differ everywhere, so that a piece in the wrong place is seen.
func content(_ count: Int, seed: UInt64 = 1) -> Data {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  var data = Data(capacity: count + 8)
  while data.count < count {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    withUnsafeBytes(of: state) { data.append(contentsOf: $0) }
  }
  return data.prefix(count)
}

extension RunningProvider {
  /// The number of the latest event.
  var lastEvent: UInt64 {
    get async throws { try await journal().last?.sequence ?? 0 }
  }
}
