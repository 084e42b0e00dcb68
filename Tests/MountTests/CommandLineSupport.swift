import Foundation
import ProviderControl
import ProviderTesting
import Testing

/// How a command ended, and what it said where.
struct Said: Sendable, CustomStringConvertible {
  var code: Int32
  var output: String
  var errors: String
  var description: String { "exit \(code), output \"\(output)\", errors \"\(errors)\"" }
  var errorLines: [Substring] { errors.split(separator: "\n") }
}

/// A command that was started.
struct Started: Sendable {
  let process: ChildProcess

  /// What it says until it and all that it left behind have closed its output, and how it ended.
  func said() async throws -> Said {
    try await blocking { [process] in
      process.closeInput()
      let output = process.restOfOutput(timeout: .seconds(120))
      guard let output, let end = process.waitForEnd(timeout: .seconds(120)) else {
        process.send(signal: SIGKILL)
        throw ProviderFailure.timedOut(what: "the end of a command that said: \(process.errorText)")
      }
      return Said(
        code: end.code, output: String(decoding: output, as: UTF8.self), errors: process.errorText)
    }
  }

  func line() async throws -> String {
    try await blocking { [process] in
      guard let line = process.readLine(timeout: .seconds(60)) else {
        throw ProviderFailure.timedOut(what: "a line of a command that said: \(process.errorText)")
      }
      return String(decoding: line, as: UTF8.self)
    }
  }
}

/// Where commands are tried as a stranger would: a folder with content to serve, a mountpoint, temporary files
/// and sockets of its own.
struct Bench: Sendable {
  let path: String
  var cloud: String { path + "/cloud" }
  var source: String { path + "/source" }
  var temporary: String { path + "/tmp" }

  /// The repository, and the folder with what was built.
  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  static let build = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path
  static let isRoot = geteuid() == 0

  /// Bytes in which a piece in the wrong place is seen.
  static func bytes(_ count: Int) -> Data {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return Data(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      })
  }

  // MARK: Commands

  func start(_ words: [String], environment: [String: String?] = [:]) throws -> Started {
    let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let own: [String: String?] = [
      "PATH": "\(Self.build):\(inherited)", "TMPDIR": temporary, "XDG_RUNTIME_DIR": path + "/run",
      "LC_ALL": "C.UTF-8", "FAKEPROVIDER_CONTROL": nil, "FAKEPROVIDER_MOUNT": nil, "FAKEPROVIDER_APP": nil,
      "SWIFT_BACKTRACE": "enable=no",
    ]
    // The child is found in this process's PATH, so it is named whole.
    var words = words
    if ["fakeprovider", "StageDocument"].contains(words[0]) { words[0] = "\(Self.build)/\(words[0])" }
    return Started(process: try ChildProcess(words, environment: own.merging(environment) { $1 }))
  }

  func run(_ words: [String], environment: [String: String?] = [:]) async throws -> Said {
    try await start(words, environment: environment).said()
  }

  @discardableResult
  func fakeprovider(_ words: String..., environment: [String: String?] = [:]) async throws -> Said {
    try await run(["fakeprovider"] + words, environment: environment)
  }

  /// A script in the bench's folder.
  func bash(_ script: String, environment: [String: String?] = [:]) async throws -> Said {
    try await run(["bash", "-c", "cd '\(path)'\n\(script)"], environment: environment)
  }

  // MARK: A provider

  func mount(_ options: String..., profile: String = "instant") async throws {
    let words = ["fakeprovider", "mount", "--profile", profile, "--source", source, "--background"]
    let said = try await run(words + options + [cloud])
    try #require(said.code == 0 && said.output == "ready \(cloud)\n" && said.errors == "", "\(said)")
  }

  func file(_ name: String) -> String { "\(cloud)/\(name)" }

  /// The mounts of providers in this folder, from the mount table.
  var mounts: [ProviderMount] {
    get throws { try MountTable.current().providers.filter { $0.mountpoint.starts(with: path.utf8) } }
  }

  /// The socket of the only provider here, and its process, after which the socket is named.
  func provider() throws -> (socket: String, process: Int32) {
    let socket = String(decoding: try #require(mounts.first).socket, as: UTF8.self)
    let name = URL(fileURLWithPath: socket).deletingPathExtension().lastPathComponent
    return (socket, try #require(Int32(name)))
  }

  /// Everything that a provider leaves is gone: process, mount and socket.
  func expectNothingLeft(
    of provider: (socket: String, process: Int32), at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try mounts.isEmpty, sourceLocation: location)
    #expect(access(provider.socket, F_OK) != 0, "the socket is left", sourceLocation: location)
    // A process that has ended and that nobody has waited for yet has no executable any more.
    var name = [CChar](repeating: 0, count: 16)
    let count = readlink("/proc/\(provider.process)/exe", &name, name.count)
    #expect(count < 0, "the process is left", sourceLocation: location)
  }

  fileprivate func clear() async throws {
    for mount in try mounts {
      let mountpoint = String(decoding: mount.mountpoint, as: UTF8.self)
      try await fakeprovider("unmount", mountpoint)
    }
    _ = try await run(["rm", "-rf", "--one-file-system", "--", path])
  }
}

/// Gives `body` a bench, and takes away what it left there.
func withBench(
  _ files: [String: Data] = [
    "a.pdf": Bench.bytes(300_000), "b.txt": Data("bee\n".utf8), "in/c.txt": Data("sea\n".utf8),
  ],
  _ body: (Bench) async throws -> Void
) async throws {
  let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  var template = Array((parent + "/clXXXXXX").utf8CString)
  guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
    throw ProviderFailure.system(call: "mkdtemp", errno: errno)
  }
  defer { free(resolved) }
  let bench = Bench(path: String(cString: resolved))
  for folder in [bench.cloud, bench.source, bench.temporary, bench.path + "/run"] {
    guard mkdir(folder, 0o700) == 0 else { throw ProviderFailure.system(call: "mkdir", errno: errno) }
  }
  for (name, data) in files {
    let url = URL(fileURLWithPath: "\(bench.source)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }
  do {
    try await body(bench)
  } catch {
    try? await bench.clear()
    throw error
  }
  try await bench.clear()
}
