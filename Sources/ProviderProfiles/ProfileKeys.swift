package import ProviderModel

// The one table of a profile's keys. What a file may say, what it says by default, what `show` prints, the schema, the
// reference in docs/profiles.md and the profiles of ProfileSampler all come from here.
//
// To add a key:
// 1. Give `Profile` (ProviderModel/Behavior/Profile.swift) a place for it, with its default.
// 2. Add one row below, in the order in which it is to be shown: `.word`, `.number`, `.latency`, `.span`, `.flag`, … where
//    the value is kept as it is, else `.row` with the way there and back, or `Key` for a value that is part of another.
//    A new object needs a line in `groups`, a new type of value a case in ProfileValueType (the compiler then asks for
//    its reader, its writer, its schema, its words in the reference, and its values by chance).
// 3. Values that contradict each other: ProfileChecks (between keys of a profile), RuleChecks (within a rule).
// 4. `make profiles` writes provider-profiles/schema.json and the reference in docs/profiles.md anew; the list in
//    docs/design.md is by hand, and its test prints what it should be.

package enum ProfileKeys {
  package static let schemaVersion: UInt64 = 1
  /// The longest delay that a profile can ask for: a day.
  package static let longestDelay = Span(nanoseconds: 86_400_000_000_000)
  static let someTime = Span(nanoseconds: 1)...longestDelay

  package static let all: [ProfileKey] = [
    ProfileKey(
      "$schema", .text(bytes: 0...2_000),
      summary: "Address of the schema, for editors; not read.",
      get: { _ in nil }, set: { _, _ in true }),
    ProfileKey(
      "extends", .text(bytes: 1...4_096),
      summary:
        "The profile that this one takes over what it does not say from: a shipped one's name, or a path"
        + " from this file's folder.",
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
    .texts(
      "basis.sources", \.basis.sources, count: 0...100, bytes: 1...2_000,
      summary: "Addresses of what the numbers were taken from."),
    .word("kind", \.kind, summary: "Which kind of provider it is."),
    .number(
      "seed", \.seed, 0...UInt64.max,
      summary: "Where chance begins: with the same seed, the same things happen."),
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
    .globs(
      "items.local", \.items.local, count: 0...1_000, bytes: 1...1_024,
      summary: "Patterns of paths that are local from the start, whatever items.initial says."),
    .globs(
      "items.pinned", \.items.pinned, count: 0...1_000, bytes: 1...1_024,
      summary:
        "Patterns of items, or of folders with all that is in them, that are local from the start, never evicted, and"
        + " downloaded by themselves when they are new or changed."),
    .globs(
      "items.packages", \.items.packages, count: 0...1_000, bytes: 1...1_024,
      summary:
        "Patterns of folders that are one document: downloaded, evicted and read in coordination as a whole."),
    .globs(
      "items.datalessFolders", \.items.datalessFolders, count: 0...1_000, bytes: 1...1_024,
      summary: "Patterns of folders that only the server knows the contents of, until they are first listed."),
    .word(
      "items.onRemoteUpdate", \.items.onRemoteUpdate,
      summary:
        "What becomes of a local copy when the server has a newer version: it stays, out of date, or it is evicted"
        + " as soon as nobody has it open."),
    .room(
      "items.localLimit", \.items.localLimit, 1...Int64.max,
      summary:
        "What local copies may take; beyond it, those opened longest ago are evicted after each download."),
    .word(
      "items.placeholders", \.items.placeholders,
      summary:
        "What stands in a folder for a file that is not here: the file itself, dataless, or a stub under another"
        + " name, .NAME.icloud or NAME and items.placeholderSuffix, until a download turns it into the file."),
    .text(
      "items.placeholderSuffix", \.items.placeholderSuffix, bytes: 1...64,
      summary: "What stubs' names end in, with \"placeholders\": \"suffix\"."),
    .globs(
      "items.pointers", \.items.pointers, count: 0...1_000, bytes: 1...1_024,
      summary:
        "Patterns of files that only point to a document of the server: always local, never evicted, a small JSON"
        + " object each."),
    .word(
      "naming.case", \.naming.case,
      summary: "Whether names that differ in case alone are two; insensitive keeps names as they are."),
    .word(
      "naming.normalization", \.naming.normalization,
      summary:
        "Whether names that differ in Unicode's normal form alone are two (preserve), or one: kept as it is"
        + " (insensitive), or shown decomposed (nfd) or composed (nfc)."),
    .latency(
      "download.latency", \.download.latency, summary: "From a download's request to its first byte."),
    .bandwidth(
      "download.bandwidth", \.download.bandwidth, 1...100_000_000_000,
      summary: "How fast content arrives, shared by the transfers under way; or unlimited."),
    .bandwidth(
      "download.itemBandwidth", \.download.itemBandwidth, 1...100_000_000_000,
      summary: "How fast the content of one item arrives at most, however much is free; or unlimited."),
    .number(
      "download.concurrency", \.download.concurrency, 1...128,
      summary: "Transfers under way at once; the others queue."),
    SlowStartKeys.bandwidth, SlowStartKeys.length,
    .objects(
      "download.stalls", \.download.stalls, StallKeys.table, count: 0...1_000,
      summary: "Where downloads come to a standstill, or nearly; each that matches an item applies."),
    .word(
      "download.trigger", \.download.trigger,
      summary: "What downloads a dataless item: its first read, or its open, which waits for all of it."),
    .flag(
      "download.partial", \.download.partial,
      summary:
        "Whether what has arrived can be read while the rest is on its way; else nothing can before all has."),
    .patience(
      "download.timeout", \.download.timeout, someTime,
      summary: "How long a plain reader waits for an item whose download fails, while that is tried again."),
    .span(
      "download.retryInterval", \.download.retryInterval, someTime,
      summary: "From a failed download to the next try; twice as long after each failure, up to "
        + "\(Profile.Download.longestRetry.text)."),
    .latency("latency.lookup", \.latency.lookup, summary: "Delay of each look for a name in a folder."),
    .latency("latency.getattr", \.latency.getattr, summary: "Delay of each stat of an item."),
    .latency("latency.readlink", \.latency.readlink, summary: "Delay of each reading of a symbolic link."),
    .latency("latency.open", \.latency.open, summary: "Delay of each open of a file."),
    .latency(
      "latency.read", \.latency.read,
      summary: "Delay of the first read of a file after it was opened, whether the file is local or not."),
    .latency(
      "latency.list", \.latency.list,
      summary: "Delay of the first reading of a directory after it was opened."),
    .latency(
      "latency.attributes", \.latency.attributes,
      summary: "Delay of each reading of an extended attribute, or of their names."),
    .row(
      "conditions.throttledBandwidth", .rate(1...100_000_000_000), \.conditions.throttledBandwidth,
      summary: "How fast content arrives while the provider is throttled, shared.",
      wrap: { .rate($0) }, unwrap: { if case .rate(let rate) = $0 { rate } else { nil } }),
    .word(
      "process.materialize", \.process.materialize,
      summary: "Whether processes may have content downloaded by reading it; else they get EDEADLK."),
    .texts(
      "process.forbid", \.process.forbid, count: 0...1_000, bytes: 1...4_096,
      summary: "Apps that may not, by their identifiers or executables, whatever process.materialize says."),
    .patience(
      "picker.purgeAfter", \.picker.purgeAfter, someTime,
      summary: "How long the copies stay that pick --as-copy makes; then they are gone."),
    .row(
      "errors",
      .mapping(
        "names of the provider's errors, each with the name of an errno",
        from: FileProviderErrorName.allCases.map(\.rawValue), to: ErrnoName.allCases.map(\.rawValue)),
      \.errors, summary: "What plain callers get for the provider's errors, where it is not the usual.",
      wrap: { errors in
        .mapping(
          Dictionary(errors.map { ($0.rawValue, $1.rawValue) }, uniquingKeysWith: { first, _ in first }))
      },
      unwrap: { value in
        guard case .mapping(let words) = value else { return nil }
        var errors: [FileProviderErrorName: ErrnoName] = [:]
        for (error, errno) in words {
          guard let error = FileProviderErrorName(rawValue: error) else { return nil }
          errors[error] = ErrnoName(rawValue: errno)
        }
        return errors
      }),
    .nameGlobs(
      "journal.ignore", \.journal.ignore, count: 0...1_000, bytes: 1...255,
      summary:
        "Patterns of names whose looking up leaves no event: what desktops probe. Access to them always does."
    ),
    .objects(
      "rules", \.rules, RuleKeys.table, count: 0...10_000,
      summary: "What befalls operations; the first that matches decides."),
    .objects(
      "events", \.events, EventKeys.table, count: 0...10_000,
      summary: "What the provider does by itself, at moments of its own time."),
  ]

  /// The objects that keys stand in.
  package static let groups: [KeyGroup] = [
    KeyGroup("basis", "What the profile stands on."),
    KeyGroup("access", "Who may open what."),
    KeyGroup("items", "What is there at the start."),
    KeyGroup("naming", "Which names are one, and how they are shown."),
    KeyGroup("download", "How content arrives."),
    KeyGroup("download.slowStart", "Less bandwidth from the provider's start on, for a while."),
    KeyGroup("latency", "Delays of single operations."),
    KeyGroup("conditions", "What the provider as a whole can be."),
    KeyGroup("process", "What the system lets processes do."),
    KeyGroup("picker", "What the document picker does."),
    KeyGroup("journal", "What is written down."),
  ]

  package static let table = KeyTable(
    noun: "profile", keys: all, groups: groups, make: { Profile(name: "") },
    check: ProfileChecks.check)

  /// What a key has when a file does not give it; nil where a file has to, and for `$schema`.
  package static func defaultValue(of key: ProfileKey) -> ProfileValue? {
    table.outline.key(key.path)?.defaultValue
  }
}
