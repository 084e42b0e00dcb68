import Glibc
package import ProviderControl
package import ProviderModel
import Synchronization

/// The clients of the control socket: each connection is a session of the model, which ends with it.
package final class Sessions: LineServerDelegate {
  package struct Facts: Sendable {
    package var mountpoint: String
    package var profile: Profile
    package var source: String
    package var rules: RuleCoding
    package init(mountpoint: String, profile: Profile, source: String, rules: RuleCoding) {
      self.mountpoint = mountpoint
      self.profile = profile
      self.source = source
      self.rules = rules
    }
  }

  private struct Session {
    var process: ProcessID
    var app: AppID
  }

  private let host: ProviderHost
  private let server: LineServer
  private let facts: Facts
  private let sessions = Mutex<[UInt64: Session]>([:])
  /// Called on the server's thread when a client asks for the end; the argument answers it.
  private let unmount: @Sendable (@escaping @Sendable () -> Void) -> Void

  package init(
    host: ProviderHost, server: LineServer, facts: Facts,
    unmount: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.host = host
    self.server = server
    self.facts = facts
    self.unmount = unmount
    host.onAnswer { session, number, answer in
      Sessions.send(
        ReplyLine(id: number, answer, mountpoint: facts.mountpoint, rules: facts.rules),
        to: ConnectionID(session.rawValue), server)
    }
  }

  package func start() {
    Threads.start("control") { [self] in server.run(self) }
  }

  // MARK: LineServerDelegate

  package func connectionOpened(_ id: ConnectionID, process number: Int32) {
    // A client that is gone already, or that lives where it cannot be seen, owns nothing.
    let process = host.processes.process(number) ?? ProcessID(number: number, serial: 0)
    let app = host.processes.app(of: process) ?? AppID("process \(number)")
    sessions.withLock { $0[id.rawValue] = Session(process: process, app: app) }
    host.handle(.sessionOpened(SessionID(id.rawValue), process, app))
  }

  package func connectionClosed(_ id: ConnectionID) {
    sessions.withLock { $0[id.rawValue] = nil }
    host.journal.sessionClosed(SessionID(id.rawValue))
    host.handle(.sessionClosed(SessionID(id.rawValue)))
  }

  package func connectionDrained(_ id: ConnectionID) { host.journal.sessionDrained(SessionID(id.rawValue)) }

  package func connection(_ id: ConnectionID, received line: [UInt8]) {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) { return }
    let request: RequestLine
    do {
      request = try LineCoding.message(RequestLine.self, from: line)
    } catch {
      let problem = RequestProblem(
        "a request is one JSON object a line with \"id\" (a number) and \"verb\"; this is not one: "
          + String(decoding: line.prefix(80), as: UTF8.self))
      return Sessions.send(ReplyLine(id: Sessions.number(in: line), problem: problem), to: id, server)
    }
    do {
      switch try request.parsed(mountpoint: facts.mountpoint, rules: facts.rules) {
      case .model(let command):
        if case .cancel(let number) = command {
          host.journal.stopReading(Journal.Key(session: SessionID(id.rawValue), number: number))
        }
        var command = command
        // Times of files are wall clock, and come with the request.
        if case .remote(let change, _) = command { command = .remote(change, at: .now) }
        let request = ControlRequest(
          session: SessionID(id.rawValue), number: request.id, command: command,
          ancestors: ancestors(id, command))
        host.handle(.control(request))
      case .host(let command): run(command, id, request.id)
      }
    } catch {
      Sessions.send(ReplyLine(id: request.id, problem: error), to: id, server)
    }
  }

  // MARK: -

  /// Whose scopes may cover the client: a coordinated access passes the same gate as an open.
  private func ancestors(_ id: ConnectionID, _ command: Command) -> [ProcessID] {
    guard case .coordinate = command,
      facts.profile.access.inheritScopes == .children || host.hasInheritableScopes,
      let process = sessions.withLock({ $0[id.rawValue]?.process })
    else { return [] }
    return host.processes.ancestors(of: process)
  }

  private func run(_ command: HostCommand, _ id: ConnectionID, _ number: Int) {
    switch command {
    case .hello(let app):
      if let app { rename(id, app) }
      reply(to: id, number) { $0.provider = line(for: id) }
    case .provider: reply(to: id, number) { $0.provider = line(for: id) }
    case .clock(let command):
      if let problem = host.run(command) {
        let refusal = Answer.failure(.invalid(problem), nil)
        Sessions.send(
          ReplyLine(id: number, refusal, mountpoint: facts.mountpoint, rules: facts.rules), to: id, server)
      } else {
        reply(to: id, number) { $0.clock = ClockLine(host.clock) }
      }
    case .events(let follows, let since): readEvents(id, number, follows: follows, since: since)
    case .unmount:
      unmount { [self] in
        reply(to: id, number) { _ in }
      }
    }
  }

  private func rename(_ id: ConnectionID, _ app: AppID) {
    let process = sessions.withLock { sessions in
      sessions[id.rawValue]?.app = app
      return sessions[id.rawValue]?.process
    }
    if let process { host.processes.setApp(app, of: process) }
    host.handle(.sessionNamed(SessionID(id.rawValue), app))
  }

  private func readEvents(_ id: ConnectionID, _ number: Int, follows: Bool, since: UInt64?) {
    let prefix = Array("{\"event\":".utf8)
    let suffix = Array(",\"id\":\(number),\"ok\":true}\n".utf8)
    // Who follows without saying since when wants what happens from now on: from before the reply, after which
    // nothing may escape it.
    let start = since ?? (follows ? host.lastEvent : 0)
    if follows { reply(to: id, number) { _ in } }
    let (server, done) = (server, ReplyLine(id: number, ok: true))
    host.journal.read(
      Journal.Key(session: SessionID(id.rawValue), number: number), since: start, follows: follows,
      push: { event in
        guard server.hasRoom(id) else { return false }
        server.send(prefix + event + suffix, to: id)
        return true
      },
      finished: { Sessions.send(done, to: id, server) })
  }

  private func line(for id: ConnectionID) -> ProviderLine {
    let (condition, isLocked) = host.conditions
    return ProviderLine(
      mountpoint: facts.mountpoint, socket: server.path, pid: getpid(), profile: facts.profile.name,
      source: facts.source, mode: facts.profile.access.mode.rawValue, seed: facts.profile.seed,
      version: Release.version, protocolVersion: 1,
      app: sessions.withLock { $0[id.rawValue]?.app.name }, condition: condition.rawValue, locked: isLocked)
  }

  private func reply(to id: ConnectionID, _ number: Int, _ fill: (inout ReplyLine) -> Void) {
    var line = ReplyLine(id: number, ok: true)
    fill(&line)
    Sessions.send(line, to: id, server)
  }

  private static func send(_ reply: ReplyLine, to id: ConnectionID, _ server: LineServer) {
    do {
      server.send(try LineCoding.line(reply), to: id)
    } catch {
      let problem = RequestProblem("the answer does not fit into a line; ask for less at once")
      if let line = try? LineCoding.line(ReplyLine(id: reply.id, problem: problem)) {
        server.send(line, to: id)
      }
    }
  }

  /// The `id` of a line that is no request otherwise, so that its sender can tell which one failed.
  private static func number(in line: [UInt8]) -> Int? {
    struct Numbered: Decodable { var id: Int }
    return try? LineCoding.message(Numbered.self, from: line).id
  }
}

