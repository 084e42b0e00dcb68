#if os(Linux)
  import Foundation
  import Glibc
  import ProviderControl
  import Synchronization

  /// This process's connections, one for each provider, made when first needed and again when lost.
  final class Connections: Sendable {
    static let shared = Connections()

    /// Real time for an exchange that no profile delays; a provider that needs longer is stopped or stuck.
    static let patience = Duration.seconds(30)

    struct Call {
      let client: Client
      let reply: PendingReply
    }

    private struct Key: Hashable {
      let socket: [UInt8]
      /// A child made by fork alone must not speak through its parent's connection: the provider knows a
      /// session by the process that made it.
      let process: Int32
    }

    private let clients = Mutex<[Key: Client]>([:])

    /// Sends a request, over a new connection if the last one was lost.
    func begin(_ request: RequestLine, socket: [UInt8]) throws(ConnectionProblem) -> Call {
      let client = try client(for: socket)
      do {
        return Call(client: client, reply: try client.begin(request))
      } catch .closed {
        // The provider was started anew since the last call. A request that was never sent can be sent again.
        let client = try self.client(for: socket)
        return Call(client: client, reply: try client.begin(request))
      }
    }

    private func client(for socket: [UInt8]) throws(ConnectionProblem) -> Client {
      let key = Key(socket: socket, process: getpid())
      if let client = clients.withLock({ $0[key] }), client.isConnected { return client }
      // Outside the lock: it waits for the provider, and other providers' callers must not.
      let fresh = try Client(connectingTo: socket)
      try Self.greet(fresh)
      return clients.withLock { clients in
        // Another thread may have been quicker; then this one is closed unused.
        if let client = clients[key], client.isConnected { return client }
        clients[key] = fresh
        return fresh
      }
    }

    private static func greet(_ client: Client) throws(ConnectionProblem) {
      var hello = RequestLine(verb: "hello")
      hello.app = appName()
      let reply = try client.send(hello, timeout: patience)
      guard reply.ok, reply.provider?.protocolVersion == 1 else {
        throw .malformed("hello was answered by \(reply.error?.message ?? "another protocol version")")
      }
    }

    /// Who this process is to the provider: FAKEPROVIDER_APP, else the executable's path.
    static func appName() -> String {
      if let name = ProcessInfo.processInfo.environment["FAKEPROVIDER_APP"], !name.isEmpty { return name }
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        ?? CommandLine.arguments.first ?? ""
    }
  }
#endif
