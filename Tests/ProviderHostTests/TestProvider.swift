import FakeServer
import Foundation
import Glibc
import ProviderControl
import ProviderHost
import ProviderModel
import Synchronization
import Testing

/// A backend without a mount: a source in memory, and replies that a test can take.
final class MemoryBackend: Backend {
  private let host = Mutex<ProviderHost?>(nil)
  private let folders: [ItemPath: [ListedItem]]
  let replies = Mailbox<Reply>(limit: 100_000)

  static let root = item(.directory, size: 4_096)

  init(_ files: [ItemPath: Int64]) {
    var folders: [ItemPath: [ListedItem]] = [:]
    for (path, size) in files.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      guard let name = path.names.last else { continue }
      folders[ItemPath(path.names.dropLast()), default: []]
        .append(ListedItem(name: name, item: Self.item(.file, size: size)))
    }
    self.folders = folders
  }

  func serve(_ host: ProviderHost) {
    self.host.withLock { $0 = host }
    host.setBackend(self)
  }

  func perform(_ effect: Effect, mayBlock: Bool) {
    let host = self.host.withLock { $0 }
    switch effect {
    case .list(let slot, let path):
      host?.handle(.completed(.listed(slot, folders[path].map { .success($0) } ?? .failure(.ENOENT))))
    case .open(let handle, .source(let path)):
      let item = folders[ItemPath(path.names.dropLast())]?.first { $0.name == path.names.last }?.item
      host?.handle(.completed(.opened(handle, item.map { .success(.source($0)) } ?? .failure(.ENOENT))))
    case .open(let handle, .blob): host?.handle(.completed(.opened(handle, .success(.blob))))
    case .makeBlob(let blob, _, _): host?.handle(.completed(.blobMade(blob, .success(MadeBlob(size: 1)))))
    case .copyOut(let copy, _, let name, let folder):
      let made = MadeCopy(
        file: folder + [0x2F] + name.bytes, device: 1, inode: copy.rawValue, modified: FileTime())
      host?.handle(.completed(.copied(copy, .success(made))))
    // Nobody watches a mount that is none.
    case .mirror(let change, _): host?.handle(.completed(.mirrored(change, nil)))
    case .reply(_, let reply): replies.put(reply)
    case .dropPages(let slot, _): host?.handle(.completed(.pagesDropped(slot)))
    case .close, .invalidate, .dropBlob, .removeCopy, .answer, .event, .kill, .suspend, .resume, .limit: break
    }
  }

  private static func item(_ kind: ItemKind, size: Int64) -> SourceItem {
    SourceItem(
      kind: kind, permissions: 0o755,
      stamp: SourceStamp(device: 1, inode: 1, size: size, modified: FileTime(), changed: FileTime()))
  }
}

/// A provider's host with its control socket, on a clock that is moved by hand.
final class TestProvider: Sendable {
  let host: ProviderHost
  let backend: MemoryBackend
  let path: String
  let unmounts = Mailbox<Bool>(limit: 10)
  private let directory: TemporaryDirectory
  private let sessions: Sessions

  init(_ files: [String: Int64] = ["a": 1_000, "b": 1_000], _ change: (inout Profile) -> Void = { _ in })
    throws
  {
    directory = try TemporaryDirectory()
    path = directory.path + "/s"
    var profile = Profile(name: "test")
    profile.download.latency = .fixed(.seconds(1))
    change(&profile)
    let features = try KernelFeatures.current(environment: [:])
    let registry = try ProcessRegistry(features: features)
    host = try ProviderHost(
      profile: profile, root: MemoryBackend.root, features: features, mode: .manual,
      journal: try Journal(path: nil), processes: registry)
    var paths: [ItemPath: Int64] = [:]
    for (text, size) in files { paths[try #require(ItemPath(text))] = size }
    backend = MemoryBackend(paths)
    backend.serve(host)
    let facts = Sessions.Facts(
      mountpoint: "/m", profile: profile, source: "memory",
      rules: RuleCoding(
        read: { _ throws(RequestProblem) in throw RequestProblem("none") }, write: { _ in [] }))
    sessions = Sessions(host: host, server: try LineServer(path: path), facts: facts) { [unmounts] done in
      unmounts.put(true)
      done()
    }
    sessions.start()
  }

  func client() throws -> Client { try Client(connectingTo: Array(path.utf8)) }
  func socket() throws -> LineSocket { try LineSocket.connect(path: Array(path.utf8)) }

  /// A connection as a shell's socket tool has it.
  func rawSocket() throws -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    return descriptor
  }
}

func request(_ verb: String, _ paths: String..., fill: (inout RequestLine) -> Void = { _ in }) -> RequestLine
{
  var request = RequestLine(verb: verb)
  if !paths.isEmpty { request.paths = paths.map { WirePath(bytes: Array($0.utf8)) } }
  fill(&request)
  return request
}

func coordinate(_ kind: String, _ path: String) -> RequestLine {
  request("coordinate") { $0.intents = [IntentLine(path: WirePath(bytes: Array(path.utf8)), kind: kind)] }
}
