import CLinux
import FoundationEssentials
import Glibc
import ProviderControl
import ProviderHost
import ProviderModel
import ProviderProfiles

/// `fakeprovider mount`: checks everything that can be checked first, so that nothing is half mounted.
enum MountVerb {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    if arguments.has("--background") { return ProviderLauncher.background(arguments) }
    do {
      let (settings, features) = try settings(arguments)
      try ProviderProcess.run(settings, features: features) {
        ready(settings.mountpoint, json: arguments.has("--json"))
      }
    } catch let problem as MountProblem {
      Console.err("fakeprovider: \(problem.message)\n")
      // Whoever sees `run` did not write a command line of `mount`.
      if problem.isUsage, arguments.text("--lifeline") == nil, let spec = VerbTable.spec(of: "mount") {
        Console.err(spec.usage + "\n")
      }
      return problem.isUsage ? FakeProvider.Exit.usage : FakeProvider.Exit.failed
    } catch {
      Console.err("fakeprovider: \(error)\n\(hint(error))")
      return FakeProvider.Exit.failed
    }
  }

  /// Says that the mount can be used: the one thing that `mount` says on standard output.
  static func ready(_ mountpoint: String, json: Bool) {
    if json {
      Console.json(["mountpoint": WirePath(bytes: Array(mountpoint.utf8))])
    } else {
      Console.out(ProviderLauncher.readyWord + mountpoint + "\n")
    }
  }

  private static func settings(
    _ arguments: ParsedArguments
  ) throws -> (ProviderProcess.Settings, KernelFeatures) {
    let features: KernelFeatures
    do {
      features = try KernelFeatures.current(environment: ProcessInfo.processInfo.environment)
    } catch {
      throw MountProblem(error.message)
    }
    // Of a mount of its own, `run` says nothing but what goes wrong.
    var profile = try profile(
      arguments.text("--profile") ?? "", warns: arguments.text("--lifeline") == nil)
    if let text = arguments.text("--seed") {
      guard let seed = UInt64(text) else {
        throw MountProblem(
          "--seed takes a whole number from 0 to \(UInt64.max), not \"\(text)\"", usage: true)
      }
      profile.seed = seed
    }
    guard let clock = ProviderTime.Mode(arguments.text("--clock") ?? "real") else {
      throw MountProblem(
        "--clock takes real, scaled:N (N from 1 to 1000000) or manual, not \""
          + (arguments.text("--clock") ?? "") + "\"", usage: true)
    }
    let source = try arguments.text("--source").map(MountChecks.source) ?? SampleLibrary.folder()
    let mountpoint = try MountChecks.mountpoint(arguments.positionals.first?.text ?? "")
    try MountChecks.areApart(source: source, mountpoint: mountpoint)
    try arguments.text("--journal").map {
      try MountChecks.journal($0, source: source, mountpoint: mountpoint)
    }
    let lifeline = try arguments.text("--lifeline").map { text in
      guard let descriptor = Int32(text), fcntl(descriptor, F_GETFD) >= 0 else {
        throw MountProblem("--lifeline takes an open descriptor's number, not \"\(text)\"", usage: true)
      }
      return descriptor
    }
    return (
      ProviderProcess.Settings(
        profile: profile, source: source,
        sourceName: arguments.text("--source") == nil ? "sample documents" : source, mountpoint: mountpoint,
        clock: clock, journal: arguments.text("--journal"), lifeline: lifeline,
        debug: arguments.has("--debug")), features
    )
  }

  private static func profile(_ name: String, warns: Bool) throws -> Profile {
    do {
      let examined = try ProfileLibrary.examine(nameOrPath: name)
      if warns {
        for remark in examined.remarks.problems where remark.weight == .warning {
          Console.err("\(remark)\n")
        }
      }
      return examined.profile
    } catch {
      // A profile with errors lists them all, a line each; a name that nothing has is a slip of the keyboard.
      if case .unknownName = error { throw MountProblem("\(error)", usage: true) }
      throw MountProblem("\(error)")
    }
  }

  private static func hint(_ error: any Error) -> String {
    guard let error = error as? SystemError else { return "" }
    return switch error.number {
    case EPERM, EACCES, ENODEV, ENOENT: "what this machine permits: fakeprovider doctor\n"
    default: ""
    }
  }
}

