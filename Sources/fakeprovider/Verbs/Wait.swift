import ProviderControl
import ProviderModel

/// Waits for a condition, for so long of real time.
enum Wait {
  static let defaultTimeout = Span.seconds(60)

  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let timeout = try timeout(arguments.text("--timeout"))
      let given = arguments.positionals.first ?? ""
      let (mount, condition) = try resolved(given, arguments)
      let connection = try ProviderConnection(to: mount)
      var request = RequestLine(verb: "wait")
      request.condition = condition
      let pending = try connection.begin(request)
      do {
        _ = try pending.wait(timeout: .nanoseconds(timeout.nanoseconds)).checked()
      } catch ConnectionProblem.timedOut {
        let now = now(condition, connection).map { "; \($0)" } ?? ""
        throw VerbFailure("\(Render.harmless(given.text)) did not come true within \(timeout.text)\(now)")
      } catch let problem as ConnectionProblem {
        throw VerbFailure(connection.lost(problem))
      }
      if arguments.has("--json") { Console.json(["condition": given.text]) }
      return FakeProvider.Exit.done
    }
  }

  static func timeout(_ text: String?) throws(VerbFailure) -> Span {
    guard let text else { return defaultTimeout }
    guard let span = Span(text: text), span >= .zero else {
      throw .usage("--timeout takes a length like 500ms, 10s or 2m, not \"\(text)\"")
    }
    return span
  }

  // MARK: The condition

  /// `state:PATH=S` taken apart; nil for the other conditions.
  static func statePath(_ condition: Argument) -> (path: Argument, state: String)? {
    let prefix = Array("state:".utf8)
    guard condition.bytes.starts(with: prefix), let equals = condition.bytes.lastIndex(of: 0x3D) else {
      return nil
    }
    let path = Array(condition.bytes[prefix.count..<max(equals, prefix.count)])
    return (Argument(bytes: path), Argument(bytes: Array(condition.bytes[(equals + 1)...])).text)
  }

  /// The provider in question, and the condition with its path as the provider knows it.
  private static func resolved(
    _ condition: Argument, _ arguments: ParsedArguments
  ) throws -> (ProviderMount, String) {
    guard let (path, state) = statePath(condition) else {
      return (try Providers.chosen(arguments), condition.text)
    }
    let location = try ProviderLookup.location(of: path.bytes)
    if location == nil, path.bytes.first == 0x2F { throw Providers.outside(path) }
    // A relative path that leads nowhere from here is one from the provider's root.
    let inside = location?.wirePath ?? WirePath(bytes: path.bytes)
    guard let text = String(validating: inside.bytes, as: UTF8.self) else {
      throw VerbFailure.usage("a condition's path must be UTF-8")
    }
    return (try location?.mount ?? Providers.chosen(arguments), "state:\(text)=\(state)")
  }

  /// How things stand instead, for whoever waited in vain.
  private static func now(_ condition: String, _ connection: ProviderConnection) -> String? {
    if let (path, _) = statePath(Argument(condition)) {
      var request = RequestLine(verb: "status")
      request.path = WirePath(bytes: path.bytes)
      let reply = try? connection.client.call(request, timeout: .seconds(1))
      return reply?.items?.first.map { "it is \($0.copy)" }
    }
    guard condition.hasPrefix("hold:") else { return nil }
    let name = condition.dropFirst("hold:".count)
    guard let holds = try? connection.client.call(RequestLine(verb: "holds"), timeout: .seconds(1)).holds
    else { return nil }
    return holds.contains { $0.name == name }
      ? "nothing is parked there" : "there is no hold of that name"
  }
}
