import ProviderControl

/// provider, device, app: what befalls the provider as a whole, the device, or an app.
enum Conditions {
  // MARK: provider

  static func provider(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let condition = arguments.positionals.first?.text
      if condition == nil, arguments.has("--for") {
        throw VerbFailure.usage("--for says how long a condition lasts; say which")
      }
      let connection = try ProviderConnection(to: try Providers.chosen(arguments))
      if let condition {
        var request = RequestLine(verb: "provider")
        request.condition = condition
        request.for = arguments.text("--for")
        try connection.call(request)
      }
      let line = try connection.call(RequestLine(verb: "provider")).provider
      let now = line?.condition ?? "online"
      if arguments.has("--json") {
        Console.json(["condition": now])
      } else if condition == nil {
        Console.out(now + "\n")
      } else {
        let end = arguments.text("--for").map { " for \($0)" } ?? ""
        Console.err("the provider is \(now)\(end)\n")
      }
      return FakeProvider.Exit.done
    }
  }

  // MARK: device

  static func device(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      var request = RequestLine(verb: "device")
      request.action = arguments.positionals.first?.text
      try ProviderConnection(to: try Providers.chosen(arguments)).call(request)
      let isLocked = request.action == "lock"
      if arguments.has("--json") {
        Console.json(["locked": isLocked])
      } else {
        Console.err(
          isLocked
            ? "the device is locked: files can be neither opened nor read\n" : "the device is unlocked\n")
      }
      return FakeProvider.Exit.done
    }
  }

  // MARK: app

  static func app(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      var request = RequestLine(verb: "app")
      request.action = arguments.positionals.first?.text
      request.app = arguments.positionals.last.map { Access.canonical($0.text) }
      let reply = try ProviderConnection(to: try Providers.chosen(arguments)).call(request)
      let processes = reply.processes ?? []
      if arguments.has("--json") {
        Console.json(["processes": processes])
      } else {
        Console.err(words(request.action ?? "", processes))
      }
      return FakeProvider.Exit.done
    }
  }

  static func words(_ action: String, _ processes: [Int32]) -> String {
    let what = Render.count(processes.count, "process", "processes")
    let done = ["suspend": "suspended", "resume": "resumed", "kill": "killed"][action] ?? action
    return "\(done) \(what): \(processes.map { "\($0)" }.joined(separator: ", "))\n"
  }
}
