import ProviderControl

/// A connection to a provider that has said who it is.
struct ProviderConnection: Sendable {
  var mount: ProviderMount
  var client: Client
  var provider: ProviderLine

  /// - Parameter app: whom this connection speaks for; nil: the executable of this process.
  init(to mount: ProviderMount, app: String? = nil, patience: Duration = Providers.patience) throws {
    var request = RequestLine(verb: app == nil ? "provider" : "hello")
    request.app = app
    do {
      client = try Client(connectingTo: mount.socket, timeout: patience)
      let reply = try client.call(request, timeout: patience)
      guard let provider = reply.provider else {
        throw ConnectionProblem.malformed("it does not say who it is")
      }
      self.provider = provider
    } catch let problem as ConnectionProblem {
      throw VerbFailure(Self.explanation(of: problem, mount))
    }
    self.mount = mount
    if self.mount.mountpoint.isEmpty { self.mount.mountpoint = Array(provider.mountpoint.utf8) }
  }

  static func explanation(of problem: ConnectionProblem, _ mount: ProviderMount) -> String {
    guard !mount.mountpoint.isEmpty else {
      return "\(problem) ($FAKEPROVIDER_CONTROL says so)"
    }
    let unmount = "fakeprovider unmount \(Argument(bytes: mount.mountpoint).shellWord)"
    return switch problem {
    case .notRunning, .closed:
      "the provider of \(mount.text) has crashed; to clear what it left behind: \(unmount)"
    case .timedOut: "the provider of \(mount.text) does not answer (is it stopped?); to end it: \(unmount)"
    case .refused: "the provider of \(mount.text) belongs to another user"
    default: "the provider of \(mount.text) cannot be talked to: \(problem)"
    }
  }

  /// Sends a request and waits for the answer as long as the provider takes.
  @discardableResult
  func call(_ request: RequestLine, about group: PathGroup? = nil) throws -> ReplyLine {
    try begin(request).answer(on: self, about: group)
  }

  func begin(_ request: RequestLine) throws -> PendingReply {
    // What is wrong with the command line is said before anything is sent: exit 2.
    _ = try request.parsed(mountpoint: provider.mountpoint, rules: .profiles())
    do {
      return try client.begin(request)
    } catch {
      throw VerbFailure(lost(error))
    }
  }

  func lost(_ problem: ConnectionProblem) -> String {
    problem == .closed ? "the provider of \(mount.text) has ended" : Self.explanation(of: problem, mount)
  }
}

extension PendingReply {
  func answer(on connection: ProviderConnection, about group: PathGroup? = nil) throws -> ReplyLine {
    do {
      return try wait().checked()
    } catch let refusal as ErrorLine {
      throw VerbFailure(refusal) { path in
        group?.name(of: path) ?? connection.mount.absolutePath(of: path).text
      }
    } catch let problem as ConnectionProblem {
      throw VerbFailure(connection.lost(problem))
    }
  }
}

extension RequestLine {
  init(verb: String, _ group: PathGroup) {
    self.init(verb: verb)
    paths = group.wirePaths
  }
}
