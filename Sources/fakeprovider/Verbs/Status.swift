import ProviderControl

/// Items: their copy's state, version, progress, scopes and claims.
enum Status {
  /// An item as the protocol tells it, its path absolute, and whose it is.
  struct Item: Encodable, Sendable {
    var line: ItemLine
    var mountpoint: WirePath

    private enum Key: String, CodingKey { case mountpoint }

    func encode(to encoder: any Encoder) throws {
      try line.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(mountpoint, forKey: .mountpoint)
    }

    init(_ line: ItemLine, on mount: ProviderMount) {
      self.line = line
      self.line.path = mount.absolutePath(of: line.path)
      mountpoint = WirePath(bytes: mount.mountpoint)
    }
  }

  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let asked =
        if arguments.positionals.isEmpty { try inMotion(arguments) } else { try named(arguments.positionals) }
      if arguments.has("--json") {
        Console.json(["items": asked.map(\.item)])
      } else if asked.isEmpty {
        Console.err("nothing is open or under way\n")
      } else {
        Console.out(table(asked.map { ($0.name, $0.item.line) }))
      }
      return FakeProvider.Exit.done
    }
  }

  private static func named(_ paths: [Argument]) throws -> [(name: String, item: Item)] {
    var result: [(name: String, item: Item)] = []
    for group in try Providers.groups(of: paths) {
      let connection = try ProviderConnection(to: group.mount)
      let lines = try connection.call(RequestLine(verb: "status", group), about: group).items ?? []
      result += lines.map { (group.name(of: $0.path), Item($0, on: connection.mount)) }
    }
    return result
  }

  /// Without paths: what is open or under way, in every provider unless one is named.
  private static func inMotion(_ arguments: ParsedArguments) throws -> [(name: String, item: Item)] {
    let isNamed = arguments.values["--provider"] != nil || Providers.environmentControl != nil
    if isNamed { return try inMotion(ProviderConnection(to: try Providers.chosen(arguments))) }
    let mounts = try Providers.all()
    if mounts.isEmpty { throw Providers.none }
    return try mounts.flatMap { mount -> [(name: String, item: Item)] in
      do {
        return try inMotion(ProviderConnection(to: mount, patience: .seconds(1)))
      } catch let failure as VerbFailure {
        // One that has crashed must not hide the others.
        Console.err("\(failure.message)\n")
        return []
      }
    }
  }

  private static func inMotion(_ connection: ProviderConnection) throws -> [(name: String, item: Item)] {
    try (connection.call(RequestLine(verb: "status")).items ?? []).map { line in
      let item = Item(line, on: connection.mount)
      return (item.line.path.text, item)
    }
  }

  static func table(_ items: [(name: String, line: ItemLine)]) -> String {
    let rows = items.map { name, item in
      [
        Render.harmless(name), copy(item), item.upload,
        item.kind == "directory" ? "-" : Render.size(item.size), "\(item.version)", "\(item.open)",
        list(item.scopes), list(item.claims),
      ]
    }
    return Render.table(
      ["ITEM", "COPY", "CHANGES", "SIZE", "VERSION", "OPEN", "SCOPES", "CLAIMS"], rows, right: [3, 4, 5])
  }

  /// The state; with how much has arrived and how it goes on, while it is downloading.
  private static func copy(_ item: ItemLine) -> String {
    if item.kind == "directory" {
      let kind = item.package == true ? "package" : "folder"
      return item.pinned == true ? "\(kind), pinned" : kind
    }
    let state = item.pinned == true ? "\(item.copy), pinned" : item.copy
    guard let arrived = item.arrived, item.size > 0 else { return state }
    let progress = "\(state) \(Render.percent(arrived, of: item.size)) %"
    switch item.phase {
    case nil: return progress
    case "streaming": return progress + (item.bytesPerSecond.map { ", \(Render.size($0))/s" } ?? "")
    case .some(let phase): return "\(progress), \(phase)"
    }
  }

  private static func list(_ numbers: [some BinaryInteger]) -> String {
    numbers.isEmpty ? "-" : numbers.map { "\($0)" }.joined(separator: ",")
  }
}
