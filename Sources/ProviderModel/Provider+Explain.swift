@_spi(_Unicode) import Swift

// What would happen: the operation runs on a copy of the provider, whose time jumps from deadline to deadline,
// so that it cannot turn out otherwise than what was foretold. Nothing of it leaves the model.

extension Provider {
  func explanation(
    of operation: OperationName, on slot: Slot, app: AppID, at point: HoldPoint?
  ) -> Explanation {
    let caller = imaginedCaller(app, on: slot)
    let size = operation == .download ? items.shownStamp(of: slot).size : items.shownSize(of: slot)
    let offset = point?.offset(in: size) ?? 0
    var rehearsal = Rehearsal(self, caller: caller)
    let outcome = rehearsal.run(operation, on: slot, offset: offset)
    let context = RuleContext(
      operation: operation, slot: slot, item: items[slot].id, copy: items[slot].copy, app: app,
      isCoordinated: arbiter.holds(caller.process, on: slot),
      bytes: operation == .read || operation == .download ? offset..<offset + 1 : nil,
      size: size, now: now)
    let struck = rehearsal.rules
    let pin = "\(items.path(of: slot)) is pinned: downloaded by itself, never evicted"
    return Explanation(
      outcome: outcome, takes: outcome == .waits ? .zero : rehearsal.elapsed, rules: struck,
      steps: (isPinned(slot) ? [pin] : []) + rehearsal.steps,
      nearMisses: nearMisses(of: context, except: struck))
  }

  /// A process that speaks for the app, and has access if any of them has.
  private func imaginedCaller(_ app: AppID, on slot: Slot) -> Caller {
    let process =
      gate.holders(of: slot, app: app, in: items).first
      ?? sessions.keys.compactMap { sessions[$0] }.first { $0.app == app }?.process
      ?? ProcessID(number: 0, serial: .max)
    return Caller(thread: 0, process: process, app: app)
  }

  // MARK: Near misses

  private func nearMisses(of context: RuleContext, except struck: [String]) -> [Explanation.NearMiss] {
    let paths = items.patternPaths(of: context.slot)
    var misses: [Explanation.NearMiss] = []
    for active in rules.all where !struck.contains(active.rule.name) {
      let reasons = reasons(active, context, paths)
      if (1...2).contains(reasons.count) {
        misses.append(Explanation.NearMiss(rule: active.rule.name, reasons: reasons))
      }
    }
    return Array(
      (misses.filter { $0.reasons.count == 1 } + misses.filter { $0.reasons.count == 2 }).prefix(5))
  }

  private func reasons(_ active: ActiveRule, _ context: RuleContext, _ paths: [ItemPath]) -> [String] {
    let rule = active.rule
    var reasons: [String] = []
    if !rule.operations.contains(context.operation) {
      let names = rule.operations.map(\.rawValue).joined(separator: ", ")
      reasons.append("it is about \(names), not \(context.operation.rawValue)")
    }
    if let glob = rule.path, let path = paths.last, !paths.contains(where: { glob.matches($0) }) {
      reasons.append("its path \(glob) does not match \(path)" + glob.hint(for: path))
    }
    if active.isOver { reasons.append("its event \(rule.untilEvent?.rawValue ?? "") has come") }
    if !rule.copy.isEmpty, !rule.copy.contains(context.copy) {
      let wanted = rule.copy.map(\.name).joined(separator: " or ")
      reasons.append("the item is \(context.copy.name), not \(wanted)")
    }
    if let app = rule.app, app != context.app {
      reasons.append("it is about the app \(app), not \(context.app?.name ?? "one that is not known")")
    }
    if let wanted = rule.coordinated, wanted != context.isCoordinated {
      reasons.append(wanted ? "the access is not coordinated" : "the access is coordinated")
    }
    if let span = rule.bytes, !span.overlaps(context.bytes, size: context.size) {
      reasons.append("its bytes are not reached at \(context.bytes?.lowerBound ?? 0)")
    }
    reasons += timeReasons(rule, context)
    guard reasons.isEmpty else { return reasons }
    if !rules.chooses(active, context, seed: profile.seed) { return ["its dice spare this action"] }
    return switch rules.occurrenceMismatch(active, on: context.slot) {
    case .spared: ["it spares the first \(rule.occurrence.after)"]
    case .spent: ["it has struck \(rule.occurrence.times ?? 0) of \(rule.occurrence.times ?? 0) times"]
    default: ["a rule before it decides, or the operation never gets to it"]
    }
  }

