package import ProviderModel

// From a line to a command. Every verb of the protocol is a case here.

extension RequestLine {
  /// - Parameter mountpoint: absolute paths below it are taken as relative to the root.
  /// - Parameter rules: reads the JSON of a rule.
  package func parsed(mountpoint: String, rules: RuleCoding) throws(RequestProblem) -> ParsedRequest {
    switch verb {
    case "hello": .host(.hello(app: appID))
    case "provider": try providerCommand()
    case "device": .model(.setDeviceLock(try deviceAction() == .lock))
    case "app":
      .model(.signal(try required(appID, "app"), try required(try choice(action, "action"), "action")))
    case "clock": .host(.clock(try clockCommand()))
    case "events": .host(.events(follow: follow ?? false, since: since))
    case "unmount": .host(.unmount)
    case "status": .model(.status(try itemPaths(mountpoint, needed: false)))
    case "pick": .model(.pick(try itemPaths(mountpoint), app: appID))
    case "start": .model(.start(try itemPath(mountpoint), covers: try choice(covers, "covers") ?? .process))
    case "stop": .model(.stop(try itemPath(mountpoint)))
    case "download": .model(.download(try itemPaths(mountpoint)))
    case "evict": .model(try evictCommand(mountpoint))
    case "remote": .model(.remote(try remoteChange(mountpoint), at: FileTime()))
    case "revoke":
      .model(
        .revoke(try itemPaths(mountpoint), app: appID, byUser: byUser ?? false, reads: reads ?? false))
    case "restore": .model(.restore(try itemPaths(mountpoint), app: appID))
    case "hold":
      .model(
        .hold(
          try required(try choice(operation, "operation"), "operation"), try itemPath(mountpoint),
          at: try holdPoint(), name: name))
    case "holds": .model(.holds)
    case "release":
      .model(.release(try required(name, "name"), error: try choice(error, "error")))
    case "explain":
      .model(
        .explain(
          try itemPath(mountpoint), try required(try choice(operation, "operation"), "operation"), app: appID,
          at: try holdPoint()))
    case "rule": .model(try ruleCommand(rules))
    case "top":
      .model(.top(try itemPaths(mountpoint, needed: false).first ?? ItemPath(), limit: try topLimit()))
    case "wait": .model(.wait(try waitCondition(mountpoint)))
    case "coordinate": .model(.coordinate(try intentList(mountpoint), purpose: purpose ?? ""))
    case "finish": .model(.finish(ClaimID(try required(claim, "claim"))))
    case "cancel": .model(.cancel(request: try required(request, "request")))
    default: throw RequestProblem("unknown verb \"\(verb)\"; the nearest is \"\(Verb.nearest(to: verb))\"")
    }
  }

  private var appID: AppID? { app.map(AppID.init) }

  func required<Value>(_ value: Value?, _ key: String) throws(RequestProblem) -> Value {
    guard let value else { throw RequestProblem("\(verb) needs \"\(key)\"") }
    return value
  }

