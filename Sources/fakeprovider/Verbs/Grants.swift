import Glibc
import ProviderControl

/// pick, revoke, restore: who may start access.
enum Grants {
  // MARK: pick

  static func pick(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      if arguments.has("--as-copy") { return try pickCopies(arguments) }
      if arguments.values["--inbox"] != nil { throw VerbFailure.usage("--inbox belongs to --as-copy") }
      var grants: [GrantLine] = []
      for group in try Providers.groups(of: arguments.positionals) {
        let connection = try ProviderConnection(to: group.mount)
        var request = RequestLine(verb: "pick", group)
        request.app = arguments.app
        let lines = try connection.call(request, about: group).grants ?? []
        grants += lines.map { line in
          var line = line
          line.path = connection.mount.absolutePath(of: line.path)
          return line
        }
      }
      if arguments.has("--json") {
        Console.json(["grants": grants])
      } else {
        Console.out(grants.map { $0.url + "\n" }.joined())
        Console.err(granted(grants.count, to: arguments.app))
      }
      return FakeProvider.Exit.done
    }
  }

  private static func pickCopies(_ arguments: ParsedArguments) throws -> Int32 {
    let inbox = try inbox(arguments)
    var copies: [CopyLine] = []
    for group in try Providers.groups(of: arguments.positionals) {
      let connection = try ProviderConnection(to: group.mount)
      var request = RequestLine(verb: "pick", group)
      request.asCopy = true
      request.inbox = WirePath(bytes: inbox)
      copies += (try connection.call(request, about: group).copies ?? []).map { line in
        var line = line
        line.path = connection.mount.absolutePath(of: line.path)
        return line
      }
    }
    if arguments.has("--json") {
      Console.json(["copies": copies])
    } else {
      Console.out(copies.map { $0.url + "\n" }.joined())
      let folder = Render.harmless(String(decoding: inbox, as: UTF8.self))
      Console.err("copied \(Render.count(copies.count, "item")) into \(folder)\n")
    }
    return FakeProvider.Exit.done
  }

  /// Absolute: the provider has a working folder of its own.
  private static func inbox(_ arguments: ParsedArguments) throws -> [UInt8] {
    let given =
      arguments.values["--inbox"]?.first?.bytes ?? getenv("FAKEPROVIDER_INBOX").map { bytes(of: $0) } ?? []
    guard !given.isEmpty else {
      throw VerbFailure.usage(
        "--as-copy needs --inbox DIR, or FAKEPROVIDER_INBOX: the app's folder for copies")
    }
    if given.first == 0x2F { return given }
    guard let here = getcwd(nil, 0) else {
      throw VerbFailure("the working folder is gone; give --inbox as an absolute path")
    }
    defer { free(here) }
    return bytes(of: here) + [0x2F] + given
  }

  private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
  }

  static func granted(_ items: Int, to app: String?) -> String {
    "granted \(app.map { "the app \($0)" } ?? "every app"): \(Render.count(items, "item"))\n"
  }

  // MARK: revoke

  static func revoke(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      var sum = RevocationLine()
      for group in try Providers.groups(of: arguments.positionals) {
        var request = RequestLine(verb: "revoke", group)
        request.app = arguments.app
        request.byUser = arguments.has("--by-user")
        request.reads = arguments.has("--reads")
        let reply = try ProviderConnection(to: group.mount).call(request, about: group)
        guard let line = reply.revoked else { continue }
        sum.grants += line.grants
        sum.scopes += line.scopes
        sum.descriptors += line.descriptors
        sum.processesKilled += line.processesKilled
      }
      if arguments.has("--json") {
        Console.json(["revoked": sum])
      } else {
        Console.err(revoked(sum, byUser: arguments.has("--by-user"), reads: arguments.has("--reads")))
      }
      return FakeProvider.Exit.done
    }
  }

  static func revoked(_ sum: RevocationLine, byUser: Bool, reads: Bool) -> String {
    var text = "revoked \(Render.count(sum.grants, "grant")), "
    text += "ended \(Render.count(sum.scopes, "started scope"))"
    if byUser { text += ", killed \(Render.count(sum.processesKilled, "process", "processes"))" }
    text += "\n"
    guard sum.descriptors > 0 else { return text }
    let descriptors = Render.count(sum.descriptors, "open descriptor")
    if reads {
      text += "\(descriptors) cut off: reads of \(sum.descriptors == 1 ? "it" : "them") fail from now on\n"
    } else if byUser && sum.processesKilled > 0 {
      text += "\(descriptors) \(sum.descriptors == 1 ? "was" : "were") open; those of killed processes end\n"
    } else {
      text += "\(descriptors) \(sum.descriptors == 1 ? "goes" : "go") on reading, as on a device; "
      text += "--reads cuts such descriptors off\n"
    }
    return text
  }

  // MARK: restore

  static func restore(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      var paths: [WirePath] = []
      for group in try Providers.groups(of: arguments.positionals) {
        var request = RequestLine(verb: "restore", group)
        request.app = arguments.app
        let connection = try ProviderConnection(to: group.mount)
        try connection.call(request, about: group)
        paths += group.wirePaths.map(connection.mount.absolutePath)
      }
      if arguments.has("--json") {
        Console.json(["restored": paths])
      } else {
        Console.err("restored what was revoked of \(Render.count(paths.count, "item"))\n")
      }
      return FakeProvider.Exit.done
    }
  }
}

extension ParsedArguments {
  /// `--app`, as a provider would call it.
  var app: String? { text("--app").map(Access.canonical) }
}