extension ProviderHost {
  var lastEvent: UInt64 { core.withLock { $0.provider.lastEvent } }

  var conditions: (ProviderCondition, isLocked: Bool) {
    core.withLock { ($0.provider.condition, $0.provider.isDeviceLocked) }
  }

  /// - Returns: why not, in words.
  func run(_ command: ClockCommand) -> String? {
    changeClock { time, monotonic, next in
      switch command {
      case .show: return nil
      case .pause: time.pause(at: monotonic)
      case .resume: time.resume(at: monotonic)
      case .scale(let factor):
        if time.mode == .manual { return "the clock is manual: it has no scale; advance it" }
        time.setScale(factor, at: monotonic)
      case .advance(let span):
        let target = time.instant(at: monotonic) + span
        if target.nanoseconds == .max {
          return "provider time ends 292 years after the start; advance by less"
        }
        return time.advance(to: target)
      case .advanceToNext:
        guard let next else { return "nothing is due: no delay and no transfer waits for time to pass" }
        return time.advance(to: next)
      }
      return nil
    }
  }
}

extension ProviderTime {
  fileprivate mutating func advance(to instant: Instant) -> String? {
    if move(to: instant) { return nil }
    return "a clock that runs cannot be advanced: mount with --clock manual, or pause it first"
  }
}

extension ClockLine {
  fileprivate init(_ state: ProviderHost.ClockState) {
    let mode =
      switch state.time.mode {
      case .real: "real"
      case .scaled: "scaled"
      case .manual: "manual"
      }
    self.init(
      mode: mode, scale: state.time.scale, paused: state.time.isPaused, nowNanoseconds: state.now.nanoseconds,
      nextNanoseconds: state.next?.nanoseconds)
  }
}

extension FileTime {
  fileprivate static var now: FileTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return FileTime(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
  }
}
