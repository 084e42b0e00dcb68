import ProviderControl

/// explain: what would happen to an operation now, and why.
enum Explain {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      guard arguments.positionals.count == 2,
        let group = try Providers.groups(of: Array(arguments.positionals.prefix(1))).first
      else { throw VerbFailure.usage("needs a path and an operation") }
      var request = RequestLine(verb: "explain", group)
      request.operation = arguments.positionals[1].text
      request.app = arguments.text("--app")
      request.at = arguments.text("--at")
      let connection = try ProviderConnection(to: group.mount)
      guard let line = try connection.call(request, about: group).explanation else {
        throw VerbFailure("the provider explains nothing")
      }
      if arguments.has("--json") { Console.json(["explanation": line]) } else { Console.out(text(line)) }
      return FakeProvider.Exit.done
    }
  }

  static func text(_ line: ExplanationLine) -> String {
    var words = verdict(line)
    if line.takesNanoseconds > 0 { words += " after \(Render.seconds(line.takesNanoseconds))" }
    var lines = [words]
    for rule in line.rules { lines.append("  by the rule \(Render.harmless(rule))") }
    for step in line.steps { lines.append("  \(Render.harmless(step))") }
    if !line.nearMisses.isEmpty { lines.append("rules that nearly would:") }
    for miss in line.nearMisses {
      lines.append(
        "  \(Render.harmless(miss.rule)): \(Render.harmless(miss.reasons.joined(separator: "; ")))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func verdict(_ line: ExplanationLine) -> String {
    switch line.outcome {
    case "served": "would be served"
    case "held": "would wait at the hold \(Render.harmless(line.hold ?? ""))"
    case "waits": "would wait for ever"
    default: "would fail with \(line.error?.errno ?? "an error"): \(line.error?.message ?? "")"
    }
  }
}
