// What it costs the model to decide: some rounds of what a program does with a file, without kernel and shell.
// `make bench` counts its instructions.

import Glibc
import ProviderModel

@main
enum DecisionCost {
  private static let fileCount = 100

  static func main() {
    guard CommandLine.arguments.count == 3, let rules = Int(CommandLine.arguments[1]), rules >= 0,
      let rounds = Int(CommandLine.arguments[2]), rounds >= 0
    else {
      complain("usage: DecisionCost RULES ROUNDS")
      exit(2)
    }
    var session = Session(rules: rules, files: fileCount)
    for _ in 0..<rounds { for file in 0..<fileCount { session.use(file) } }
  }

  static func complain(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(2, line, line.count)
  }
}

/// A provider, and the kernel and the shell in their simplest form.
private struct Session {
  private var provider: Provider
  private let names: [Name]
  private var requests: UInt64 = 0
  private var reply: Reply?
  private let caller = Caller(thread: 1, process: ProcessID(number: 1, serial: 1), app: AppID("app"))

  init(rules: Int, files: Int) {
    var profile = Profile(name: "bench")
    profile.access.mode = .simulator
    profile.items.initial = .local
    profile.rules = (0..<rules).map { number in
      var rule = Rule(
        name: "rule \(number)", operations: OperationName.allCases.filter { $0 != .statfs },
        effect: RuleEffect(disturbance: .fail(.errno(.EIO))))
      rule.path = Glob("**/*.none-\(number)")
      return rule
    }
    provider = Provider(profile: profile, root: Session.item(.directory))
    names = (0..<files).compactMap { Name("file \($0).pdf") }
  }

  /// Looks a file up, looks at it, opens it, reads it, closes it.
  mutating func use(_ file: Int) {
    ask(.lookup(parent: .root, name: names[file]))
    guard case .entry(let node, _) = reply else { fail("lookup") }
    ask(.getAttributes(node))
    ask(.open(node, writes: false))
    guard case .opened(let handle, _) = reply else { fail("open") }
    ask(.read(handle, offset: 0, length: 4_096))
    guard case .content = reply else { fail("read") }
    tell(.notice(.release(handle)))
  }

  private mutating func ask(_ operation: Operation) {
    requests += 1
    reply = nil
    tell(.request(KernelRequest(id: RequestID(requests), operation: operation, caller: caller)))
  }

  private mutating func tell(_ input: Input) {
    for effect in provider.handle(input, at: .start) {
      switch effect {
      case .reply(_, let reply):
        self.reply = reply
        if reply.needsSource { tell(.completed(.answered(RequestID(requests), nil))) }
      case .list(let slot, _):
        let listed = names.map { ListedItem(name: $0, item: Session.item(.file)) }
        tell(.completed(.listed(slot, .success(listed))))
      case .open(let handle, _):
        tell(.completed(.opened(handle, .success(.source(Session.item(.file))))))
      default: break
      }
    }
  }

  private static func item(_ kind: ItemKind) -> SourceItem {
    SourceItem(
      kind: kind, permissions: 0o755,
      stamp: SourceStamp(device: 1, inode: 1, size: 100_000, modified: FileTime(), changed: FileTime()))
  }

  private func fail(_ operation: String) -> Never {
    DecisionCost.complain("DecisionCost: \(operation) was answered with \(String(describing: reply))")
    exit(1)
  }
}
