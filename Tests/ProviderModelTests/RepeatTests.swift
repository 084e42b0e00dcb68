import ProviderProfiles
import Testing

@testable import ProviderModel

@Suite struct `What happens by chance` {
  private static let paths = (0..<24).map { ItemPath("f\($0)") ?? ItemPath() }

  /// A profile by chance without what is repeatable only for one client: totals, windows, timed events.
  private func profile(_ seed: UInt64) -> Profile {
    var sampler = ProfileSampler(paths: Self.paths)
    sampler.longest = .seconds(100)
    sampler.slowest = 10_000
    var profile = sampler.profile(seed: seed)
    profile.events = []
    // Starts are actions of the root, of which more clients have more.
    profile.access.mode = .simulator
    profile.download.timeout = nil
    // One that stands still for good keeps those waiting that come after it, whoever they are.
    profile.download.stalls.removeAll { $0.length == nil }
    for index in profile.rules.indices {
      profile.rules[index].occurrence.count = .item
      profile.rules[index].window = Rule.Window()
      profile.rules[index].untilEvent = nil
      // What one item's rule does to others is seen by whoever comes later.
      profile.rules[index].effect.changes.removeAll { $0 != .evict }
      // A reader that waits for ever must not meet a download that fails for ever.
      if profile.rules[index].occurrence.times == nil { profile.rules[index].occurrence.times = 3 }
      switch profile.rules[index].effect.disturbance {
      case .hold, .stall: profile.rules[index].effect.disturbance = .fail(.errno(.EIO))
      default: break
      }
    }
    profile.rules.removeAll {
      $0.effect.delay == nil && $0.effect.changes.isEmpty && $0.effect.disturbance == nil
    }
    return profile
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `is the same for each item with 1, 2 or 8 clients, in any order`(seed: UInt64) throws {
    let profile = profile(seed)
    let alone = outcomes(profile, clients: 1, order: 1)
    for (clients, order) in [(1, 2), (2, 3), (8, 4), (8, 5)] as [(Int, UInt64)] {
      let together = outcomes(profile, clients: clients, order: order)
      #expect(together == alone, "seed \(seed), \(clients) clients")
    }
  }

  /// Each client opens and reads its share of the files twice; who is next is drawn by `order`.
  private func outcomes(_ profile: Profile, clients: Int, order: UInt64) -> [ItemPath: [String]] {
    let harness = ModelHarness(Dictionary(uniqueKeysWithValues: Self.paths.map { ($0, 20_000) })) {
      $0 = profile
    }
    harness.ask(.pick([ItemPath()], app: nil))
    var random = SeededGenerator(order)
    var workers = (0..<clients).map { number in
      Worker(
        actor: Actor(Int32(100 + number), "app"),
        files: Self.paths.enumerated().filter { $0.offset % clients == number }.map(\.element))
    }
    for worker in workers {
      harness.join(worker.actor)
    }
    while true {
      let busy = workers.indices.filter { !workers[$0].isDone }
      guard let next = busy.randomElement(using: &random) else { break }
      if workers[next].step(harness) { continue }
      // Nobody can go on: time passes.
      let stuck = busy.allSatisfy { !workers[$0].canStep(harness) }
      if stuck {
        if let due = harness.nextDeadline {
          harness.tick(to: due)
        } else {
          // Nothing would ever answer them.
          for index in busy { if let id = workers[index].waiting { harness.interrupt(id) } }
        }
      }
    }
    return workers.reduce(into: [:]) { $0.merge($1.outcomes) { $0 + $1 } }
  }

  private struct Worker {
    let actor: Actor
    var files: [ItemPath]
    var round = 0
    var index = 0
    var waiting: RequestID?
    var node = NodeID.root
    var handle: HandleID?
    var stage = 0
    var outcomes: [ItemPath: [String]] = [:]

    init(actor: Actor, files: [ItemPath]) {
      self.actor = actor
      self.files = files
    }

    var isDone: Bool { round == 2 }

    func canStep(_ harness: ModelHarness) -> Bool { waiting.map { harness.replies[$0] != nil } ?? true }

    /// - Returns: whether it got on.
    mutating func step(_ harness: ModelHarness) -> Bool {
      let path = files[index]
      guard let id = waiting else {
        waiting = ask(harness, path)
        return true
      }
      guard let reply = harness.replies[id] else { return false }
      waiting = nil
      take(reply, path, harness)
      return true
    }

    private func ask(_ harness: ModelHarness, _ path: ItemPath) -> RequestID {
      switch stage {
      case 0: harness.request(.lookup(parent: .root, name: path.names[0]), by: actor)
      case 1: harness.request(.open(node, writes: false), by: actor)
      default: harness.request(.read(handle ?? HandleID(0), offset: 0, length: 131_072), by: actor)
      }
    }

    private mutating func take(_ reply: Reply, _ path: ItemPath, _ harness: ModelHarness) {
      var isLast = false
      switch reply {
      case .entry(let found, _): node = found
      case .opened(let opened, _): handle = opened
      case .error(let error):
        outcomes[path, default: []].append(error.errno.rawValue)
        isLast = true
      case .content(_, _, let length, _, let alteration):
        outcomes[path, default: []].append("\(length) \(alteration.map { "\($0)" } ?? "")")
        isLast = true
      default: isLast = true
      }
      stage += 1
      guard isLast || stage == 3 else { return }
      if let handle { harness.release(handle) }
      (handle, stage) = (nil, 0)
      index += 1
      if index == files.count { (index, round) = (0, round + 1) }
    }
  }
}
