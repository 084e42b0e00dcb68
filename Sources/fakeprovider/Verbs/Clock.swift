import ProviderControl

/// Shows or moves provider time.
enum Clock {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let request = try request(arguments)
      let connection = try ProviderConnection(to: try Providers.chosen(arguments))
      guard let clock = try connection.call(request).clock else {
        throw VerbFailure("the provider does not say what time it is")
      }
      if arguments.has("--json") {
        Console.json(["clock": clock])
      } else {
        Console.out(text(clock))
      }
      return FakeProvider.Exit.done
    }
  }

  static func request(_ arguments: ParsedArguments) throws(VerbFailure) -> RequestLine {
    var request = RequestLine(verb: "clock")
    let action = arguments.positionals.first?.text ?? "show"
    let value = arguments.positionals.dropFirst().first?.text
    let toNext = arguments.has("--to-next")
    switch (action, value, toNext) {
    case ("advance", nil, true): request.action = "advanceToNext"
    case (_, _, true): throw .usage("--to-next stands with \"advance\", without a length")
    case ("advance", nil, false): throw .usage("advance needs a length like 60s, or --to-next")
    case ("scale", nil, false): throw .usage("scale needs a whole number like 100")
    case ("advance", .some, _), ("scale", .some, _), (_, nil, _):
      request.action = action
      request.value = value
    case (_, .some, _): throw .usage("\(action) takes no value")
    }
    return request
  }

  static func text(_ clock: ClockLine) -> String {
    let speed =
      switch (clock.mode, clock.paused) {
      case ("manual", _): "manual"
      case (_, true): "paused"
      case ("scaled", false): "\(clock.scale) times as fast"
      default: "real"
      }
    let next = clock.nextNanoseconds.map { next in
      "in \(Render.seconds(max(0, next &- clock.nowNanoseconds)))"
    }
    return Render.table(
      ["NOW", "RUNS", "NEXT DUE"], [[Render.seconds(clock.nowNanoseconds), speed, next ?? "nothing"]])
  }
}
