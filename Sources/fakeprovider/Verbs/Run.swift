import CLinux
import Glibc
import ProviderControl

/// Runs a command with a provider of its own in a temporary place.
enum Run {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    // COMMAND and the provider get the mask from before; this process reads its signals.
    let signals = RunnerSignals()
    do {
      let place = try TemporaryMountpoint()
      defer { place.remove() }
      return try run(arguments, at: place.mountpoint, signals)
    } catch {
      Console.err("fakeprovider run: \(VerbFailure(any: error).message)\n")
      return Access.neverRan
    }
  }

  private static func run(
    _ arguments: ParsedArguments, at mountpoint: String, _ signals: RunnerSignals
  ) throws -> Int32 {
    var signals = signals
    var mounting = arguments
    mounting.positionals = [Argument(mountpoint)]
    let launched: ProviderLauncher.Launched
    switch try ProviderLauncher.launch(mounting, lifeline: true, relaysErrors: false, mask: signals.before) {
    // It has said why.
    case .ended: return Access.neverRan
    case .ready(let provider): launched = provider
    }
    guard let mount = try ProviderLookup.location(of: launched.mountpoint)?.mount else {
      finish(launched, mount: nil)
      throw VerbFailure("the provider's mount is gone")
    }
    defer { finish(launched, mount: mount) }
    var command = Command(
      program: arguments.rest.first?.bytes ?? [], words: arguments.rest.map(\.bytes))
    command.environment = [
      ("FAKEPROVIDER_MOUNT", mount.mountpoint), ("FAKEPROVIDER_CONTROL", mount.socket),
    ]
    let process = try command.start(mask: signals.before)
    return signals.wait(for: process, orphans: false).exitCode
  }

  /// Ends the provider: closing the lifeline does, and where that fails, as `unmount` does it.
  private static func finish(_ launched: ProviderLauncher.Launched, mount: ProviderMount?) {
    do {
      if let mount, try ProviderLookup.allMounts().contains(mount) {
        let how = try Unmount.end(mount)
        if how == .cleared {
          Console.err("fakeprovider run: the provider had crashed before COMMAND ended\n")
        }
        if how == .killed { Console.err("fakeprovider run: the provider did not answer and was killed\n") }
      } else if mount != nil {
        Console.err("fakeprovider run: the provider was unmounted before COMMAND ended\n")
      }
    } catch {
      Console.err("fakeprovider run: \(VerbFailure(any: error).message)\n")
    }
    close(launched.lifeline)
    _ = ProviderLauncher.exitCode(of: launched.process)
  }
}

/// A folder for one mount, inside one that only this user can enter.
private struct TemporaryMountpoint {
  let parent: String
  let mountpoint: String

  init() throws(VerbFailure) {
    let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = ((temporary.isEmpty ? "/tmp" : temporary) + "/fakeprovider-XXXXXX").utf8CString.map { $0 }
    guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
      throw VerbFailure("cannot make a temporary folder: \(String(cString: strerror(errno)))")
    }
    defer { free(resolved) }
    parent = String(cString: resolved)
    mountpoint = parent + "/cloud"
    guard mkdir(mountpoint, 0o700) == 0 else {
      let reason = String(cString: strerror(errno))
      rmdir(parent)
      throw VerbFailure("cannot make \(mountpoint): \(reason)")
    }
  }

  func remove() {
    // Neither asks a mount: what is still mounted there makes the first fail.
    if rmdir(mountpoint) != 0 || rmdir(parent) != 0 {
      Console.err("fakeprovider run: cannot remove \(mountpoint): \(String(cString: strerror(errno)))\n")
    }
  }
}
