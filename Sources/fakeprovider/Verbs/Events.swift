import ProviderControl

/// What happened: the provider's journal.
enum Events {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let filter = try EventFilter(arguments)
      let connection = try ProviderConnection(to: try Providers.chosen(arguments))
      let json = arguments.has("--json")
      if !json { Console.out(EventRow.titles) }
      if arguments.has("--follow") {
        try follow(connection, filter, json: json)
      } else {
        do {
          try connection.client.forEachPastEvent { show($0, filter, json: json) }
        } catch let problem as ConnectionProblem {
          throw VerbFailure(connection.lost(problem))
        }
      }
      return FakeProvider.Exit.done
    }
  }

  /// From the first event on, until the provider ends. Ctrl-C ends this process as it ends any.
  private static func follow(
    _ connection: ProviderConnection, _ filter: EventFilter, json: Bool
  ) throws {
    do {
      let events = try connection.client.subscribe(since: 0, timeout: Providers.patience)
      while let event = try events.next() { show(event, filter, json: json) }
    } catch ConnectionProblem.closed {
      Console.err("the provider of \(connection.mount.text) has ended\n")
    } catch let problem as ConnectionProblem {
      throw VerbFailure(connection.lost(problem))
    }
  }

  private static func show(_ event: EventLine, _ filter: EventFilter, json: Bool) {
    // What the filter cannot know of is missing all the same.
    guard event.dropped != nil || filter.shows(event) else { return }
    if json { Console.json(event) } else { Console.out(EventRow.text(event)) }
  }
}

/// One event as a line. The widths are fixed: the next line is not known yet.
enum EventRow {
  private static let names = [
    "TIME", "APP", "PROCESS", "WHAT", "COPY", "SCOPED", "WAITED", "ERROR", "PATH", "MORE",
  ]
  private static let widths = [9, 16, 7, 16, 11, 6, 8, 8, 24, 4]
  private static let right: Set<Int> = [0, 2, 6]

  static var titles: String { Render.line(names, widths, right: right) }

  static func text(_ event: EventLine) -> String {
    Render.line(
      [
        Render.seconds(event.atNanoseconds), event.app.map(Render.app).map(Render.harmless) ?? "-",
        event.process.map { "\($0)" } ?? "-",
        event.name == "operation" ? event.operation ?? event.name : event.name, event.copy ?? "-",
        event.scoped.map { $0 ? "yes" : "no" } ?? "-",
        event.waitedNanoseconds.map(Render.seconds) ?? "-", event.errno ?? "-",
        event.path.map { Render.harmless($0.text) } ?? "-", more(event),
      ], widths, right: right)
  }

  /// What only some events have.
  static func more(_ event: EventLine) -> String {
    var words: [String] = []
    if let error = event.error { words.append(error) }
    if let offset = event.offset, let bytes = event.bytes {
      words.append("bytes \(offset)..<\(offset &+ bytes)")
    } else if let bytes = event.bytes {
      words.append(Render.size(bytes))
    }
    if let from = event.from { words.append("from \(Render.harmless(from.text))") }
    if let hold = event.hold { words.append("hold \(Render.harmless(hold))") }
    if event.name == "held" || event.name == "holdReleased", let operation = event.operation {
      words.append("of \(operation)")
    }
    if let claim = event.claim { words.append("claim \(claim)") }
    if let condition = event.condition { words.append(condition) }
    if let rule = event.rule { words.append("rule \(Render.harmless(rule))") }
    if let profile = event.profile, let seed = event.seed {
      words.append("profile \(Render.harmless(profile)), seed \(seed)")
    }
    if let dropped = event.dropped {
      words.append("\(Render.count(Int(clamping: dropped), "event")) missing")
    }
    return words.joined(separator: ", ")
  }
}
