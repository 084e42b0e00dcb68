import Testing

@testable import ProviderModel

// Everything at once, from a seed: whatever happens, each request gets its one answer.

@Suite struct `A random run` {
  private static let paths: [ItemPath] = ["a", "b", "c", "d/a", "d/b", "d/e/a", "empty", "none", "d/none"]

  /// What a run has met, so that it is known to reach what it is about.
  struct Reached {
    var served = 0, interrupted = 0, refused = 0, parked = 0, revoked = 0, evicted = 0, changed = 0,
      granted = 0
    var pinned = 0, kept = 0
    var stopped = 0, written = 0, moved = 0, deleted = 0, conflicted = 0, replaced = 0, waited = 0,
      reused = 0,
      orphaned = 0
  }

  @Test func `answers everyone exactly once`() {
    var reached = Reached()
    for seed in 0..<520 as Range<UInt64> {
      let run = Run(seed: seed)
      for _ in 0..<200 { run.step() }
      run.finish(&reached)
    }
    #expect(reached.served > 2_000 && reached.interrupted > 300 && reached.refused > 300, "\(reached)")
    #expect(reached.parked > 100 && reached.revoked > 100 && reached.evicted > 50, "\(reached)")
    #expect(reached.changed > 50 && reached.granted > 100 && reached.stopped > 50, "\(reached)")
    #expect(reached.written > 500 && reached.moved > 200 && reached.deleted > 200, "\(reached)")
    #expect(reached.conflicted > 50 && reached.replaced > 100 && reached.waited > 20, "\(reached)")
    #expect(reached.pinned > 300 && reached.kept > 30, "\(reached)")
    #expect(reached.reused > 50 && reached.orphaned > 50, "\(reached)")
  }

  final class Run {
    private let harness: ModelHarness
    private var random: SeededGenerator
    private var actors: [Actor] = []
    private var made: Int32 = 10
    private var handles: [HandleID] = []
    private var requests: [RequestID] = []
    private var holds: [String] = []

    init(seed: UInt64) {
      var random = SeededGenerator(seed)
      var files: [ItemPath: Int64] = [:]
      for path in `A random run`.paths.prefix(6) {
        files[path] = Int64.random(in: 1...300_000, using: &random)
      }
      files["empty"] = 0
      let (bandwidth, concurrency) = (
        Int64.random(in: 1...1_000_000, using: &random), Int.random(in: 1...3, using: &random)
      )
      let (open, mode) = (Bool.random(using: &random), Int.random(in: 0..<8, using: &random))
      var download = Profile.Download()
      download.bandwidth = bandwidth
      download.concurrency = concurrency
      download.latency = .uniform(minimum: .zero, maximum: .milliseconds(300))
      download.itemBandwidth =
        Bool.random(using: &random) ? nil : Int64.random(in: 1...100_000, using: &random)
      download.partial = Bool.random(using: &random)
      download.trigger = Int.random(in: 0..<4, using: &random) == 0 ? .open : .read
      download.timeout = Bool.random(using: &random) ? nil : .seconds(3)
      if Int.random(in: 0..<3, using: &random) == 0 {
        download.slowStart = .init(bandwidth: 900, length: .milliseconds(700))
        download.stalls = [.init(at: .millionths(500_000), length: .milliseconds(40), bandwidth: 77)]
      }
      let pins = Int.random(in: 0..<4, using: &random) == 0
      let (folds, form) = (
        Int.random(in: 0..<3, using: &random) == 0,
        Naming.Normalization.allCases.randomElement(using: &random) ?? .preserve
      )
      if folds { files["A"] = 500 }
      let (evicts, limit) = (Bool.random(using: &random), Int.random(in: 0..<4, using: &random))
      harness = ModelHarness(files) {
        if pins { $0.items.pinned = [Glob("d/e"), Glob("b")].compactMap { $0 } }
        if pins != folds { $0.items.packages = [Glob("d/e"), Glob("d")].compactMap { $0 } }
        if folds {
          $0.naming.case = .insensitive
          $0.naming.normalization = form
        }
        if evicts { $0.items.onRemoteUpdate = .evict }
        if limit == 0 { $0.items.localLimit = 200_000 }
        $0.seed = seed
        $0.download = download
        if open { $0.latency.open = .uniform(minimum: .zero, maximum: .milliseconds(50)) }
        $0.latency.list = .fixed(.milliseconds(3))
        $0.access.scopeLimit = 5
        if mode == 0 { $0.access.mode = .simulator }
      }
      self.random = random
      harness.label = "seed \(seed):"
      harness.ask(.pick([ItemPath()], app: nil))
      for _ in 0..<3 { join() }
    }

