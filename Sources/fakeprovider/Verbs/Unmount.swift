import CLinux
import Glibc
import ProviderControl

/// Ends providers and clears what crashed ones left behind. Never asks a mount anything: it may be stuck.
enum Unmount {
  /// What became of a provider.
  enum End: String, Sendable, Encodable {
    /// It ended by itself, as it was asked to.
    case ended
    /// It did not answer and was killed.
    case killed
    /// It was gone already; its mount and its socket were left.
    case cleared
  }

  struct Ended: Hashable, Sendable, Encodable {
    var mountpoint: WirePath
    var how: End
  }

  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let all = arguments.has("--all")
      if all != arguments.positionals.isEmpty {
        throw VerbFailure.usage(all ? "--all stands without a mountpoint" : "needs MOUNTPOINT or --all")
      }
      let mounts = try all ? Providers.all() : [mount(at: arguments.positionals[0])]
      var ended: [Ended] = []
      var failures: [String] = []
      for mount in mounts {
        do {
          // Those of other users are not meant by "all".
          guard let how = try end(mount, skipsForeign: all) else { continue }
          ended.append(Ended(mountpoint: WirePath(bytes: mount.mountpoint), how: how))
        } catch {
          failures.append(VerbFailure(any: error).message)
        }
      }
      if arguments.has("--json") { Console.json(["unmounted": ended]) }
      Console.err(words(ended, all: all))
      if !failures.isEmpty { throw VerbFailure(failures.joined(separator: "\n")) }
      return FakeProvider.Exit.done
    }
  }

  static func words(_ ended: [Ended], all: Bool) -> String {
    if ended.isEmpty { return all ? "no provider is mounted\n" : "" }
    return ended.compactMap { mount in
      switch mount.how {
      case .ended: all ? "\(mount.mountpoint.text): unmounted\n" : nil
      case .killed: "\(mount.mountpoint.text): the provider did not answer and was killed\n"
      case .cleared: "\(mount.mountpoint.text): cleared what a crashed provider left behind\n"
      }
    }.joined()
  }

  private static func mount(at path: Argument) throws -> ProviderMount {
    guard let location = try ProviderLookup.location(of: path.bytes) else {
      throw VerbFailure("\(Render.harmless(path.text)) is not a mountpoint of a provider")
    }
    // The folder that a bind mount shows is where its paths begin.
    guard location.relative == location.mount.root else {
      throw VerbFailure(
        "\(Render.harmless(path.text)) is inside the provider mounted at \(location.mount.text); unmount that"
      )
    }
    return location.mount
  }

  // MARK: One provider

  /// How long a provider may take to end, in real time.
  private static let patience = Duration.seconds(2)

  /// - Returns: nil for another user's provider that was to be skipped.
  static func end(_ mount: ProviderMount, skipsForeign: Bool = false) throws -> End? {
    let deadline = RealDeadline(in: patience)
    let socket: LineSocket
    do {
      socket = try LineSocket.connect(path: mount.socket, timeout: patience)
    } catch .notRunning {
      return try clear(mount)
    } catch .refused where skipsForeign {
      return nil
    } catch .timedOut {
      // Its queue of connections is full, so that even its process cannot be asked for.
      throw VerbFailure("\(mount.text): the provider takes no connections; end its process and try again")
    } catch {
      throw VerbFailure(ProviderConnection.explanation(of: error, mount))
    }
    // Held from here on: whatever happens to the number, this stays the provider's process.
    let process = ProviderPidfd(socket.peer?.process)
    let client = Client(socket)
    do {
      let left = Duration.milliseconds(Int64(deadline.remaining_ms))
      _ = try client.call(RequestLine(verb: "unmount"), timeout: left)
    } catch ConnectionProblem.timedOut {
      return try kill(process, mount)
    } catch is ConnectionProblem {
      // The connection ended instead of an answer: see below whether the mount is gone.
    }
    guard process.hasEnded(by: deadline) else { return try kill(process, mount) }
    try removeIfThere(mount)
    return .ended
  }

  private static func kill(_ process: ProviderPidfd, _ mount: ProviderMount) throws -> End {
    // A stopped process can be killed, too; the kernel then fails whatever waits for it.
    guard process.kill(), process.hasEnded(by: RealDeadline(in: patience)) else {
      MountRemoval.abort(mount.text)
      try removeIfThere(mount)
      throw VerbFailure("\(mount.text) is unmounted, but its provider's process could not be ended")
    }
    try removeIfThere(mount)
    removeSocket(mount)
    return .killed
  }

  /// Clears what a crashed provider left behind.
  /// - Returns: false for one that is there, whether it answers or not.
  static func clearIfCrashed(_ mount: ProviderMount) throws -> Bool {
    do {
      _ = try LineSocket.connect(path: mount.socket, timeout: patience)
      return false
    } catch .notRunning {
      _ = try clear(mount)
      Console.err(words([Ended(mountpoint: WirePath(bytes: mount.mountpoint), how: .cleared)], all: false))
      return true
    } catch {
      return false
    }
  }

  private static func clear(_ mount: ProviderMount) throws -> End {
    try removeIfThere(mount)
    removeSocket(mount)
    return .cleared
  }

  private static func removeIfThere(_ mount: ProviderMount) throws {
    guard try ProviderLookup.allMounts().contains(mount) else { return }
    if let problem = MountRemoval.detach(mount.text) { throw VerbFailure(problem) }
  }

  /// Only a socket, and only where sockets of ours are: the mount table is what a mount says of itself.
  private static func removeSocket(_ mount: ProviderMount) {
    let path = String(decoding: mount.socket, as: UTF8.self)
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, path.hasSuffix(".sock") else {
      return
    }
    unlink(path)
  }
}

/// The provider's process, held by a descriptor.
private final class ProviderPidfd {
  private let descriptor: Int32

  init(_ process: Int32?) {
    // 0: it lives in a namespace that cannot be seen from here.
    descriptor = process.map { $0 > 0 ? clinux_pidfd_open($0) : -1 } ?? -1
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func kill() -> Bool { descriptor >= 0 && clinux_pidfd_send_signal(descriptor, SIGKILL) == 0 }

  /// Waits for its end; one that cannot be seen counts as ended.
  func hasEnded(by deadline: RealDeadline) -> Bool {
    guard descriptor >= 0 else { return true }
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, deadline.remaining_ms) > 0 { return true }
      if deadline.hasPassed { return false }
    }
  }
}
