import Glibc
import ProviderControl
import ProviderModel

/// A path of the command line, and where it leads.
struct GivenPath: Hashable, Sendable {
  var argument: Argument
  var location: ProviderLocation
}

/// The paths of a command line that belong to one provider, in their order.
struct PathGroup: Hashable, Sendable {
  var mount: ProviderMount
  var paths: [GivenPath]

  var wirePaths: [WirePath] { paths.map(\.location.wirePath) }

  /// What a person calls an item: as they typed it, else by its whole path.
  func name(of path: WirePath) -> String {
    let given = paths.first { $0.location.wirePath == path }
    return given?.argument.text ?? mount.absolutePath(of: path).text
  }
}

extension ProviderMount {
  var text: String { String(decoding: mountpoint, as: UTF8.self) }

  /// Below the mountpoint; an item that a bind mount leaves out keeps its path in the provider.
  func absolutePath(of path: WirePath) -> WirePath {
    let relative = path.bytes == [0x2E] ? [] : path.bytes
    let location = ProviderLocation(mount: self, relative: relative)
    return WirePath(bytes: location.absolutePath(of: relative) ?? relative)
  }
}

enum Providers {
  /// How long a provider may take to say who it is, in real time. One that is stopped never does.
  static let patience = Duration.seconds(5)

  // MARK: From paths

  static func groups(of paths: [Argument]) throws -> [PathGroup] {
    var given: [GivenPath] = []
    for path in paths {
      guard let location = try ProviderLookup.location(of: path.bytes) else { throw outside(path) }
      given.append(GivenPath(argument: path, location: location))
    }
    return grouped(given)
  }

  static func grouped(_ paths: [GivenPath]) -> [PathGroup] {
    var groups: [PathGroup] = []
    for path in paths {
      let mount = path.location.mount
      if let index = groups.firstIndex(where: { $0.mount.socket == mount.socket }) {
        groups[index].paths.append(path)
      } else {
        groups.append(PathGroup(mount: mount, paths: [path]))
      }
    }
    return groups
  }

  static func outside(_ path: Argument) -> VerbFailure {
    VerbFailure(
      "\(Render.harmless(path.text)) is not inside a mounted provider; mount one with 'fakeprovider mount'")
  }

  // MARK: Without paths

  /// Every provider once, also one that is bind-mounted elsewhere.
  static func all() throws -> [ProviderMount] { distinct(try ProviderLookup.allMounts()) }

  static func distinct(_ mounts: [ProviderMount]) -> [ProviderMount] {
    var result: [ProviderMount] = []
    // Whole mounts first: a bind mount of one folder does not show every item.
    for mount in mounts.filter(\.root.isEmpty) + mounts.filter({ !$0.root.isEmpty })
    where !result.contains(where: { $0.socket == mount.socket }) {
      result.append(mount)
    }
    return result
  }

  /// The provider that a verb without a path is about: `--provider`, else $FAKEPROVIDER_CONTROL, else the
  /// only one.
  static func chosen(_ arguments: ParsedArguments) throws -> ProviderMount {
    if let path = arguments.values["--provider"]?.first {
      guard let location = try ProviderLookup.location(of: path.bytes) else { throw outside(path) }
      return location.mount
    }
    return try choice(control: environmentControl, mounts: try all())
  }

  static var environmentControl: [UInt8]? {
    guard let value = getenv("FAKEPROVIDER_CONTROL"), value.pointee != 0 else { return nil }
    return UnsafeRawBufferPointer(start: value, count: strlen(value)).map { $0 }
  }

  static let none = VerbFailure("no provider is mounted; mount one with 'fakeprovider mount'")

  static func choice(control: [UInt8]?, mounts: [ProviderMount]) throws(VerbFailure) -> ProviderMount {
    if let control {
      let known = mounts.first { $0.socket == control }
      // It may be mounted where this process cannot see it; its socket is enough to talk to it.
      return known ?? ProviderMount(mountpoint: [], socket: control, root: [])
    }
    guard let first = mounts.first else { throw none }
    guard mounts.count == 1 else {
      let list = mounts.map { "  --provider \(Argument(bytes: $0.mountpoint).shellWord)\n" }.joined()
      throw VerbFailure(
        "several providers are mounted; say which:\n" + list.dropLast(), exitCode: FakeProvider.Exit.usage)
    }
    return first
  }
}