    private func join() {
      made += 1
      let actor = Actor(made, "app \(made % 4)")
      actors.append(actor)
      harness.join(actor)
      harness.ask(.start(ItemPath(), covers: .process), by: actor)
    }

    private var actor: Actor { actors.randomElement(using: &random) ?? harness.client }
    private var path: ItemPath { `A random run`.paths.randomElement(using: &random) ?? ItemPath() }
    private var someNode: NodeID? {
      (harness.lookups.keys.map(\.rawValue).sorted() + [1]).randomElement(using: &random).map(NodeID.init)
    }

    func step() {
      harness.hasPromptChild = Int.random(in: 0..<3, using: &random) > 0
      if harness.hasPromptChild { harness.runChild() }
      harness.childError = Int.random(in: 0..<6, using: &random) == 0 ? .EACCES : nil
      harness.keepsPromptly = Int.random(in: 0..<4, using: &random) > 0
      if harness.keepsPromptly { harness.makeBlobs() }
      harness.isPrompt = Int.random(in: 0..<4, using: &random) > 0
      if harness.isPrompt {
        harness.answerListings()
        harness.answerOpenings()
      }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<30: kernelRequest()
      case 30..<45: if let handle = handles.randomElement(using: &random) { read(handle) }
      case 45..<52: if let request = requests.randomElement(using: &random) { harness.interrupt(request) }
      case 52..<56: release()
      case 56..<70: control()
      case 70..<72: source()
      case 72..<74: endSomeone()
      case 74 where Bool.random(using: &random): harness.fail(path, failure)
      case 74..<75: harness.answerListings(failing: .EIO)
      case 75..<80: remote()
      case 80..<82: replace()
      case 82..<84: forget()
      default: harness.run(to: harness.now + .milliseconds(Int64.random(in: 0...200, using: &random)))
      }
      for request in requests { if let handle = harness.handle(of: request) { handles.append(handle) } }
      requests.removeAll { harness.replies[$0] != nil }
    }

