#if os(Linux)

  internal import ProviderControl

  extension RunningProvider {
    /// How long a verb that waits for nothing may take.
    static let limit = Duration.seconds(30)

    // MARK: Access

    /// Picks items as a person does in a document picker: the app may start access to them from now on.
    /// - Parameter app: whom to grant; nil: every app.
    /// - Throws: ``ProviderFailure``, also for an item that does not exist.
    @discardableResult public func pick(_ paths: ItemPath..., app: String? = nil) async throws -> [Grant] {
      let reply = try await call("pick") {
        $0.paths = paths.map { WirePath(bytes: $0.bytes) }
        $0.app = app
      }
      return (reply.grants ?? []).map {
        Grant(path: ItemPath(bytes: $0.path.bytes), url: $0.url, app: $0.app)
      }
    }

    /// Picks files as copies, which are the app's own: each is downloaded and copied into `inbox`. The profile's
    /// `picker.purgeAfter` says how long they stay.
    /// - Parameter inbox: a folder outside of the provider, absolute; it is made if it is not there.
    /// - Throws: ``ProviderFailure``; then none of the copies is left.
    @discardableResult public func pickCopies(_ paths: ItemPath..., into inbox: String) async throws
      -> [PickedCopy]
    {
      let reply = try await call("pick") {
        $0.paths = paths.map { WirePath(bytes: $0.bytes) }
        $0.asCopy = true
        $0.inbox = WirePath(bytes: Array(inbox.utf8))
      }
      return (reply.copies ?? []).map {
        PickedCopy(path: ItemPath(bytes: $0.path.bytes), file: $0.file.text, url: $0.url)
      }
    }

    /// Takes access back: the next start fails, started scopes end, new opens fail with EPERM. Open files go
    /// on as on a device, unless `reads`.
    /// - Parameters:
    ///   - app: whose access; nil: every app's.
    ///   - byUser: as in Settings: also kills the app's processes.
    ///   - reads: also fails files that are open already.
    @discardableResult public func revoke(
      _ paths: ItemPath..., app: String? = nil, byUser: Bool = false, reads: Bool = false
    ) async throws -> Revocation {
      let reply = try await call("revoke") {
        $0.paths = paths.map { WirePath(bytes: $0.bytes) }
        $0.app = app
        $0.byUser = byUser
        $0.reads = reads
      }
      return Revocation(
        grants: reply.revoked?.grants ?? 0, scopes: reply.revoked?.scopes ?? 0,
        descriptors: reply.revoked?.descriptors ?? 0, processesKilled: reply.revoked?.processesKilled ?? 0)
    }

    /// Gives back what was revoked.
    public func restore(_ paths: ItemPath..., app: String? = nil) async throws {
      try await call("restore") {
        $0.paths = paths.map { WirePath(bytes: $0.bytes) }
        $0.app = app
      }
    }

    // MARK: Content

    /// - Parameter paths: none: what is being downloaded or is open.
    public func status(_ paths: ItemPath...) async throws -> [ItemStatus] {
      let reply = try await call("status") {
        $0.paths = paths.isEmpty ? nil : paths.map { WirePath(bytes: $0.bytes) }
      }
      return (reply.items ?? []).map(ItemStatus.init)
    }

    public func status(of path: ItemPath) async throws -> ItemStatus {
      let found = try await status(path)
      guard let status = found.first else { throw ProviderFailure.ended("a status without an item") }
      return status
    }

    /// Returns once the items are local.
    /// - Parameter timeout: real time; nil: as long as it takes.
    public func download(_ paths: ItemPath..., timeout: Duration? = .seconds(60)) async throws {
      try await call("download", timeout: timeout) { $0.paths = paths.map { WirePath(bytes: $0.bytes) } }
    }

    /// Drops the local copies: the items are dataless again. Refused (EBUSY) for one that is open.
    public func evict(_ paths: ItemPath...) async throws {
      try await call("evict") { $0.paths = paths.map { WirePath(bytes: $0.bytes) } }
    }

    /// Keeps items here: what is missing is downloaded by itself, and nothing of it is evicted (nonEvictable). Of a
    /// folder, all that is in it now or later; one that was never listed begins when it is.
    /// - Returns: the items as they are now; the downloads have just begun.
    @discardableResult public func pin(_ paths: ItemPath...) async throws -> [ItemStatus] {
      (try await call("pin") { $0.paths = paths.map { WirePath(bytes: $0.bytes) } }.items ?? [])
        .map(ItemStatus.init)
    }

    /// Lets items be evicted again, though the profile or a folder around them pins them. What is here stays.
    @discardableResult public func unpin(_ paths: ItemPath...) async throws -> [ItemStatus] {
      (try await call("unpin") { $0.paths = paths.map { WirePath(bytes: $0.bytes) } }.items ?? [])
        .map(ItemStatus.init)
    }

    /// Drops the local copies that were opened longest ago, until so much is free, like "100MB". What is open or
    /// claimed stays.
    /// - Returns: what was evicted, and how many bytes that has freed.
    @discardableResult public func evict(pressure: String) async throws -> (items: [ItemStatus], freed: Int64)
    {
      let reply = try await call("evict") { $0.pressure = pressure }
      return ((reply.items ?? []).map(ItemStatus.init), reply.freed ?? 0)
    }

    // MARK: Conditions

    /// What the provider as a whole is from now on; docs/conditions.md says what each access gets then.
    /// - Parameter duration: of provider time; then it is online again. nil: until it is changed.
    public func setCondition(_ condition: ProviderCondition, for duration: Duration? = nil) async throws {
      try await call("provider") {
        $0.condition = condition.rawValue
        $0.for = duration.map { $0.spanText ?? "\($0)" }
      }
    }

    /// Files can be neither opened nor read while the device is locked.
    public func lockDevice() async throws { try await call("device") { $0.action = "lock" } }
    public func unlockDevice() async throws { try await call("device") { $0.action = "unlock" } }

    /// Stops all processes of the app that the provider has met, with what they have started.
    /// - Returns: those processes.
    @discardableResult public func suspend(app: String) async throws -> [Int32] {
      try await signal(app, "suspend")
    }
    @discardableResult public func resume(app: String) async throws -> [Int32] {
      try await signal(app, "resume")
    }
    @discardableResult public func kill(app: String) async throws -> [Int32] { try await signal(app, "kill") }

    private func signal(_ app: String, _ action: String) async throws -> [Int32] {
      try await call("app") {
        $0.app = app
        $0.action = action
      }.processes ?? []
    }

    // MARK: Rules

    /// Adds a rule in front of the others; it is in force for every open that comes after the return.
    /// - Parameter json: as in a profile's `rules`.
    /// - Throws: ``ProviderFailure``, which says what is wrong with the JSON, with line and column.
    public func addRule(_ json: String) async throws {
      let rule: JSONValue
      do {
        rule = try LineCoding.message(JSONValue.self, from: Array(json.utf8))
      } catch {
        throw ProviderFailure(error, during: "rule add")
      }
      try await call("rule") {
        $0.action = "add"
        $0.rule = rule
      }
    }

    /// What the rule had parked goes on.
    public func removeRule(_ name: String) async throws {
      try await call("rule") {
        $0.action = "remove"
        $0.name = name
      }
    }

    public func clearRules() async throws { try await call("rule") { $0.action = "clear" } }

    /// How often each rule has struck, by its name.
    public func ruleHits() async throws -> [String: UInt64] {
      let lines = try await call("rule").rules ?? []
      var hits: [String: UInt64] = [:]
      for line in lines {
        if case .object(let rule) = line.rule, case .text(let name) = rule["name"] { hits[name] = line.hits }
      }
      return hits
    }

    /// What would happen to an operation now: "served", an errno's name, "held" or "waits".
    /// - Parameters:
    ///   - app: whose operation it is.
    ///   - at: where in the file, as "40%" or "65536".
    public func explain(
      _ path: ItemPath, _ operation: HoldableOperation, app: String? = nil, at: String? = nil
    ) async throws -> String {
      let line = try await call("explain") {
        $0.path = WirePath(bytes: path.bytes)
        $0.operation = operation.rawValue
        $0.app = app
        $0.at = at
      }.explanation
      guard let line else { throw ProviderFailure.ended("an explanation") }
      return line.error?.errno ?? line.outcome
    }

    // MARK: Waiting

    /// Returns once the condition holds.
    /// - Throws: ``ProviderFailure/timedOut(what:)`` after `timeout` of real time.
    public func wait(for condition: Condition, timeout: Duration = .seconds(60)) async throws {
      let text =
        switch condition {
        case .parked(let hold): "hold:\(hold)"
        case .state(let path, let state): "state:\(path)=\(state.rawValue)"
        case .event(let name): "event:\(name)"
        }
      try await call("wait", "wait for \(text)", timeout: timeout) { $0.condition = text }
    }

    /// What has happened until now.
    /// - Parameter since: only events after the one with this number.
    public func journal(since: UInt64 = 0) async throws -> [Event] {
      try await perform("events") { client in
        try client.pastEvents(since: since, timeout: RunningProvider.limit).map(Event.init)
      }
    }

    /// Checks assertions against what has happened until now: `"opened-once Letter.pdf"`, `"no-errors"`; the words are
    /// those of `fakeprovider expect --help`.
    /// - Throws: ``ProviderFailure/unexpected(_:)`` when one does not hold, or when events are missing from the
    ///   journal; ``ProviderFailure/refused(code:errno:message:path:)`` for words that make no sense.
    public func expect(_ assertions: String...) async throws {
      var expectations: [Expectation] = []
      do throws(RequestProblem) {
        for assertion in assertions { expectations.append(try Expectation(assertion)) }
      } catch {
        throw ProviderFailure.refused(code: "badRequest", errno: "EINVAL", message: error.message, path: nil)
      }
      let wanted = expectations
      let broken = try await perform("expect") { client in
        var check = JournalCheck(wanted)
        try client.forEachPastEvent(timeout: RunningProvider.limit) { check.take($0) }
        let incomplete = check.incompleteness(needsEnd: false).map { "journal incomplete: \($0)" }
        return (incomplete.map { [$0] } ?? [])
          + check.verdicts.filter { !$0.holds }.map { verdict in
            [verdict.assertion, verdict.reason, verdict.event?.sentence].compactMap { $0 }.joined(
              separator: ": ")
          }
      }
      if !broken.isEmpty { throw ProviderFailure.unexpected(broken) }
    }

    /// The first event after the one numbered `after` that `matches`, waiting for it if it is still to come.
    public func event(
      after sequence: UInt64 = 0, timeout: Duration = .seconds(60),
      where matches: @escaping @Sendable (Event) -> Bool
    ) async throws -> Event {
      try await perform("an event") { client in
        let events = try client.subscribe(since: sequence, timeout: RunningProvider.limit)
        defer { events.stop() }
        // Others may keep coming, so each wait is shorter than the one before.
        let end = ContinuousClock.now + timeout
        while let line = try events.next(timeout: end - ContinuousClock.now) {
          let event = Event(line)
          if matches(event) { return event }
        }
        throw ConnectionProblem.closed
      }
    }

    // MARK: -

    @discardableResult func call(
      _ verb: String, _ what: String? = nil, timeout: Duration? = RunningProvider.limit,
      _ fill: (inout RequestLine) -> Void = { _ in }
    ) async throws -> ReplyLine {
      var request = RequestLine(verb: verb)
      fill(&request)
      let filled = request
      return try await perform(what ?? verb) { try $0.call(filled, timeout: timeout) }
    }

    /// On a thread of its own: waiting for the provider must not keep one from the cooperative pool, on which
    /// whoever ends the wait may depend.
    func perform<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (Client) throws -> Value
    ) async throws -> Value {
      try await blocking { [client] in
        do {
          return try body(client)
        } catch let error as ErrorLine {
          throw ProviderFailure(error)
        } catch let problem as ConnectionProblem {
          throw ProviderFailure(problem, during: what)
        }
      }
    }
  }

#endif
