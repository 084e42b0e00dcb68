import ProviderControl

/// hold, holds, release: operations that wait until they are let go.
enum Holds {
  static func hold(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      guard arguments.positionals.count == 2,
        let group = try Providers.groups(of: Array(arguments.positionals.suffix(1))).first
      else { throw VerbFailure.usage("needs an operation and a path") }
      var request = RequestLine(verb: "hold", group)
      request.operation = arguments.positionals[0].text
      request.at = arguments.text("--at")
      request.name = arguments.text("--name")
      let name = try ProviderConnection(to: group.mount).call(request, about: group).name ?? ""
      if arguments.has("--json") { Console.json(["name": name]) } else { Console.out(name + "\n") }
      return FakeProvider.Exit.done
    }
  }

  static func holds(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let connection = try ProviderConnection(to: try Providers.chosen(arguments))
      let lines = (try connection.call(RequestLine(verb: "holds")).holds ?? []).map { line in
        var line = line
        line.path = connection.mount.absolutePath(of: line.path)
        return line
      }
      if arguments.has("--json") {
        Console.json(["holds": lines])
      } else if lines.isEmpty {
        Console.err("no hold is set\n")
      } else {
        Console.out(table(lines))
      }
      return FakeProvider.Exit.done
    }
  }

  static func table(_ holds: [HoldLine]) -> String {
    Render.table(
      ["HOLD", "OPERATION", "AT", "PARKED", "PATH"],
      holds.map { hold in
        [
          Render.harmless(hold.name), hold.operation, hold.at ?? "start", "\(hold.parked)",
          Render.harmless(hold.path.text),
        ]
      }, right: [3])
  }

  static func release(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      var request = RequestLine(verb: "release")
      request.name = arguments.positionals.first?.text
      request.error = arguments.text("--error")
      let released = try ProviderConnection(to: try Providers.chosen(arguments)).call(request).released ?? 0
      if arguments.has("--json") {
        Console.json(["released": released])
      } else {
        Console.err(words(released, error: request.error))
      }
      return FakeProvider.Exit.done
    }
  }

  static func words(_ released: Int, error: String?) -> String {
    guard released > 0 else { return "nothing was parked there; the hold is gone\n" }
    let what = Render.count(released, "operation")
    guard let error else { return "let go of \(what)\n" }
    return "\(what) failed with \(error)\n"
  }
}