/// Why nothing was mounted, in one line.
struct MountProblem: Error {
  var message: String
  var isUsage: Bool
  init(_ message: String, usage: Bool = false) {
    self.message = message
    isUsage = usage
  }
}

enum MountChecks {
  /// The source folder, absolute and without links.
  static func source(_ path: String) throws -> String {
    var status = stat()
    guard let resolved = realPath(path), stat(resolved, &status) == 0 else {
      throw MountProblem("the source folder \(path) cannot be had: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw MountProblem("the source \(path) is not a folder; give the folder that the provider shall serve")
    }
    guard access(resolved, R_OK | X_OK) == 0 else {
      throw MountProblem("the source folder \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    return resolved
  }

  private static func isCleared(_ mount: ProviderMount) throws -> Bool {
    do {
      return try Unmount.clearIfCrashed(mount)
    } catch {
      throw MountProblem(VerbFailure(any: error).message)
    }
  }

  /// An empty folder that nothing is mounted on, absolute and without links.
  static func mountpoint(_ path: String) throws -> String {
    // The mount table first: a mount whose provider is stuck must not be touched, and one whose provider is gone
    // makes room.
    if let location = try ProviderLookup.location(of: Array(path.utf8)),
      try !(location.relative.isEmpty && isCleared(location.mount))
    {
      let mountpoint = String(decoding: location.mount.mountpoint, as: UTF8.self)
      throw location.relative.isEmpty
        ? MountProblem("\(path) is a provider's mount already; end it: fakeprovider unmount \(path)")
        : MountProblem("\(path) lies inside the provider mounted at \(mountpoint); choose another place")
    }
    var status = stat()
    guard let resolved = realPath(path), stat(resolved, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      throw MountProblem("the mountpoint \(path) cannot be had: \(reason); make it: mkdir -p \(path)")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw MountProblem("the mountpoint \(path) is not a folder")
    }
    if try MountTable.current().isMountpoint(Array(resolved.utf8)) {
      throw MountProblem("something is mounted at \(path) already; choose another place or unmount it")
    }
    guard let folder = opendir(resolved) else {
      throw MountProblem("the mountpoint \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { closedir(folder) }
    var entries = 0
    while readdir(folder) != nil { entries += 1 }
    guard entries <= 2 else {
      throw MountProblem("the mountpoint \(path) is not empty; what is in it would be hidden: choose another")
    }
    guard geteuid() == 0 || access(resolved, W_OK) == 0 else {
      throw MountProblem(
        "the mountpoint \(path) cannot be written, which mounting needs; choose one of yours")
    }
    return resolved
  }

  private static func contains(_ outer: String, _ inner: String) -> Bool {
    inner == outer || inner.hasPrefix(outer == "/" ? "/" : outer + "/")
  }

  /// The source is never touched, and what lies below the mountpoint cannot be seen.
  static func journal(_ path: String, source: String, mountpoint: String) throws {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    // A folder that is not there is told when the journal is made.
    guard let resolved = realPath(folder) else { return }
    for place in [source, mountpoint] where contains(place, resolved) {
      throw MountProblem("the journal \(path) would lie in \(place); choose a place outside", usage: true)
    }
  }

  static func areApart(source: String, mountpoint: String) throws {
    if contains(source, mountpoint) || contains(mountpoint, source) {
      throw MountProblem(
        "the source \(source) and the mountpoint \(mountpoint) lie in each other; choose a mountpoint outside"
      )
    }
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
