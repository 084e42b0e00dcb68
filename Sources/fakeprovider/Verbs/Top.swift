import CLinux
import Glibc
import ProviderControl
import ProviderHost

/// The live view of a provider on a terminal.
enum Top {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let mount = try arguments.positionals.first.map(mount) ?? Providers.chosen(arguments)
      if arguments.has("--json") || arguments.has("--once") {
        let connection = try ProviderConnection(to: mount)
        return try once(connection, json: arguments.has("--json"))
      }
      guard let terminal = TopTerminal() else {
        throw VerbFailure.usage(
          "needs a terminal to draw on and to read keys from; 'fakeprovider top --once' prints one screen, "
            + "--json the same for a script")
      }
      // Before any thread starts: threads inherit the mask.
      let signals = try blockedSignals()
      let end = try watch(ProviderConnection(to: mount), terminal, signals)
      switch end {
      case .quit: break
      case .providerEnded: Console.err("the provider of \(mount.text) has ended\n")
      case .signal(let number): endBySignal(number)
      }
      return FakeProvider.Exit.done
    }
  }

  private static func mount(_ path: Argument) throws -> ProviderMount {
    guard let location = try ProviderLookup.location(of: path.bytes) else { throw Providers.outside(path) }
    return location.mount
  }

  // MARK: Once

  private static func once(_ connection: ProviderConnection, json: Bool) throws -> Int32 {
    var model = TopModel(mountpoint: connection.mount.text, provider: connection.provider)
    do {
      model.take(try TopFeed.snapshot(connection, folder: model.folder))
    } catch let problem as ConnectionProblem {
      throw VerbFailure(connection.lost(problem))
    }
    if json {
      Console.json(model.snapshot?.overview)
    } else {
      model.selection = nil
      let columns = max(TopScreen.smallest.columns, TopTerminal.size?.columns ?? 0)
      let lines = TopScreen.lines(model, columns: columns, rows: nil).map { line in
        String(line.text.reversed().drop { $0 == " " }.reversed()) + "\n"
      }
      Console.out(lines.joined())
    }
    return FakeProvider.Exit.done
  }

  // MARK: Live

  private enum End {
    case quit
    case providerEnded
    case signal(Int32)
  }

  private static func watch(
    _ connection: ProviderConnection, _ terminal: borrowing TopTerminal, _ signals: Int32
  ) throws -> End {
    var model = TopModel(mountpoint: connection.mount.text, provider: connection.provider)
    let feed = try TopFeed(connection, folder: model.folder)
    feed.start()
    terminal.enter()
    defer { terminal.leave() }
    var reader = TopKeyReader()
    var shown: [TopLine] = []
    while true {
      let size = TopTerminal.size ?? TopScreen.smallest
      let lines = TopScreen.lines(model, columns: size.columns, rows: size.rows)
      if lines != shown { TopTerminal.draw(lines) }
      shown = lines
      var waiting = [STDIN_FILENO, signals, feed.wakeUp.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      while poll(&waiting, 3, -1) < 0, errno == EINTR {}
      if waiting[1].revents != 0 {
        let number = readSignal(signals)
        if number == SIGTSTP { suspend(terminal) } else if number != SIGWINCH { return .signal(number) }
        // The size or the screen is another.
        shown = []
      }
      if waiting[2].revents != 0 {
        feed.wakeUp.wait()
        if apply(feed.take(), to: &model) { return .providerEnded }
      }
      guard waiting[0].revents != 0, let typed = TopTerminal.read() else { continue }
      // The terminal is gone.
      if typed.isEmpty { return .signal(SIGHUP) }
      for key in reader.keys(typed) {
        switch model.press(key) {
        case .quit: return .quit
        case .send(let requests): feed.send(requests)
        case .refresh: feed.look(into: model.folder)
        case nil: break
        }
      }
    }
  }

  /// - Returns: whether the provider has ended.
  private static func apply(_ news: [TopFeed.News], to model: inout TopModel) -> Bool {
    for item in news {
      switch item {
      case .snapshot(let snapshot): model.take(snapshot)
      case .result(let request, let result): model.take(result, of: request)
      case .silence(let seconds): model.silence = seconds
      case .refused(let message): model.message = message
      case .ended: return true
      }
    }
    return false
  }

  // MARK: Signals

  private static func blockedSignals() throws(SystemError) -> Int32 {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC))
    if descriptor < 0 { throw SystemError("cannot read signals") }
    return descriptor
  }

  private static func readSignal(_ descriptor: Int32) -> Int32 {
    var info = signalfd_siginfo()
    let count = read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
    return count > 0 ? Int32(info.ssi_signo) : SIGWINCH
  }

  /// Ctrl-Z: the shell gets its screen back until it continues us.
  private static func suspend(_ terminal: borrowing TopTerminal) {
    terminal.leave()
    kill(getpid(), SIGSTOP)
    terminal.enter()
  }

  /// As any program ends by it, after the terminal was given back.
  private static func endBySignal(_ number: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    signal(number, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
  }
}
