import Glibc
package import ProviderModel
import Synchronization

/// The shell around the model: the one lock, the timer, the journal. It is told what happens, asks the model
/// under the lock, leaves it, and then has done what the model said.
///
/// Lock order: content (a file) → model. The lock is held for the decision alone; nobody waits for content, a
/// socket or a thread while holding it. Journal, server and registry have leaf locks of their own.
package final class ProviderHost: Sendable {
  struct Limit {
    var monotonic: Int64
    var session: SessionID
    var number: Int
  }

  struct Core: ~Copyable {
    var provider: Provider
    var time: ProviderTime
    /// Of real time, in the order of their moments.
    var limits: [Limit] = []
    var armed: Int64?
  }

  let core: Mutex<Core>
  package let journal: Journal
  package let processes: ProcessRegistry
  /// Set once, before anything is told to the host; replies need it.
  private let backend = Mutex<(any Backend)?>(nil)
  private let answers = Mutex<(@Sendable (SessionID, Int, Answer) -> Void)?>(nil)
  private let timer = Mutex<TimerThread?>(nil)

  package init(
    profile: Profile, root: SourceItem, features: KernelFeatures, mode: ProviderTime.Mode, journal: Journal,
    processes: ProcessRegistry
  ) throws(SystemError) {
    core = Mutex(
      Core(
        provider: Provider(profile: profile, root: root, mapsDirectReads: features.directIOMmap),
        time: ProviderTime(mode, monotonic: TimerThread.monotonicNow)))
    self.journal = journal
    self.processes = processes
    let thread = try TimerThread { [self] in timerFired() }
    timer.withLock { $0 = thread }
    processes.start { [self] process in handle(.processEnded(process)) }
  }

  package func setBackend(_ backend: any Backend) { self.backend.withLock { $0 = backend } }

  package func onAnswer(_ deliver: @escaping @Sendable (SessionID, Int, Answer) -> Void) {
    answers.withLock { $0 = deliver }
  }

  /// Whether a scope that covers descendants was ever started: only then are ancestors looked up.
  package var hasInheritableScopes: Bool { inheritable.load(ordering: .relaxed) }
  private let inheritable = Atomic(false)

  // MARK: Telling

  /// Tells the model something, and has done what it says.
  /// - Parameter mayBlock: whether the calling thread may do file I/O.
  package func handle(_ input: Input, mayBlock: Bool = false) {
    if case .control(let request) = input, case .start(_, covers: .descendants) = request.command {
      inheritable.store(true, ordering: .relaxed)
    }
    let effects = core.withLock { core in
      step(&core) { provider, now in provider.handle(input, at: now) }
    }
    perform(effects, mayBlock: mayBlock)
  }

  /// Runs the model at the clock's moment, appends its events in their order, and arms the timer.
  private func step(_ core: inout Core, _ body: (inout Provider, Instant) -> [Effect]) -> [Effect] {
    let effects = body(&core.provider, core.time.instant(at: TimerThread.monotonicNow))
    for effect in effects {
      switch effect {
      case .event(let event): journal.append(event)
      case .limit(let session, let number, let milliseconds):
        let moment = TimerThread.monotonicNow + milliseconds * 1_000_000
        core.limits.append(Limit(monotonic: moment, session: session, number: number))
        core.limits.sort { $0.monotonic < $1.monotonic }
      default: break
      }
    }
    arm(&core)
    return effects
  }

  /// Under the lock, so that two threads cannot arm in the wrong order; setting a timer waits for nothing.
  private func arm(_ core: inout Core) {
    let due = core.provider.nextDeadline.flatMap { core.time.monotonic(for: $0) }
    let next = [due, core.limits.first?.monotonic].compactMap { $0 }.min()
    guard next != core.armed else { return }
    core.armed = next
    timer.withLock { $0 }?.arm(at: next)
  }

  private func perform(_ effects: [Effect], mayBlock: Bool) {
    if effects.isEmpty { return }
    let backend = self.backend.withLock { $0 }
    var hasEvents = false
    for effect in effects {
      switch effect {
      case .event: hasEvents = true
      case .limit: break
      case .answer(let session, let number, let answer):
        answers.withLock { $0 }?(session, number, answer)
      case .kill(let process): processes.signal(process, SIGKILL)
      case .suspend(let process): processes.signal(process, SIGSTOP)
      case .resume(let process): processes.signal(process, SIGCONT)
      case .reply, .list, .open, .close, .invalidate, .dropPages, .makeBlob, .dropBlob,
        .copyOut, .removeCopy, .mirror:
        backend?.perform(effect, mayBlock: mayBlock)
      }
    }
    if hasEvents { journal.notify() }
  }

  private func timerFired() {
    let (effects, limits) = core.withLock { core in
      core.armed = nil
      let now = TimerThread.monotonicNow
      let reached = core.limits.filter { $0.monotonic <= now }
      core.limits.removeAll { $0.monotonic <= now }
      let effects = step(&core) { provider, instant in provider.handle(.tick, at: instant) }
      return (effects, reached)
    }
    perform(effects, mayBlock: false)
    for limit in limits { handle(.limitReached(limit.session, number: limit.number)) }
  }

  // MARK: The clock

  package struct ClockState: Sendable {
    package var time: ProviderTime
    package var now: Instant
    package var next: Instant?
  }

  package var clock: ClockState {
    core.withLock { core in
      ClockState(
        time: core.time, now: core.time.instant(at: TimerThread.monotonicNow),
        next: core.provider.nextDeadline)
    }
  }

  /// Changes the clock; what becomes due by that has happened when it returns.
  /// - Returns: why not, in words.
  package func changeClock(_ change: (inout ProviderTime, _ monotonic: Int64, _ next: Instant?) -> String?)
    -> String?
  {
    let (problem, effects) = core.withLock { core -> (String?, [Effect]) in
      let next = core.provider.nextDeadline
      if let problem = change(&core.time, TimerThread.monotonicNow, next) { return (problem, []) }
      return (nil, step(&core) { provider, now in provider.handle(.tick, at: now) })
    }
    perform(effects, mayBlock: false)
    return problem
  }
}
