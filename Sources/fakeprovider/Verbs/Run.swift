import CLinux
import Glibc
import ProviderControl

/// Runs a command with a provider of its own in a temporary place.
enum Run {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    // COMMAND and the provider get the mask from before; this process reads its signals.
    let signals = RunnerSignals()
    let expectations: [Expectation]
    do {
      expectations = try (arguments.values["--expect"] ?? []).map { try Expectation($0.text) }
    } catch {
      return arguments.carryOut { throw VerbFailure(any: error) }
    }
    do {
      let place = try TemporaryMountpoint()
      defer { place.remove() }
      return try run(arguments, at: place.mountpoint, signals, expectations)
    } catch {
      Console.err("fakeprovider run: \(VerbFailure(any: error).message)\n")
      return Access.neverRan
    }
  }

  private static func run(
    _ arguments: ParsedArguments, at mountpoint: String, _ signals: RunnerSignals,
    _ expectations: [Expectation]
  ) throws -> Int32 {
    var signals = signals
    var mounting = arguments
    mounting.values["--expect"] = nil
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
    let code = signals.wait(for: process, orphans: false).exitCode
    if expectations.isEmpty || meets(expectations, mount) { return code }
    return code == 0 ? FakeProvider.Exit.findings : code
  }

  /// Whether all hold now that COMMAND has ended; says which do not. One that cannot be checked does not.
  private static func meets(_ expectations: [Expectation], _ mount: ProviderMount) -> Bool {
    func say(_ text: String) { Console.err("fakeprovider run: \(Render.harmless(text))\n") }
    do {
      let result = try Expect.result(of: expectations, ProviderConnection(to: mount))
      for verdict in result.expectations where !verdict.holds {
        say("\(verdict.assertion): " + Expect.explanation(verdict).joined(separator: ": "))
      }
      if let incomplete = result.incomplete { say("journal incomplete: \(incomplete)") }
      return result.passes
    } catch {
      let isThere = (try? ProviderLookup.allMounts().contains(mount)) ?? true
      let why =
        isThere
        ? VerbFailure(any: error).message
        : "the provider was unmounted before COMMAND ended; --journal FILE keeps what has happened"
      say("what was expected cannot be checked: \(why)")
      return false
    }
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