    private func kernelRequest() {
      guard let node = someNode else { return }
      let name = path.names.last ?? "a"
      let operation: ProviderModel.Operation
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2: operation = .lookup(parent: node, name: name)
      case 3: operation = .openDirectory(node)
      case 4:
        operation = .setAttribute(
          node, name: Array("user.fakeprovider.do".utf8),
          value: Array(
            (["download", "evict", "start", "stop", "x"].randomElement(using: &random) ?? "").utf8))
      case 5: operation = .getAttribute(node, name: Array("user.fakeprovider.progress".utf8), capacity: 9)
      case 6: operation = .change(node, .setAttributes)
      default: operation = .open(node, writes: false)
      }
      requests.append(harness.request(operation, by: actor))
    }

    private func read(_ handle: HandleID) {
      let offset = Int64.random(in: 0...300_000, using: &random)
      let operation: ProviderModel.Operation =
        Int.random(in: 0..<5, using: &random) == 0
        ? .readDirectory(handle, cookie: offset % 5, capacity: 400, plus: offset % 2 == 0)
        : .read(handle, offset: offset, length: offset % 4_097)
      requests.append(harness.request(operation, by: actor))
      if Int.random(in: 0..<20, using: &random) == 0 { harness.tell(.completed(.changed(handle))) }
    }

    private func release() {
      guard let index = handles.indices.randomElement(using: &random) else { return }
      harness.release(handles.remove(at: index))
    }

    private func control() {
      let app = Bool.random(using: &random) ? nil : actor.app
      let kind: Intent.Kind = Bool.random(using: &random) ? .read : .write
      let intents = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        Intent(path: folderOrPath, kind: kind)
      }
      let someone = actor
      let claims = harness.events(.claimGranted).compactMap(\.claim)
      let hold = holds.randomElement(using: &random) ?? "x"
      let command: Command
      switch Int.random(in: 0..<22, using: &random) {
      case 0: command = .pick([path], app: app)
      case 1: command = .start(path, covers: .process)
      case 2: command = .stop(path)
      case 3: command = .download([path, folderOrPath])
      case 4, 5: command = .evict([folderOrPath])
      case 6:
        command = .revoke(
          [path], app: app, byUser: Bool.random(using: &random), reads: Bool.random(using: &random))
      case 7: command = .restore([path], app: app)
      case 8, 9:
        let operation = OperationName.allCases.randomElement(using: &random) ?? .read
        let point = operation == .read || operation == .download ? HoldPoint.millionths(400_000) : nil
        command = .hold(operation, path, at: point, name: nil)
      case 10: command = .release(hold, error: Bool.random(using: &random) ? .EIO : nil)
      case 11: command = .wait(.state(path, .local))
      case 12: command = .wait(.hold(hold))
      case 13: command = .coordinate(intents, purpose: ["", "p"].randomElement(using: &random) ?? "")
      case 14: command = .finish(claims.randomElement(using: &random) ?? ClaimID(1))
      case 15: command = .addRule(rule)
      case 16: command = .removeRule("r\(Int.random(in: 0..<4, using: &random))")
      case 17: command = .status([path])
      case 18: command = .rules
      case 19: command = .cancel(request: harness.asked[someone.session]?.keys.sorted().first ?? 0)
      case 20: command = .pin([folderOrPath])
      case 21: command = .unpin([folderOrPath])
      default: command = .holds
      }
      let number = harness.begin(command, by: someone)
      if case .hold(let name) = harness.answer(number, of: someone) { holds.append(name) }
      if let limit = harness.limits.last, Int.random(in: 0..<4, using: &random) == 0 {
        harness.tell(.limitReached(limit.session, number: limit.number))
      }
    }

    private var rule: Rule {
      let disturbances: [Disturbance?] = [
        .fail(.errno(.EIO)), .fail(.provider(.serverUnreachable)), .hold("x"), .stall,
        .content(.short(.bytes(100))), .content(.altered(.bytes(1))), .size(.zero),
        .size(.growing(from: .bytes(1), step: 100, every: .milliseconds(10))), nil,
      ]
      let changes: [RuleChange] = [
        .evict, .revoke, .replace(.rename, gap: .zero), .replace(.recreate, gap: .milliseconds(5)),
      ]
      var rule = Rule(
        name: "r\(Int.random(in: 0..<4, using: &random))",
        operations: [OperationName.allCases.randomElement(using: &random) ?? .read],
        effect: RuleEffect(
          delay: .fixed(.milliseconds(Int64.random(in: 0...20, using: &random))),
          changes: Bool.random(using: &random) ? [] : [changes.randomElement(using: &random) ?? .evict],
          disturbance: disturbances.randomElement(using: &random) ?? nil))
      rule.probability = Int64.random(in: 1...1_000_000, using: &random)
      rule.path = Bool.random(using: &random) ? nil : Glob("d/**")
      rule.occurrence.times = Bool.random(using: &random) ? nil : 2
      return rule
    }

    private var failure: ProviderError {
      let names: [FileProviderErrorName] = [
        .serverUnreachable, .notAuthenticated, .providerDomainTemporarilyUnavailable, .noSuchItem,
      ]
      return names.randomElement(using: &random).map { .provider($0) } ?? .fault(.EIO)
    }

    private func source() { harness.source.edit(path, size: Int64.random(in: 0...300_000, using: &random)) }

    private func remote() {
      let content = NewContent(
        .synthetic(size: Int64.random(in: 0...300_000, using: &random), seed: 1),
        appends: Bool.random(using: &random))
      let name = path.names.last ?? "a"
      let path = place
      let change: RemoteChange
      switch Int.random(in: 0..<9, using: &random) {
      case 0...2: change = .write(path, content, keepsModified: Bool.random(using: &random))
      case 3: change = .prepare(path, content)
      case 4: change = .move(path, to: place)
      case 5: change = .rename(path, name)
      case 6: change = .delete(path)
      case 7: change = .makeDirectory(path)
      default: change = .conflict(path, Bool.random(using: &random) ? content : nil)
      }
      let number = harness.begin(.remote(change, at: FileTime(seconds: 1)), by: actor)
      if let limit = harness.limits.last, Int.random(in: 0..<6, using: &random) == 0 {
        harness.tell(.limitReached(limit.session, number: limit.number))
      }
      if Int.random(in: 0..<10, using: &random) == 0 { harness.makeBlobs(failing: .content(.ENOSPC, "full")) }
      if Int.random(in: 0..<10, using: &random) == 0 { harness.begin(.cancel(request: number), by: actor) }
      if Int.random(in: 0..<10, using: &random) == 0 { harness.begin(.relieve(100_000), by: actor) }
    }

    private var folderOrPath: ItemPath {
      Bool.random(using: &random) ? path : ["d", "d/e", ItemPath()].randomElement(using: &random) ?? path
    }

    private var place: ItemPath {
      (`A random run`.paths + ["d", "d/e", "new", "new/a", "A", "D/B", "\u{DC}b", "U\u{308}B"]).randomElement(
        using: &random) ?? ItemPath()
    }

    private func replace() {
      harness.replace(
        path, by: Bool.random(using: &random) ? .rename : .recreate,
        gap: Bool.random(using: &random) ? .zero : .milliseconds(100))
    }

    /// As the kernel does with what nobody has open or asks for.
    private func forget() {
      if requests.isEmpty, let node = someNode, node != .root, !harness.isOpen(node) { harness.forget(node) }
    }

    private func endSomeone() {
      guard let index = actors.indices.randomElement(using: &random) else { return }
      let actor = actors.remove(at: index)
      if Bool.random(using: &random) {
        harness.leave(actor)
      } else {
        harness.forget(actor)
        harness.end(actor.process)
      }
      join()
    }

    func finish(_ reached: inout Reached) {
      harness.makeBlobs()
      harness.childError = nil
      harness.runChild()
      reached.stopped += harness.unanswered.count
      // What the child asks of a provider that stops is answered so.
      harness.childError = .ECONNABORTED
      harness.tell(.stop)
      harness.expectNobodyWaits()
      harness.isPrompt = true
      harness.answerListings()
      harness.answerOpenings()
      for handle in harness.openHandles { harness.release(handle) }
      if !harness.sourceFiles.isEmpty { harness.fail("files stay open: \(harness.sourceFiles)") }
      for path in `A random run`.paths {
        if let count = harness.handleCount(path), count > 0 { harness.fail("\(path) is open") }
      }
      harness.makeBlobs()
      harness.childError = .ECONNABORTED
      harness.runChild()
      for handle in harness.openHandles { harness.release(handle) }
      harness.run(to: harness.now + .seconds(1_000_000))
      for (node, count) in harness.lookups where harness.lookupCount(node) != count {
        harness.fail("lookups of \(node)")
      }
      if harness.nextDeadline != nil, harness.events(.held).isEmpty { harness.fail("something is still due") }
      if harness.waiterCount > 0 { harness.fail("someone waits for content") }
      reached.orphaned += harness.orphanCount
      for node in harness.lookups.keys.map(\.rawValue).sorted() { harness.forget(NodeID(rawValue: node)) }
      for actor in actors + [harness.client, harness.app] { harness.leave(actor) }
      harness.dropHolds()
      if harness.orphanCount > 0 { harness.fail("\(harness.orphanCount) removed items keep their place") }
      harness.expectRightCounts()
      for reply in harness.replies.values {
        switch reply {
        case .content: reached.served += 1
        case .error(.interrupted): reached.interrupted += 1
        case .error(.accessNotGranted), .error(.accessRevoked): reached.refused += 1
        default: break
        }
      }
      reached.pinned += harness.events(.pinned).count
      for answers in harness.answers.values.joined() {
        reached.kept += answers.value.count {
          if case .failure(.provider(.nonEvictable), _) = $0 { true } else { false }
        }
      }
      reached.parked += harness.events(.held).count
      reached.revoked += harness.events(.revoked).count
      reached.evicted += harness.events(.evicted).count
      reached.changed += harness.events(.sourceChanged).count
      reached.granted += harness.events(.claimGranted).count
      reached.written += harness.events(.remoteChanged).count
      reached.moved += harness.events(.remoteMoved).count
      reached.deleted += harness.events(.remoteDeleted).count
      reached.conflicted += harness.events(.remoteConflict).count
      reached.replaced += harness.events(.replaced).count
      reached.waited += harness.waitedChanges
      reached.reused += harness.seenNodes.count { $0.generation > 0 }
    }
  }
}