  private func choice<Value: RawRepresentable & CaseIterable>(
    _ text: String?, _ key: String
  ) throws(RequestProblem) -> Value? where Value.RawValue == String {
    guard let text else { return nil }
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw RequestProblem("\(verb): \"\(key)\" cannot be \"\(text)\"; it is one of \(known)")
    }
    return value
  }

  func itemPath(_ mountpoint: String) throws(RequestProblem) -> ItemPath {
    let paths = try itemPaths(mountpoint)
    guard paths.count == 1 else { throw RequestProblem("\(verb) takes one path") }
    return paths[0]
  }

  func itemPaths(_ mountpoint: String, needed: Bool = true) throws(RequestProblem) -> [ItemPath] {
    let given = paths ?? path.map { [$0] } ?? []
    if needed, given.isEmpty { throw RequestProblem("\(verb) needs \"path\" or \"paths\"") }
    var result: [ItemPath] = []
    for path in given { result.append(try path.itemPath(mountpoint: mountpoint)) }
    return result
  }

  private func intentList(_ mountpoint: String) throws(RequestProblem) -> [Intent] {
    let lines = try required(intents, "intents")
    if lines.isEmpty { throw RequestProblem("coordinate needs at least one intent") }
    var result: [Intent] = []
    for line in lines {
      guard let kind = Intent.Kind(rawValue: line.kind) else {
        throw RequestProblem("an intent's \"kind\" is \"read\" or \"write\", not \"\(line.kind)\"")
      }
      var options: Set<Intent.Option> = []
      for text in line.options ?? [] {
        guard let option = Intent.Option(rawValue: text) else {
          throw RequestProblem("unknown coordination option \"\(text)\"")
        }
        options.insert(option)
      }
      result.append(
        Intent(path: try line.path.itemPath(mountpoint: mountpoint), kind: kind, options: options))
    }
    return result
  }

  private func topLimit() throws(RequestProblem) -> Int {
    let limit = limit ?? 100
    if Overview.limits.contains(limit) { return limit }
    throw RequestProblem(
      "top: \"limit\" is from \(Overview.limits.lowerBound) to \(Overview.limits.upperBound), not \(limit)")
  }

  private func holdPoint() throws(RequestProblem) -> HoldPoint? {
    guard let at else { return nil }
    guard let point = HoldPoint(text: at) else {
      throw RequestProblem(
        "\"at\" is a share of the file like \"40%\" or a byte like \"65536\", not \"\(at)\"")
    }
    return point
  }

  private func waitCondition(_ mountpoint: String) throws(RequestProblem) -> Condition {
    let text = try required(condition, "condition")
    let problem = RequestProblem(
      "a condition is hold:NAME, state:PATH=dataless|downloading|local|stale or event:NAME, not \"\(text)\"")
    guard let colon = text.firstIndex(of: ":") else { throw problem }
    let rest = text[text.index(after: colon)...]
    switch text[..<colon] {
    case "hold" where !rest.isEmpty: return .hold(String(rest))
    case "event":
      guard EventName(rawValue: String(rest)) != nil else {
        let known = EventName.allCases.map(\.rawValue).joined(separator: ", ")
        throw RequestProblem("there is no event \"\(rest)\"; there are \(known)")
      }
      return .event(String(rest))
    case "state":
      guard let equals = rest.lastIndex(of: "="),
        let state = CopyState(name: String(rest[rest.index(after: equals)...]))
      else { throw problem }
      let path = WirePath(bytes: Array(rest[..<equals].utf8))
      return .state(try path.itemPath(mountpoint: mountpoint), state)
    default: throw problem
    }
  }

  private func ruleCommand(_ coding: RuleCoding) throws(RequestProblem) -> Command {
    switch action ?? "list" {
    case "list": return .rules
    case "clear": return .clearRules
    case "remove": return .removeRule(try required(name, "name"))
    case "add":
      let line = try required(rule, "rule")
      let json: [UInt8]
      do throws(ConnectionProblem) {
        json = try LineCoding.line(line)
      } catch {
        throw RequestProblem("rule: \(error)")
      }
      return .addRule(try coding.read(json))
    case let other:
      throw RequestProblem("rule: \"action\" is list, add, remove or clear, not \"\(other)\"")
    }
  }

  /// Without a condition it only asks.
  private func providerCommand() throws(RequestProblem) -> ParsedRequest {
    guard let condition: ProviderCondition = try choice(condition, "condition") else {
      if self.for != nil { throw RequestProblem("provider: \"for\" needs a \"condition\"") }
      return .host(.provider)
    }
    guard let text = self.for else { return .model(.setCondition(condition, for: nil)) }
    guard let span = Span(text: text), span > .zero else {
      throw RequestProblem("provider: \"for\" is a length like \"800ms\", \"60s\" or \"2m\", not \"\(text)\"")
    }
    if condition == .online { throw RequestProblem("provider: online has no end, so \"for\" says nothing") }
    return .model(.setCondition(condition, for: span))
  }

  private enum DeviceAction: String, CaseIterable { case lock, unlock }

  private func deviceAction() throws(RequestProblem) -> DeviceAction {
    try required(try choice(action, "action"), "action")
  }

  private func clockCommand() throws(RequestProblem) -> ClockCommand {
    switch action ?? "show" {
    case "show": return .show
    case "pause": return .pause
    case "resume": return .resume
    case "advanceToNext": return .advanceToNext
    case "advance":
      let text = try required(value, "value")
      guard let span = Span(text: text), span >= .zero else {
        throw RequestProblem(
          "clock advance takes a length like \"800ms\", \"60s\" or \"2m\", not \"\(text)\"")
      }
      return .advance(span)
    case "scale":
      let text = try required(value, "value")
      guard let scale = Int64(text), (1...1_000_000).contains(scale) else {
        throw RequestProblem("clock scale takes a whole number from 1 to 1000000, not \"\(text)\"")
      }
      return .scale(scale)
    case let other:
      throw RequestProblem(
        "clock: \"action\" is show, advance, advanceToNext, scale, pause or resume, not \"\(other)\"")
    }
  }
}

extension WirePath {
  package func itemPath(mountpoint: String) throws(RequestProblem) -> ItemPath {
    var relative = bytes[...]
    if relative.first == 0x2F {
      let prefix = Array(mountpoint.utf8)
      guard relative.starts(with: prefix), relative.count == prefix.count || relative[prefix.count] == 0x2F
      else { throw RequestProblem("\(text) is not below this provider's mountpoint \(mountpoint)") }
      relative = relative.dropFirst(prefix.count)
    }
    guard let path = ItemPath(bytes: Array(relative)) else {
      throw RequestProblem("\(text) cannot be a path here: no \"..\", and 255 bytes a name at most")
    }
    return path
  }
}
