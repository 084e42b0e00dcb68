package import ProviderModel

// From the model's answers and events to lines.

extension ReplyLine {
  /// - Parameters:
  ///   - mountpoint: for the URLs of grants.
  ///   - coding: writes rules.
  package init(id: Int, _ answer: Answer, mountpoint: String, rules coding: RuleCoding) {
    self.init(id: id, ok: true)
    switch answer {
    case .done: break
    case .items(let statuses): items = statuses.map(ItemLine.init)
    case .grants(let statuses):
      grants = statuses.map { status in
        GrantLine(
          path: WirePath(status.path), url: FileURL.text(mountpoint: mountpoint, path: status.path),
          app: status.app?.name)
      }
    case .started(let value): started = value
    case .revoked(let summary):
      revoked = RevocationLine(
        grants: summary.grants, scopes: summary.scopes, descriptors: summary.descriptors,
        processesKilled: summary.processesKilled)
    case .hold(let text): name = text
    case .holds(let statuses): holds = statuses.map(HoldLine.init)
    case .released(let count): released = count
    case .processes(let met): processes = met.map(\.number)
    case .rules(let statuses): rules = statuses.map { RuleLine($0, coding) }
    case .explanation(let value): explanation = ExplanationLine(value)
    case .relieved(let statuses, let bytes):
      items = statuses.map(ItemLine.init)
      freed = bytes
    case .remote(let result): remote = RemoteLine(result)
    case .overview(let value): top = OverviewLine(value)
    case .claim(let id, let claimed):
      claim = id.rawValue
      paths = claimed.map { WirePath($0) }
    case .failure(let failure, let path):
      ok = false
      error = ErrorLine(failure, path: path)
    }
  }

  package init(id: Int?, problem: RequestProblem) {
    self.init(id: id, ok: false)
    error = ErrorLine(code: "badRequest", errno: "EINVAL", message: problem.message)
  }
}

extension RemoteLine {
  package init(_ result: RemoteResult) {
    self.init(
      path: WirePath(result.path), id: result.id?.rawValue, version: result.version, after: result.after,
      unseen: result.unseen?.rawValue)
  }
}

extension ErrorLine {
  package init(_ error: ProviderError, path: ItemPath?) {
    self.init(
      code: error.name, errno: error.errno.rawValue, message: error.explanation,
      path: path.map { WirePath($0) })
  }
}

extension ItemLine {
  package init(_ status: ItemStatus) {
    self.init(
      path: WirePath(status.path), id: status.id.rawValue, kind: status.kind.name,
      copy: status.copy.name, upload: status.upload.name, size: status.size, arrived: status.arrived,
      phase: status.transfer?.phase.rawValue, bytesPerSecond: status.transfer?.bytesPerSecond,
      version: status.version, localVersion: status.localVersion,
      conflicts: status.conflicts > 0 ? status.conflicts : nil, open: status.openHandles,
      scopes: status.scopes.map(\.number),
      claims: status.claims.map(\.rawValue))
  }
}

extension RuleLine {
  package init(_ status: RuleStatus, _ coding: RuleCoding) {
    let written = try? LineCoding.message(JSONValue.self, from: coding.write(status.rule))
    self.init(
      rule: written ?? .object(["name": .text(status.rule.name)]), considered: status.considered,
      hits: status.hits)
  }
}

extension ExplanationLine {
  package init(_ explanation: Explanation) {
    self.init(
      outcome: "served", takesNanoseconds: explanation.takes.nanoseconds, rules: explanation.rules,
      steps: explanation.steps,
      nearMisses: explanation.nearMisses.map { NearMiss(rule: $0.rule, reasons: $0.reasons) })
    switch explanation.outcome {
    case .served: break
    case .fails(let failure):
      outcome = "fails"
      error = ErrorLine(failure, path: nil)
    case .held(let name):
      outcome = "held"
      hold = name
    case .waits: outcome = "waits"
    }
  }
}

extension HoldLine {
  package init(_ status: HoldStatus) {
    self.init(
      name: status.name, operation: status.operation.rawValue, path: WirePath(status.path),
      at: status.at.map(\.text), parked: status.parked)
  }
}

extension EventLine {
  package init(_ event: Event) {
    self.init(
      sequence: event.sequence, atNanoseconds: event.at.nanoseconds, name: event.name.rawValue,
      path: event.path.map { WirePath($0) }, from: event.from.map { WirePath($0) }, app: event.app?.name,
      process: event.process,
      thread: event.thread, operation: event.operation, copy: event.copy?.name, scoped: event.scoped,
      claim: event.claim?.rawValue, error: event.error?.name, errno: event.error?.errno.rawValue,
      message: event.error?.explanation, waitedNanoseconds: event.waited?.nanoseconds,
      offset: event.offset, bytes: event.bytes, hold: event.hold, rule: event.rule, dropped: event.dropped)
    switch event.detail {
    case .started(let header):
      profile = header.profile
      seed = header.seed
      mode = header.mode.rawValue
      version = header.version
    case .condition(let now): condition = now.rawValue
    case nil: break
    }
  }
}