  private func timeReasons(_ rule: Rule, _ context: RuleContext) -> [String] {
    let since = context.now - .start
    if since < rule.window.from { return ["its window begins at \(rule.window.from.text)"] }
    if let until = rule.window.until, since >= until { return ["its window ended at \(until.text)"] }
    return []
  }
}

extension Glob {
  /// What a person may not see: names that differ in normal form or case alone.
  fileprivate func hint(for path: ItemPath) -> String {
    func folded(_ text: String) -> String { String(String.UnicodeScalarView(text._nfd)).lowercased() }
    let text = path.description
    if Glob(String(String.UnicodeScalarView(pattern._nfd)))?
      .matches(ItemPath(String(String.UnicodeScalarView(text._nfd))) ?? path) == true
    {
      return " (only their Unicode normal forms differ)"
    }
    if let glob = Glob(folded(pattern)), let path = ItemPath(folded(text)), glob.matches(path) {
      return " (only upper and lower case differ)"
    }
    return ""
  }
}

/// An operation that runs on a copy of the provider.
private struct Rehearsal {
  /// Deadlines that are met before an operation counts as endless.
  private static let deadlineLimit = 10_000
  /// Steps that are told: what is tried again for ever would have no end of them.
  private static let stepLimit = 20
  private static let session = SessionID(.max)

  private var provider: Provider
  private let caller: Caller
  private let started: Instant
  private var requests: UInt64 = .max / 2
  private var replies: [RequestID: Reply] = [:]
  private var answer: Answer?
  private(set) var rules: [String] = []
  private(set) var steps: [String] = []

  init(_ provider: Provider, caller: Caller) {
    self.provider = provider
    self.caller = caller
    started = provider.now
  }

  var elapsed: Span { provider.now - started }

  mutating func run(_ operation: OperationName, on slot: Slot, offset: Int64) -> Explanation.Outcome {
    let node = provider.items.node(of: slot)
    let path = provider.items.path(of: slot)
    switch operation {
    case .lookup:
      guard let name = path.names.last else { return .served }
      let parent = provider.items.node(of: provider.items[slot].parent)
      return run(.lookup(parent: parent, name: name))
    case .getattr: return run(.getAttributes(node))
    case .readlink: return run(.readLink(node))
    case .open:
      let opened = open(node, path)
      return outcome(of: opened)
    case .read:
      let opened = open(node, path)
      guard case .opened(let handle, _) = opened else { return outcome(of: opened) }
      return run(.read(handle, offset: offset, length: 1))
    case .opendir: return run(.openDirectory(node))
    case .readdir:
      return run(
        .openDirectory(node), then: { .readDirectory($0, cookie: 0, capacity: 4096, plus: false) })
    case .statfs: return run(.statistics)
    case .getxattr:
      return run(.getAttribute(node, name: Array("user.test".utf8), capacity: 0))
    case .listxattr: return run(.listAttributes(node, capacity: 0))
    case .setxattr: return run(.setAttribute(node, name: Array("user.test".utf8), value: []))
    case .fsync:
      let isDirectory = provider.items[slot].kind == .directory
      return run(
        isDirectory ? .openDirectory(node) : .open(node, writes: false), then: { .synchronize($0) })
    case .change: return run(.change(node, .setAttributes))
    case .download: return ask(.download([path]))
    case .coordinate: return ask(.coordinate([Intent(path: path, kind: .read)], purpose: ""))
    case .start: return ask(.start(path, covers: .process))
    case .stop: return ask(.stop(path))
    }
  }

  // MARK: Requests of the kernel

  /// As the kernel, which looks up and opens once more at ESTALE.
  private mutating func open(_ node: NodeID, _ path: ItemPath) -> Reply? {
    let reply = reply(to: .open(node, writes: false))
    guard case .error(let error) = reply, error.errno == .ESTALE else { return reply }
    var node = NodeID.root
    for name in path.names {
      let found = self.reply(to: .lookup(parent: node, name: name))
      guard case .entry(let next, _) = found else { return found }
      node = next
    }
    return self.reply(to: .open(node, writes: false))
  }

  private mutating func run(_ operation: Operation, then next: (HandleID) -> Operation) -> Explanation.Outcome
  {
    let opened = reply(to: operation)
    guard case .opened(let handle, _) = opened else { return outcome(of: opened) }
    return run(next(handle))
  }

