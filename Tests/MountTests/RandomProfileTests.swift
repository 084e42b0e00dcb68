import Foundation
import ProviderModel
import ProviderProfiles
import ProviderTesting
import Testing

/// Profiles by chance, mounted, against one client that asks `explain` before each of its calls.
@Suite(.serialized) struct `A mounted profile by chance` {
  private static let isStress = ProcessInfo.processInfo.environment["FAKEPROVIDER_STRESS"] != nil
  private static let seeds: Range<UInt64> = isStress ? 0..<300 : 0..<30
  private static let paths = ["Letter.pdf", "a/b.pdf", "a/c.txt", "Recent/d.pdf", "empty"]

  private let source: SourceFolder

  init() throws {
    source = try SourceFolder([
      "Letter.pdf": content(10_000), "a/b.pdf": content(50_000), "a/c.txt": content(10),
      "Recent/d.pdf": content(1_000), "empty": Data(),
    ])
  }

  /// Without rules on what the kernel asks by itself, as often as it likes, and without what goes by the time of
  /// day: whoever moves the clock while a call waits moves it once more after its answer, now and then.
  private func profile(_ seed: UInt64) throws -> String {
    var sampler = ProfileSampler(paths: Self.paths.compactMap { ProviderModel.ItemPath($0) })
    sampler.longest = .seconds(1_000)
    sampler.slowest = 1_000
    var profile = sampler.profile(seed: seed)
    profile.rules.removeAll { !Set($0.operations).isDisjoint(with: [.lookup, .getattr, .opendir, .readdir]) }
    profile.events = []
    profile.rules.removeAll { rule in
      rule.effect.changes.contains { change in
        switch change {
        case .replace, .provider(_, duration: .some): true
        case .evict, .revoke, .update, .conflict, .provider(_, duration: nil): false
        }
      }
    }
    for index in profile.rules.indices {
      profile.rules[index].window = Rule.Window()
      profile.rules[index].untilEvent = nil
    }
    let path = source.path + "/../sample-\(UUID().uuidString).json"
    try Data(ProfileWriter.json(profile).utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Time moves while a call waits; a call that would wait for ever is not made.
  private static let client = """
    client = Provider()
    clock = Provider()
    client.call("pick", path=".")
    def waiting(body):
        said = []
        def work():
            try: said.append(body())
            # Linux has two names for it.
            except OSError as problem: said.append(errno.errorcode[problem.errno].replace("EDEADLOCK", "EDEADLK"))
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            clock.call("clock", action="advanceToNext")
            thread.join(0)
        return said[0]
    def foretold(path, operation):
        explained = client.call("explain", path=path, operation=operation)
        if not explained["ok"]: return "unknown"
        explained = explained["explanation"]
        return explained["error"]["errno"] if explained["outcome"] == "fails" else explained["outcome"]
    def first(path):
        file = os.open(at(path), os.O_RDONLY)
        try: return f"served {len(os.read(file, 1))}"
        finally: os.close(file)
    if foretold(".", "start") in ("served", "EPERM"):
        say("start", waiting(lambda: client.call("start", path=".")["started"]))
    for path in sys.argv[1:] * 3:
        if waiting(lambda: os.path.exists(at(path))) is not True: continue
        wanted = foretold(path, "read")
        if wanted in ("held", "waits"):
            say(path, wanted)
            continue
        was = waiting(lambda: first(path))
        say(path, was)
        if was.split()[0] != wanted: say("NOT AS FORETOLD", path, wanted)
        client.call("evict", path=path)
    """

  @Test(arguments: seeds)
  func `does what is foretold, twice the same, and ends`(seed: UInt64) async throws {
    let profile = try profile(seed)
    defer { unlink(profile) }
    func run() async throws -> [String] {
      try await withProvider(profile: profile, source: source.source, clock: .manual) { provider in
        try await lines(Self.client, Self.paths, in: provider)
      }
    }
    let said = try await run()
    #expect(!said.contains { $0.hasPrefix("NOT") }, "seed \(seed): \(said)")
    let again = try await run()
    #expect(again == said, "seed \(seed)")
  }
}
