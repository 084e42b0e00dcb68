import ProviderControl

/// Which providers run, and which have left a mount behind.
enum List {
  struct Entry: Hashable, Sendable, Encodable {
    enum State: String, Sendable, Encodable { case running, crashed, silent, foreign }
    var mountpoint: WirePath
    var socket: WirePath
    var state: State
    var pid: Int32?
    var profile: String?
    var source: String?
    var mode: String?
    var seed: UInt64?
    var version: String?
    var condition: String?
    var locked: Bool?
  }

  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let entries = try Providers.all().map(entry)
      if arguments.has("--json") {
        Console.json(["providers": entries])
      } else {
        if !entries.isEmpty { Console.out(table(entries)) }
        let words = hint(entries)
        if !words.isEmpty { Console.err(words) }
      }
      return FakeProvider.Exit.done
    }
  }

  static func table(_ entries: [Entry]) -> String {
    Render.table(
      ["MOUNTPOINT", "STATE", "PID", "PROFILE", "MODE", "SOURCE"],
      entries.map { entry in
        [
          Render.harmless(entry.mountpoint.text), entry.state.rawValue, entry.pid.map { "\($0)" } ?? "-",
          entry.profile ?? "-", entry.mode ?? "-", Render.harmless(entry.source ?? "-"),
        ]
      }, right: [2])
  }

  static func hint(_ entries: [Entry]) -> String {
    if entries.isEmpty { return "no provider is mounted\n" }
    return entries.compactMap { entry in
      let mountpoint = entry.mountpoint.text
      let unmount = "fakeprovider unmount \(Argument(bytes: entry.mountpoint.bytes).shellWord)"
      return switch entry.state {
      case .running, .foreign: nil
      case .crashed: "a crashed provider left \(mountpoint) behind; to clear it: \(unmount)\n"
      case .silent: "the provider of \(mountpoint) does not answer; to end it: \(unmount)\n"
      }
    }.joined()
  }

  private static func entry(_ mount: ProviderMount) -> Entry {
    var entry = Entry(
      mountpoint: WirePath(bytes: mount.mountpoint), socket: WirePath(bytes: mount.socket), state: .running)
    do {
      let client = try Client(connectingTo: mount.socket, timeout: .seconds(1))
      let line = try client.call(RequestLine(verb: "provider"), timeout: .seconds(1)).provider
      entry.pid = line?.pid
      entry.profile = line?.profile
      entry.source = line?.source
      entry.mode = line?.mode
      entry.seed = line?.seed
      entry.version = line?.version
      entry.condition = line?.condition
      entry.locked = line?.locked
    } catch ConnectionProblem.refused {
      entry.state = .foreign
    } catch ConnectionProblem.timedOut {
      entry.state = .silent
    } catch {
      entry.state = .crashed
    }
    return entry
  }
}
