// What happens to an app as a whole: all of its processes that the provider has met.

extension Provider {
  mutating func signal(_ app: AppID, _ action: AppAction, by client: ProcessID, _ key: QuestionKey) {
    let meant = processes(of: app).filter { $0 != client }
    guard !meant.isEmpty else { return finish(key, .failure(.invalid(unknown(app, client)), nil)) }
    for process in meant {
      let name: EventName
      switch action {
      case .suspend:
        name = .appSuspended
        if !conditions.suspended.contains(process) { conditions.suspended.append(process) }
        effects.append(.suspend(process))
      case .resume:
        name = .appResumed
        conditions.suspended.removeAll { $0 == process }
        effects.append(.resume(process))
      case .kill:
        name = .appKilled
        effects.append(.kill(process))
      }
      emit(Event(name, app: app, process: process.number))
    }
    finish(key, .processes(meant))
  }

  /// Nobody else would let them go on.
  mutating func resumeSuspended() {
    for process in conditions.suspended { effects.append(.resume(process)) }
    conditions.suspended = []
  }

  /// Those that speak for the app, have access for it, or have opened or asked for something.
  private func processes(of app: AppID) -> [ProcessID] {
    var found: Set<ProcessID> = []
    for key in sessions.keys {
      if let session = sessions[key], session.app == app { found.insert(session.process) }
    }
    found.formUnion(gate.processes { $0.app == app })
    for (_, handle) in handles.all where handle.app == app {
      if let process = handle.process { found.insert(process) }
    }
    for key in parked.keys {
      if let caller = parked[key]?.request.caller, caller.app == app, let process = caller.process {
        found.insert(process)
      }
    }
    return found.sorted()
  }

  private func unknown(_ app: AppID, _ client: ProcessID) -> String {
    var names: [String] = []
    for key in sessions.keys {
      guard let session = sessions[key], session.process != client else { continue }
      if !names.contains(session.app.name) { names.append(session.app.name) }
    }
    let others = names.isEmpty ? "none is known" : "known are " + names.sorted().joined(separator: ", ")
    return "no process of the app \(app.name) is known: \(others)"
  }
}
