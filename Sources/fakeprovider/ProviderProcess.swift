import CLinux
import FoundationEssentials
import Glibc
import ProviderControl
import ProviderFS
import ProviderHost
import ProviderModel
import Synchronization

/// The process that is one mounted provider: puts its parts together, serves, and ends cleanly.
struct ProviderProcess {
  struct Settings {
    var profile: Profile
    var source: String
    /// What `status` and `list` call the source.
    var sourceName: String
    var mountpoint: String
    var clock: ProviderTime.Mode
    var journal: String?
    /// The provider ends when this descriptor reaches its end.
    var lifeline: Int32?
    var debug: Bool
  }

  /// Serves until somebody ends it; never returns once it is mounted.
  /// - Parameter ready: called when the mount can be used.
  static func run(_ settings: Settings, features: KernelFeatures, ready: () -> Void) throws -> Never {
    // Before any thread starts: signals are read, not caught, so that the end has one place.
    let signals = try blockedSignals()
    raiseDescriptorLimit()
    let folder = try ServerFolder(path: settings.source, features: features)
    if folder.protection == .none {
      Console.err(
        "fakeprovider: \(settings.source) belongs to another user, so reading it may change the access times "
          + "of its files; mount as that user or as root to leave them alone\n")
    }
    let journal: Journal
    do {
      journal = try Journal(path: settings.journal)
    } catch {
      // No fault of the machine's, as others are that follow.
      throw MountProblem("\(error)")
    }
    let processes = try ProcessRegistry(features: features)
    let host = try ProviderHost(
      profile: settings.profile, root: folder.root, features: features, mode: settings.clock,
      journal: journal, processes: processes)

    host.handle(.begin(version: Release.version))

    let socket = "\(try RuntimeDirectory.prepared())/\(getpid()).sock"
    // A socket of this name belongs to an earlier process with our number, which is gone.
    unlink(socket)
    let server = try LineServer(path: socket, checksPeers: features.peerPidfd)
    let ending = try Ending()
    let sessions = Sessions(
      host: host, server: server,
      facts: Sessions.Facts(
        mountpoint: settings.mountpoint, profile: settings.profile, source: settings.sourceName,
        rules: .profiles(on: settings.profile.kind)),
      unmount: { answer in ending.request(answer) })
    let mount: Mount
    do {
      mount = try Mount(
        Mount.Configuration(
          mountpoint: settings.mountpoint, socket: socket, features: features, debug: settings.debug,
          startChild: { try startChild(of: settings.mountpoint, socket: $0) }),
        host: host, folder: folder, inheritance: settings.profile.access.inheritScopes)
      try mount.start { ending.request({}) }
    } catch {
      unlink(socket)
      throw error
    }
    sessions.start()
    ready()
    wait(for: ending, signals: signals, lifeline: settings.lifeline)

    // Everyone gets an answer before the mount goes, so that nobody is left inside it.
    host.handle(.stop, mayBlock: true)
    mount.endChild()
    let problem = MountRemoval.detach(settings.mountpoint)
    if let problem { Console.err("fakeprovider: \(problem)\n") }
    host.handle(.end)
    journal.flush()
    ending.answerAll()
    server.shutDown()
    // The loop's threads cannot be woken; the kernel ends the connection with the process.
    _exit(problem == nil ? 0 : 1)
  }

  /// This program again, as the one that makes remote changes through the mount.
  private static func startChild(of mountpoint: String, socket: Int32) throws -> Int32 {
    var command = Command(
      program: Array("/proc/self/exe".utf8),
      words: [Array("fakeprovider".utf8), Array(MountChildProgram.word.utf8), Array(mountpoint.utf8)])
    command.descriptors = [(socket, MountChildProgram.socket)]
    command.newSession = true
    var mask = sigset_t()
    sigemptyset(&mask)
    return try command.start(mask: mask)
  }

  /// Whoever ends the provider, and who waits for it to have ended.
  private final class Ending: Sendable {
    let wakeUp: WakeUp
    private let answers = Mutex<[@Sendable () -> Void]>([])

    init() throws { wakeUp = try WakeUp() }

    func request(_ answer: @escaping @Sendable () -> Void) {
      answers.withLock { $0.append(answer) }
      wakeUp.signal()
    }

    func answerAll() {
      for answer in answers.withLock({ $0 }) { answer() }
    }
  }

  private static func blockedSignals() throws(SystemError) -> Int32 {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A client or a reader of our output that goes away is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    let descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC))
    if descriptor < 0 { throw SystemError("cannot read signals") }
    return descriptor
  }

  /// Each open file and each process that was met takes a descriptor.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static func wait(for ending: Ending, signals: Int32, lifeline: Int32?) {
    var watched = [
      pollfd(fd: ending.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
    ]
    if let lifeline { watched.append(pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0)) }
    while poll(&watched, nfds_t(watched.count), -1) < 0, errno == EINTR {}
  }
}
