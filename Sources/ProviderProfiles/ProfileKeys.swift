package import ProviderModel

// The one table of a profile's keys. What a file may say, what it says by default, what `show` prints, and
// the references made from them all come from here.

package enum ProfileKeys {
  package static let schemaVersion: UInt64 = 1
  /// The longest delay that a profile can ask for: a day.
  package static let longestDelay = Span(nanoseconds: 86_400_000_000_000)

  package static let all: [ProfileKey] = [
    ProfileKey(
      "$schema", .text(bytes: 0...2_000),
      summary: "Address of the schema, for editors; not read.",
      get: { _ in nil }, set: { _, _ in true }),
    ProfileKey(
      "schemaVersion", .wholeNumber(schemaVersion...schemaVersion), isRequired: true,
      summary: "Version of the format of this file.",
      get: { _ in .wholeNumber(schemaVersion) }, set: { _, _ in true }),
    .text(
      "name", \.name, bytes: 1...100, isRequired: true,
      summary: "What the profile is called; a shipped profile's file has the same name."),
    .text("summary", \.summary, bytes: 0...1_000, summary: "What the profile is for, on one line."),
    .word("basis.standing", \.basis.standing, summary: "What the profile's numbers stand on."),
    ProfileKey(
      "basis.sources", .texts(count: 0...100, bytes: 1...2_000),
      summary: "Addresses of what the numbers were taken from.",
      get: { .texts($0.basis.sources) },
      set: { value, profile in
        guard case .texts(let sources) = value else { return false }
        profile.basis.sources = sources
        return true
      }),
    .word("kind", \.kind, summary: "Which kind of provider it is."),
    ProfileKey(
      "seed", .wholeNumber(0...UInt64.max),
      summary: "Where chance begins: with the same seed, the same things happen.",
      get: { .wholeNumber($0.seed) },
      set: { value, profile in
        guard case .wholeNumber(let seed) = value else { return false }
        profile.seed = seed
        return true
      }),
    .word("io", \.io, summary: "How requests reach the provider: observed sees every read."),
    .word(
      "access.mode", \.access.mode,
      summary: "On a device, access has to be started; in the simulator nobody is asked."),
    .number(
      "access.scopeLimit", \.access.scopeLimit, 1...1_000_000,
      summary: "Scopes that one process may have started at once."),
    .word(
      "access.inheritScopes", \.access.inheritScopes,
      summary: "Whether child processes have the access that their parent started."),
    .word("items.initial", \.items.initial, summary: "What this machine has of each file at the start."),
    ProfileKey(
      "items.local", .globs(count: 0...1_000, bytes: 1...1_024),
      summary: "Patterns of paths that are local from the start, whatever items.initial says.",
      get: { .globs($0.items.local) },
      set: { value, profile in
        guard case .globs(let globs) = value else { return false }
        profile.items.local = globs
        return true
      }),
    .latency(
      "download.latency", \.download.latency, summary: "From a download's request to its first byte."),
    ProfileKey(
      "download.bandwidth", .bandwidth(1...100_000_000_000),
      summary: "How fast content arrives, shared by the transfers under way; or unlimited.",
      get: { .bandwidth($0.download.bandwidth) },
      set: { value, profile in
        guard case .bandwidth(let bandwidth) = value else { return false }
        profile.download.bandwidth = bandwidth
        return true
      }),
    .number(
      "download.concurrency", \.download.concurrency, 1...128,
      summary: "Transfers under way at once; the others queue."),
    .latency("latency.open", \.latency.open, summary: "Delay of each open of a file."),
    .latency(
      "latency.list", \.latency.list,
      summary: "Delay of the first reading of a directory after it was opened."),
  ]

  /// The objects that keys stand in.
  package static let groups: [(path: String, summary: String)] = [
    ("basis", "What the profile stands on."),
    ("access", "Who may open what."),
    ("items", "What is there at the start."),
    ("download", "How content arrives."),
    ("latency", "Delays of single operations."),
  ]

  package static func key(_ path: String) -> ProfileKey? { byPath[path] }

  package static func isGroup(_ path: String) -> Bool { groups.contains { $0.path == path } }

  /// What a key has when a file does not give it; nil where a file has to, and for `$schema`.
  package static func defaultValue(of key: ProfileKey) -> ProfileValue? {
    key.isRequired ? nil : key.get(Profile(name: ""))
  }

  /// The key or group that somebody who wrote `path` may have meant.
  package static func nearest(to path: String) -> String? {
    let (group, name) = parted(path)
    // A key in the wrong place is meant, not misspelled.
    if let moved = all.first(where: { parted($0.path).name == name }) { return moved.path }
    let siblings = (all.map(\.path) + groups.map(\.path)).filter { parted($0).group == group }
    return Nearest.word(to: path, among: siblings)
  }

  static func parted(_ path: String) -> (group: String, name: String) {
    guard let dot = path.utf8.lastIndex(of: 0x2E) else { return ("", path) }
    return (String(path[..<dot]), String(path[path.utf8.index(after: dot)...]))
  }

  private static let byPath = Dictionary(all.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
}
