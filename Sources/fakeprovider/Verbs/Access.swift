import CLinux
import Glibc
import ProviderControl

/// Runs a command and all that it starts inside a started scope.
enum Access {
  /// What env(1) and nohup(1) use 125 for: COMMAND never ran.
  static let neverRan: Int32 = 125

  static func run(_ arguments: ParsedArguments) -> Int32 {
    // Before the connections start their threads, which inherit the mask.
    var signals = RunnerSignals()
    do {
      // A scope ends with its process's descendants: those whose parents end become children of this one.
      _ = clinux_set_child_subreaper(true)
      guard let program = arguments.rest.first else { throw VerbFailure.usage("needs a command") }
      let app = app(arguments, program: program)
      var started: [(ProviderConnection, WirePath)] = []
      for group in try Providers.groups(of: arguments.positionals) {
        started += try start(group, app: app)
      }
      let command = Command(program: program.bytes, words: arguments.rest.map(\.bytes))
      let process = try command.start(mask: signals.before)
      let status = signals.wait(for: process, orphans: true) {
        guard Console.isTerminal(2) else { return }
        Console.err("\(program.text) has ended; waiting for what it started (Ctrl-C ends the wait)\n")
      }
      for (connection, path) in started.reversed() { stop(path, connection) }
      return status.exitCode
    } catch {
      let message = VerbFailure(any: error).message
      Console.err("fakeprovider access: \(message)\n")
      return neverRan
    }
  }

  /// `--app`, else FAKEPROVIDER_APP, else COMMAND's executable, as the provider would call it by itself.
  private static func app(_ arguments: ParsedArguments, program: Argument) -> String {
    if let app = arguments.app { return app }
    if let app = getenv("FAKEPROVIDER_APP"), app.pointee != 0 { return canonical(String(cString: app)) }
    let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    return executable(program.text, search: search) ?? program.text
  }

  /// An app that is given by its executable is called as /proc has it, without symbolic links; else the
  /// provider would not know it again. An identifier stays as it is.
  static func canonical(_ app: String) -> String {
    app.contains("/") ? executable(app, search: "") ?? app : app
  }

  /// The file that would run, without symbolic links.
  static func executable(_ program: String, search: String) -> String? {
    let candidates =
      program.contains("/")
      ? [program]
      : search.split(separator: ":", omittingEmptySubsequences: false)
        .map { "\($0.isEmpty ? "." : $0)/\(program)" }
    for candidate in candidates {
      var status = stat()
      guard Glibc.access(candidate, X_OK) == 0, stat(candidate, &status) == 0,
        status.st_mode & S_IFMT == S_IFREG, let resolved = realpath(candidate, nil)
      else { continue }
      defer { free(resolved) }
      return String(cString: resolved)
    }
    return nil
  }

  private static func start(_ group: PathGroup, app: String) throws -> [(ProviderConnection, WirePath)] {
    let connection = try ProviderConnection(to: group.mount, app: app)
    var pick = RequestLine(verb: "pick", group)
    pick.app = app
    try connection.call(pick, about: group)
    return try group.wirePaths.map { path in
      var start = RequestLine(verb: "start")
      start.path = path
      start.covers = "descendants"
      guard try connection.call(start, about: group).started == true else {
        throw VerbFailure(
          "\(group.name(of: path)): access could not be started for the app \(app); 'fakeprovider events' "
            + "shows why")
      }
      return (connection, path)
    }
  }

  /// A provider that has ended in the meantime has stopped it already.
  private static func stop(_ path: WirePath, _ connection: ProviderConnection) {
    var request = RequestLine(verb: "stop")
    request.path = path
    _ = try? connection.client.call(request, timeout: Providers.patience)
  }
}
