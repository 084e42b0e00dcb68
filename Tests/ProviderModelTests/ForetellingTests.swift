import ProviderProfiles
import Testing

@testable import ProviderModel

// Profiles by chance, from the table of keys, against a client that stats, opens, reads and coordinates.

@Suite struct `A profile by chance` {
  private static let paths: [ItemPath] = ["Letter.pdf", "a/b.pdf", "a/c.txt", "Recent/d.pdf", "empty"]

  private static func sampler() -> ProfileSampler {
    var sampler = ProfileSampler(paths: paths)
    sampler.longest = .seconds(1_000)
    sampler.slowest = 1_000
    return sampler
  }

  /// How an action ended: an errno's name, "served" with what was served, or "stuck".
  private typealias Outcomes = [ItemPath: [String]]

  @Test(arguments: 0..<300 as Range<UInt64>) func `is foretold, and does the same with the same seed`(
    seed: UInt64
  )
    throws
  {
    let profile = Self.sampler().profile(seed: seed)
    let first = try Client(profile, foretells: true).run(Self.paths)
    let second = try Client(profile, foretells: false).run(Self.paths)
    #expect(first == second, "seed \(seed)")
  }

  /// One client, one action after the other.
  private struct Client {
    let harness: ModelHarness
    let foretells: Bool

    init(_ profile: Profile, foretells: Bool) {
      harness = ModelHarness(
        ["Letter.pdf": 10_000, "a/b.pdf": 50_000, "a/c.txt": 10, "Recent/d.pdf": 1_000, "empty": 0]
      ) { $0 = profile }
      harness.label = profile.name
      self.foretells = foretells
      harness.ask(.pick([ItemPath()], app: nil))
    }

    func run(_ paths: [ItemPath]) throws -> Outcomes {
      var outcomes: Outcomes = [:]
      start()
      for round in 0..<3 {
        for path in paths {
          guard let node = look(up: path) else {
            outcomes[path, default: []].append("not found")
            continue
          }
          var said = [act(.getattr, on: path) { .getAttributes(node) }]
          if round == 1 { said.append(coordinate(path)) }
          said += read(path)
          outcomes[path, default: []] += said
          harness.ask(.evict([path]))
        }
      }
      harness.tell(.stop)
      harness.expectNobodyWaits()
      return outcomes
    }

    private func start() {
      let number = harness.begin(.start(ItemPath(), covers: .process), by: harness.app)
      settle { harness.answer(number, of: harness.app) != nil }
      release()
    }

    /// Where the item is, if it stands there under a stub's name.
    private func shown(_ path: ItemPath) -> ItemPath {
      guard case .found(let slot) = harness.provider.resolve(path) else { return path }
      return harness.provider.items.path(of: slot)
    }

    private func look(up path: ItemPath) -> NodeID? {
      look(exactlyUp: path) ?? (shown(path) == path ? nil : look(exactlyUp: shown(path)))
    }

    private func look(exactlyUp path: ItemPath) -> NodeID? {
      var node = NodeID.root
      for name in path.names {
        let id = harness.request(.lookup(parent: node, name: name))
        settle { harness.replies[id] != nil }
        if harness.replies[id] == nil { harness.interrupt(id) }
        release()
        guard case .entry(let found, _) = harness.replies[id] else { return nil }
        node = found
      }
      return node
    }

    private func read(_ path: ItemPath) -> [String] {
      // Anew, as for each open: what was found before may have been replaced.
      guard let node = look(up: path) else { return ["not found"] }
      let foretold = foretell(.read, path)
      var handle: HandleID?
      var opened = outcome(of: harness.request(.open(node, writes: false))) {
        handle = harness.handle(of: $0)
      }
      // As the kernel does when what it has looked up is another item by now.
      if opened == "ESTALE" {
        var node: NodeID? = .root
        for name in shown(path).names {
          guard let parent = node else { break }
          node = nil
          opened = outcome(of: harness.request(.lookup(parent: parent, name: name))) {
            if case .entry(let found, _) = harness.replies[$0] { node = found }
          }
        }
        if let node {
          opened = outcome(of: harness.request(.open(node, writes: false))) {
            handle = harness.handle(of: $0)
          }
        }
      }
      guard let handle else {
        compare(foretold, opened, path, .read)
        return [opened]
      }
      let read = outcome(of: harness.request(.read(handle, offset: 0, length: 1)))
      compare(foretold, read, path, .read)
      let rest = outcome(of: harness.request(.read(handle, offset: 0, length: 131_072)))
      harness.release(handle)
      return [opened, read, rest]
    }

    private func act(
      _ operation: OperationName, on path: ItemPath, _ request: () -> ProviderModel.Operation
    ) -> String {
      let foretold = foretell(operation, path)
      let said = outcome(of: harness.request(request()))
      compare(foretold, said, path, operation)
      return said
    }

    private func coordinate(_ path: ItemPath) -> String {
      let foretold = foretell(.coordinate, path)
      let number = harness.begin(.coordinate([Intent(path: path, kind: .read)], purpose: ""), by: harness.app)
      settle { harness.answer(number, of: harness.app) != nil }
      var said = "stuck"
      switch harness.answer(number, of: harness.app) {
      case .failure(let error, _): said = error.errno.rawValue
      case .claim(let claim, _):
        said = "served"
        harness.ask(.finish(claim), by: harness.app)
      case nil: harness.ask(.cancel(request: number), by: harness.app)
      default: said = "?"
      }
      compare(foretold, said, path, .coordinate)
      release()
      return said
    }

    // MARK: -

    private func foretell(_ operation: OperationName, _ path: ItemPath) -> String? {
      guard foretells else { return nil }
      let number = harness.begin(.explain(path, operation, app: harness.app.app, at: nil))
      guard case .explanation(let explanation) = harness.answer(number) else { return nil }
      switch explanation.outcome {
      case .served: return "served"
      case .fails(let error): return error.errno.rawValue
      case .held, .waits: return "stuck"
      }
    }

    private func compare(_ foretold: String?, _ said: String, _ path: ItemPath, _ operation: OperationName) {
      guard let foretold else { return }
      let said = said.split(separator: " ").first.map(String.init) ?? ""
      if foretold != said { harness.fail("\(operation) of \(path): foretold \(foretold), was \(said)") }
    }

    /// Lets time pass until it is answered, or nothing that is due would answer it.
    private func settle(_ isDone: () -> Bool) {
      var steps = 0
      while !isDone(), steps < 10_000, let due = harness.nextDeadline {
        harness.tick(to: due)
        steps += 1
      }
    }

    private func outcome(of id: RequestID, _ then: (RequestID) -> Void = { _ in }) -> String {
      settle { harness.replies[id] != nil }
      let wasAnswered = harness.replies[id] != nil
      if !wasAnswered { harness.interrupt(id) }
      then(id)
      release()
      if !wasAnswered { return "stuck" }
      switch harness.replies[id] {
      case .error(let error): return error.errno.rawValue
      case .content(_, let offset, let length, _, let alteration):
        return "served \(offset) \(length) \(alteration.map { "\($0)" } ?? "")"
      case .attributes(let attributes): return "served \(attributes.size)"
      default: return "served"
      }
    }

    /// Nobody stays at a hold that a rule has made.
    private func release() {
      guard case .holds(let holds) = harness.ask(.holds) else { return }
      for hold in holds { harness.ask(.release(hold.name, error: nil)) }
    }
  }
}