  private mutating func run(_ operation: Operation) -> Explanation.Outcome {
    // In two steps: what is asked about the reply is asked of the provider as it is after it.
    let reply = reply(to: operation)
    return outcome(of: reply)
  }

  private mutating func reply(to operation: Operation) -> Reply? {
    requests += 1
    let id = RequestID(requests)
    tell(.request(KernelRequest(id: id, operation: operation, caller: caller)))
    wait { $0.replies[id] != nil }
    return replies[id]
  }

  private func outcome(of reply: Reply?) -> Explanation.Outcome {
    switch reply {
    case .error(let error): return .fails(error)
    case .some: return .served
    case nil:
      guard case .hold(let id) = provider.parked[RequestID(requests)]?.wait else {
        return heldTransfer ?? .waits
      }
      return .held(provider.holds.name(of: id) ?? "")
    }
  }

  private var heldTransfer: Explanation.Outcome? {
    for slot in provider.transfers.slots {
      guard case .held(let id) = provider.transfers[slot]?.phase else { continue }
      if let name = provider.holds.name(of: id) { return .held(name) }
    }
    return nil
  }

  // MARK: Calls of apps

  private mutating func ask(_ command: Command) -> Explanation.Outcome {
    let process = caller.process ?? ProcessID(number: 0, serial: .max)
    tell(.sessionOpened(Rehearsal.session, process, caller.app ?? AppID("")))
    tell(.control(ControlRequest(session: Rehearsal.session, number: 1, command: command)))
    wait { $0.answer != nil }
    switch answer {
    case .failure(let error, _): return .fails(error)
    case .started(false): return .fails(.accessNotGranted)
    case .some: return .served
    case nil:
      let key = QuestionKey(session: Rehearsal.session, number: 1)
      guard case .hold(let id) = provider.questions[key]?.wait else { return heldTransfer ?? .waits }
      return .held(provider.holds.name(of: id) ?? "")
    }
  }

  // MARK: The shells' part

  private mutating func wait(until isDone: (Rehearsal) -> Bool) {
    var met = 0
    while !isDone(self), met < Rehearsal.deadlineLimit, let due = provider.nextDeadline {
      tell(.tick, at: due)
      met += 1
    }
  }

  private mutating func tell(_ input: Input, at moment: Instant? = nil) {
    for effect in provider.handle(input, at: max(moment ?? provider.now, provider.now)) {
      switch effect {
      case .reply(let id, let reply):
        if reply.needsSource { tell(.completed(.answered(id, nil))) }
        replies[id] = reply
      case .answer(Rehearsal.session, _, let answer): self.answer = answer
      case .open(let handle, let content):
        // The source is taken to be as it was listed.
        guard let opened = provider.handles[handle], let stamp = opened.reads?.stamp else { break }
        let item = provider.items.sourceItem(of: opened.slot, stamp)
        tell(.completed(.opened(handle, .success(content.blob == nil ? .source(item) : .blob))))
      case .dropPages(let slot, _): tell(.completed(.pagesDropped(slot)))
      // A rule's: the bytes are taken to be kept.
      case .makeBlob(let blob, _, _): tell(.completed(.blobMade(blob, .success(MadeBlob(size: 0)))))
      case .event(let event): note(event)
      case .list, .close, .invalidate, .dropBlob, .copyOut, .removeCopy, .mirror, .answer, .kill, .suspend,
        .resume,
        .limit:
        break
      }
    }
  }

  private mutating func note(_ event: Event) {
    if let rule = event.rule, !rules.contains(rule) { rules.append(rule) }
    if event.name == .operation || steps.count > Rehearsal.stepLimit { return }
    if steps.count == Rehearsal.stepLimit { return steps.append("and so on") }
    var words = event.name.rawValue
    if let path = event.path { words += " \(path)" }
    if let error = event.error { words += ": \(error.explanation)" }
    steps.append(words)
  }
}

extension ItemTable {
  /// What the source said of an item when it was listed.
  fileprivate func sourceItem(of slot: Slot, _ stamp: SourceStamp) -> SourceItem {
    let record = self[slot]
    return SourceItem(
      kind: record.kind, permissions: record.permissions, user: record.user, group: record.group,
      accessed: record.accessed, stamp: stamp)
  }
}
