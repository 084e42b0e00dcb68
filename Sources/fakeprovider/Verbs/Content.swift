import ProviderControl
import ProviderModel

/// download, evict, pin and unpin: what this machine has of an item.
enum Content {
  // MARK: download

  static func download(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let downloads = try Providers.groups(of: arguments.positionals).map { group in
        let connection = try ProviderConnection(to: group.mount)
        return Download(
          group: group, connection: connection,
          pending: try connection.begin(RequestLine(verb: "download", group)))
      }
      let progress = Console.isTerminal(2) ? ProgressBar(downloads) : nil
      defer { progress?.stop() }
      var items: [Status.Item] = []
      var finished: [(name: String, line: ItemLine)] = []
      for download in downloads {
        let reply = try download.pending.answer(on: download.connection, about: download.group)
        for line in reply.items ?? [] {
          items.append(Status.Item(line, on: download.connection.mount))
          finished.append((download.group.name(of: line.path), line))
        }
      }
      progress?.finish(finished)
      for (name, line) in finished { Console.err(done(line, name: name, package: "local")) }
      if arguments.has("--json") { Console.json(["items": items]) }
      return FakeProvider.Exit.done
    }
  }

  /// - Parameter package: what all that is in a package is now; its folder says nothing of that.
  static func done(_ item: ItemLine, name: String, package: String) -> String {
    if item.package == true { return "\(Render.harmless(name)) is \(package) with all that is in it\n" }
    return "\(Render.harmless(name)) is \(item.copy) (\(Render.size(item.size)))\n"
  }

  // MARK: evict

  static func evict(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      if let size = arguments.text("--pressure") { return try relieve(size, arguments) }
      if arguments.positionals.isEmpty { throw VerbFailure.usage("needs PATH, or --pressure SIZE") }
      if arguments.values["--provider"] != nil {
        throw VerbFailure.usage("--provider belongs to --pressure; a PATH says itself whose it is")
      }
      var items: [Status.Item] = []
      for group in try Providers.groups(of: arguments.positionals) {
        let connection = try ProviderConnection(to: group.mount)
        let request = try connection.begin(RequestLine(verb: "evict", group))
        do {
          let reply = try request.wait().checked()
          for line in reply.items ?? [] {
            items.append(Status.Item(line, on: connection.mount))
            Console.err(done(line, name: group.name(of: line.path), package: "dataless"))
          }
        } catch let refusal as ErrorLine {
          throw VerbFailure(refused(refusal, group, status: status(refusal.path, connection)))
        } catch let problem as ConnectionProblem {
          throw VerbFailure(connection.lost(problem))
        }
      }
      if arguments.has("--json") { Console.json(["items": items]) }
      return FakeProvider.Exit.done
    }
  }

  // MARK: pin

  static func pin(_ arguments: ParsedArguments) -> Int32 { mark("pin", arguments) }

  static func unpin(_ arguments: ParsedArguments) -> Int32 { mark("unpin", arguments) }

  private static func mark(_ verb: String, _ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      var items: [Status.Item] = []
      for group in try Providers.groups(of: arguments.positionals) {
        let connection = try ProviderConnection(to: group.mount)
        for line in try connection.call(RequestLine(verb: verb, group), about: group).items ?? [] {
          items.append(Status.Item(line, on: connection.mount))
          Console.err(marked(line, name: group.name(of: line.path)))
        }
      }
      if arguments.has("--json") { Console.json(["items": items]) }
      return FakeProvider.Exit.done
    }
  }

  static func marked(_ item: ItemLine, name: String) -> String {
    let name = Render.harmless(name)
    guard item.pinned == true else { return "\(name) is not pinned\n" }
    if item.unlisted == true {
      return "\(name) is pinned; what is in it is downloaded once it is listed\n"
    }
    return item.kind == "directory"
      ? "\(name) is pinned with all that is in it\n" : "\(name) is pinned (\(item.copy))\n"
  }

  private static func relieve(_ size: String, _ arguments: ParsedArguments) throws -> Int32 {
    guard arguments.positionals.isEmpty else {
      throw VerbFailure.usage("--pressure chooses the items itself; give no PATH")
    }
    let connection = try ProviderConnection(to: try Providers.chosen(arguments))
    var request = RequestLine(verb: "evict")
    request.pressure = size
    let reply = try connection.call(request)
    let (items, freed) = (reply.items ?? [], reply.freed ?? 0)
    for line in items {
      Console.err(done(line, name: connection.mount.absolutePath(of: line.path).text, package: "dataless"))
    }
    if arguments.has("--json") {
      Console.json(Relieved(items: items.map { Status.Item($0, on: connection.mount) }, freed: freed))
    }
    if freed >= ByteCount.bytes(text: size) ?? 0 { return FakeProvider.Exit.done }
    throw VerbFailure(
      "only \(Render.size(freed)) of \(size) could be freed: the rest of what is local is open, claimed or "
        + "pinned")
  }

  private struct Relieved: Encodable {
    var items: [Status.Item]
    var freed: Int64
  }

  private static func status(_ path: WirePath?, _ connection: ProviderConnection) -> ItemLine? {
    guard let path else { return nil }
    var request = RequestLine(verb: "status")
    request.path = path
    return try? connection.client.call(request, timeout: .seconds(1)).items?.first
  }

  /// What happened, to which file, why, and what to do.
  static func refused(_ refusal: ErrorLine, _ group: PathGroup, status: ItemLine?) -> String {
    // Of a package, what came before the item that refused is evicted.
    let isPartial = refusal.code == "nonEvictableChildren"
    let rest =
      group.paths.count > 1 && !isPartial ? "; none of the \(group.paths.count) items was evicted" : ""
    guard refusal.code == "busy", let path = refusal.path else {
      return VerbFailure(refusal, name: group.name).message + rest
    }
    let name = Render.harmless(group.name(of: path))
    if let status, status.phase != nil, status.open == 0 {
      return "\(name) was not evicted: it is being downloaded, and an item in motion keeps what has come "
        + "(EBUSY)\(rest). Evict it when it is local; 'fakeprovider wait state:PATH=local' waits for that"
    }
    let open = status?.open ?? 0
    let descriptors = open > 0 ? " (\(Render.count(open, "open descriptor")))" : ""
    return "\(name) was not evicted: it is still open\(descriptors), and an "
      + "item in use keeps its local copy (EBUSY)\(rest). Close it and evict again; 'fakeprovider events' "
      + "shows which process opened it"
  }
}

/// A download that was asked for.
struct Download: Sendable {
  var group: PathGroup
  var connection: ProviderConnection
  var pending: PendingReply
}
