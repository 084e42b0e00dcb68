// May this process? Grants belong to apps, scopes to processes, and a denial outweighs what is older.

/// An app's right to start access to an item or to what a folder holds.
struct Grant {
  /// nil: every app.
  var app: AppID?
  var slot: Slot
  var serial: UInt64
}

/// A revocation: from its serial on, older grants and scopes do not reach this item.
struct Denial {
  /// nil: for every app.
  var app: AppID?
  var slot: Slot
  var serial: UInt64
}

/// A started access, counted.
struct Scope {
  var slot: Slot
  var app: AppID
  var covers: ScopeCoverage
  var count: Int
  /// Of its latest start.
  var serial: UInt64
}

struct Gate {
  let access: Profile.Access
  private var grants: [Grant] = []
  private var denials: [Denial] = []
  private var scopes = Table<ProcessID, [Scope]>()
  private var serial: UInt64 = 0

  init(_ access: Profile.Access) { self.access = access }

  // MARK: Asking

  /// Whether `caller` may get at the content of `slot`, and for which app.
  func check(_ caller: Caller, on slot: Slot, in items: ItemTable) -> Result<AppID?, ProviderError> {
    if access.mode == .simulator { return .success(caller.app) }
    guard let process = caller.process else { return .failure(.callerNotVisible) }
    var wasDenied = false
    for (holder, isItself) in [(process, true)] + caller.ancestors.map({ ($0, false) }) {
      for scope in scopes[holder] ?? [] {
        guard isItself || scope.covers == .descendants || access.inheritScopes == .children else { continue }
        guard items.isCovered(slot, by: scope.slot) else { continue }
        if scope.serial > latestDenial(of: slot, for: scope.app, in: items) { return .success(scope.app) }
        wasDenied = true
      }
    }
    let error: ProviderError =
      wasDenied || isDenied(slot, to: caller.app, in: items) ? .accessRevoked : .accessNotGranted
    return .failure(error)
  }

  func isGranted(_ slot: Slot, to app: AppID, in items: ItemTable) -> Bool {
    let denied = latestDenial(of: slot, for: app, in: items)
    return grants.contains { grant in
      (grant.app == nil || grant.app == app) && grant.serial > denied
        && items.isCovered(slot, by: grant.slot)
    }
  }

  /// Processes with a started scope that covers `slot`.
  func holders(of slot: Slot, in items: ItemTable) -> [ProcessID] {
    processes { items.isCovered(slot, by: $0.slot) }
  }

  /// Processes with a started scope that `matches`, in their order.
  func processes(where matches: (Scope) -> Bool) -> [ProcessID] {
    scopes.keys.filter { (scopes[$0] ?? []).contains(where: matches) }
  }

  func scopes(of process: ProcessID) -> [Scope] { scopes[process] ?? [] }

  // MARK: Changing

  mutating func grant(_ slot: Slot, to app: AppID?) {
    serial += 1
    grants.removeAll { $0.slot == slot && $0.app == app }
    grants.append(Grant(app: app, slot: slot, serial: serial))
  }

  /// - Returns: why the start is refused; nil when it counts.
  mutating func start(
    _ slot: Slot, by process: ProcessID, app: AppID, covers: ScopeCoverage, in items: ItemTable
  ) -> ProviderError? {
    guard isGranted(slot, to: app, in: items) else {
      return isDenied(slot, to: app, in: items) ? .accessRevoked : .accessNotGranted
    }
    var started = scopes[process] ?? []
    guard started.reduce(0, { $0 + $1.count }) < access.scopeLimit else { return .tooManyScopes }
    serial += 1
    if let index = started.firstIndex(where: { $0.slot == slot && $0.covers == covers }) {
      started[index].count += 1
      started[index].serial = serial
    } else {
      started.append(Scope(slot: slot, app: app, covers: covers, count: 1, serial: serial))
    }
    scopes[process] = started
    return nil
  }

  /// - Returns: whether there was a start to balance; a stop without one does nothing.
  mutating func stop(_ slot: Slot, by process: ProcessID) -> Bool {
    guard var started = scopes[process], let index = started.firstIndex(where: { $0.slot == slot }) else {
      return false
    }
    started[index].count -= 1
    if started[index].count == 0 { started.remove(at: index) }
    if started.isEmpty { scopes.remove(process) } else { scopes[process] = started }
    return true
  }

  /// Ends access of `app` (nil: of every app) to `slot` and what it holds.
  /// - Returns: how many grants no longer reach it and how many scopes ended.
  mutating func deny(_ slot: Slot, to app: AppID?, in items: ItemTable) -> (grants: Int, scopes: Int) {
    serial += 1
    func concerns(_ other: AppID?) -> Bool { app == nil || other == nil || app == other }
    let reached = grants.count { grant in
      concerns(grant.app)
        && (items.isCovered(slot, by: grant.slot) || items.isCovered(grant.slot, by: slot))
        && grant.serial > latestDenial(of: slot, for: grant.app ?? app, in: items)
    }
    var ended = 0
    for process in scopes.keys {
      let kept = (scopes[process] ?? []).filter { !concerns($0.app) || !items.isCovered($0.slot, by: slot) }
      ended += (scopes[process]?.count ?? 0) - kept.count
      if kept.isEmpty { scopes.remove(process) } else { scopes[process] = kept }
    }
    // The latest of an app on an item is the one that counts; without this every revocation would slow the gate.
    denials.removeAll { $0.slot == slot && $0.app == app }
    denials.append(Denial(app: app, slot: slot, serial: serial))
    return (reached, ended)
  }

  /// Takes back the denials of `slot` and of what it holds.
  /// - Returns: how many there were.
  mutating func restore(_ slot: Slot, to app: AppID?, in items: ItemTable) -> Int {
    let before = denials.count
    denials.removeAll { (app == nil || $0.app == app) && items.isCovered($0.slot, by: slot) }
    return before - denials.count
  }

  /// What was said of one item holds for another from now on, which has taken its place.
  mutating func rebind(from old: Slot, to new: Slot) {
    for index in grants.indices where grants[index].slot == old { grants[index].slot = new }
    for index in denials.indices where denials[index].slot == old { denials[index].slot = new }
    for process in scopes.keys {
      guard var started = scopes[process] else { continue }
      for index in started.indices where started[index].slot == old { started[index].slot = new }
      scopes[process] = started
    }
  }

  /// The item is no more.
  mutating func forget(_ slot: Slot) {
    grants.removeAll { $0.slot == slot }
    denials.removeAll { $0.slot == slot }
    for process in scopes.keys {
      guard var started = scopes[process], started.contains(where: { $0.slot == slot }) else { continue }
      started.removeAll { $0.slot == slot }
      if started.isEmpty { scopes.remove(process) } else { scopes[process] = started }
    }
  }

  mutating func processEnded(_ process: ProcessID) -> Int { scopes.remove(process)?.count ?? 0 }

  // MARK: -

  private func isDenied(_ slot: Slot, to app: AppID?, in items: ItemTable) -> Bool {
    latestDenial(of: slot, for: app, in: items) > 0
  }

  private func latestDenial(of slot: Slot, for app: AppID?, in items: ItemTable) -> UInt64 {
    denials.reduce(0) { latest, denial in
      guard denial.app == nil || denial.app == app, items.isCovered(slot, by: denial.slot) else {
        return latest
      }
      return max(latest, denial.serial)
    }
  }
}
