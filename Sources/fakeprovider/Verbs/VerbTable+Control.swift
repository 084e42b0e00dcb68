import ProviderControl
import ProviderModel

// Verbs that ask a mounted provider for something.

extension VerbTable {
  static let content = [
    VerbSpec(
      name: "download", summary: "makes items local", options: [json], positionals: somePaths,
      examples: [Example(command: "fakeprovider download /tmp/cloud/*.pdf", says: "all PDFs of a folder")]),
    VerbSpec(
      name: "evict", summary: "drops the local copy of items",
      options: [
        .value("--pressure", "SIZE", "what was opened longest ago, until so much is free"), provider, json,
      ],
      positionals: [Positional(name: "PATH", count: .any)],
      details: """
        Waits up to a second for closes that are under way; an item still open then fails with EBUSY. With
        --pressure the provider chooses: what is open or claimed stays, and exit 1 says that too little was free.
        """,
      examples: [
        Example(command: "fakeprovider evict /tmp/cloud/Letter.pdf", says: "dataless again"),
        Example(command: "fakeprovider evict --pressure 100MB", says: "what a full disk would do"),
      ]),
    VerbSpec(
      name: "remote", summary: "changes the server's content, as another device does",
      options: [
        .value("--from", "FILE", "with write and conflict: the bytes of FILE"),
        .value("--text", "T", "this text"),
        .value("--append", "T", "with write: this text after what is there"),
        .value("--append-from", "FILE", "with write: the bytes of FILE after what is there"),
        .value("--size", "N", "so many bytes, like 4096 or 10MB, made from --seed"),
        .value("--seed", "S", "a whole number (default 1)"),
        .flag("--keep-mtime", "with write: the modification time stays as it was"),
        .flag("--on-replace", "with write: nothing changes until a rule replaces the item"), json,
      ],
      positionals: [
        Positional(name: "ACTION", choices: RequestLine.remoteActions), Positional(name: "PATH"),
        Positional(name: "TO", count: .optional),
      ],
      exclusive: [
        ["--from", "--text", "--append", "--append-from", "--size"], ["--keep-mtime", "--on-replace"],
      ],
      details: """
        write PATH: another content, or a new file. A local copy becomes stale: plain opens go on to get it until
        a coordinated read or `download` brings the new version. move PATH TO, rename PATH NAME, delete PATH and
        mkdir PATH do as they say; where a name is taken the provider makes one ("a 2.pdf"). conflict PATH:
        another device changed it, too. Whoever watches the mount (inotify) sees it. While a held operation has
        a folder's lock in the kernel, a change there says what it waits for and applies after that. Where the
        item is now is printed.
        """,
      examples: [
        Example(
          command: "fakeprovider remote write /tmp/cloud/Notes.txt --text 'from another device'",
          says: "a newer version on the server"),
        Example(
          command: "fakeprovider remote move /tmp/cloud/Letter.pdf /tmp/cloud/Recent",
          says: "into another folder"),
        Example(
          command: "fakeprovider remote conflict /tmp/cloud/Letter.pdf --text theirs", says: "two versions"),
      ]),
  ]

  static let control = [
    VerbSpec(
      name: "hold", summary: "parks the next OPERATION on PATH until it is released",
      options: [
        .value("--at", "POINT", "a share of the file like 40%, or a byte like 65536"),
        .value("--name", "H", "what to call it; without it a name is made up and printed"), json,
      ],
      positionals: [
        Positional(name: "OPERATION", choices: OperationName.allCases.map(\.rawValue)),
        Positional(name: "PATH"),
      ],
      examples: [
        Example(
          command: "fakeprovider hold download /tmp/cloud/Letter.pdf --at 40% --name stuck",
          says: "the next download stops at 40 %"),
        Example(
          command: "fakeprovider wait hold:stuck --timeout 10s", says: "until a reader has run into it"),
        Example(command: "fakeprovider release stuck", says: "and let it go on"),
      ]),
    VerbSpec(
      name: "holds", summary: "lists holds and what is parked at each", options: [provider, json],
      examples: [Example(command: "fakeprovider holds", says: "who waits where")]),
    VerbSpec(
      name: "release", summary: "lets go of what is parked at hold H",
      options: [
        .value("--error", "E", "fails it instead, with an errno's name like ETIMEDOUT"), provider, json,
      ],
      positionals: [Positional(name: "H")],
      examples: [
        Example(command: "fakeprovider release stuck", says: "it goes on"),
        Example(command: "fakeprovider release stuck --error ETIMEDOUT", says: "it fails"),
      ]),
    VerbSpec(
      name: "rule", summary: "adds, lists or removes rules: what befalls which operations",
      options: [provider, json],
      positionals: [
        Positional(name: "ACTION", count: .optional, choices: ["list", "add", "remove", "clear"]),
        Positional(name: "RULE", count: .optional),
      ],
      details: """
        add takes a rule as a profile has it, as JSON or - for standard input; it is in force when the command
        returns, for opens that come later, and comes before the rules that are there. remove takes a name; what a
        rule had parked then goes on.
        """,
      examples: [
        Example(
          command:
            #"fakeprovider rule add '{"name": "lost", "on": "open", "path": "**/*.pdf", "effect": {"error": "EIO"}}'"#,
          says: "no PDF opens any more"),
        Example(command: "fakeprovider rule list", says: "with how often each has struck"),
        Example(command: "fakeprovider rule remove lost", says: "and they open again"),
      ]),
    VerbSpec(
      name: "explain", summary: "says what would happen to OPERATION on PATH now, and why",
      options: [
        .value("--app", "ID", "whose operation it is; else this program's"),
        .value("--at", "POINT", "where in the file, like 40% or 65536"), json,
      ],
      positionals: [
        Positional(name: "PATH"),
        Positional(name: "OPERATION", choices: OperationName.allCases.map(\.rawValue)),
      ],
      details: """
        The operation runs on a copy of the provider, so nothing changes. A read is one of a new open. Rules that
        would not strike, but nearly would, are listed with the reason.
        """,
      examples: [
        Example(
          command: "fakeprovider explain /tmp/cloud/Letter.pdf read --app com.example.notes",
          says: "why that app cannot read it")
      ]),
    VerbSpec(
      name: "provider",
      summary: "makes the provider as a whole offline, signed out and so on, or says what it is",
      options: [
        .value("--for", "T", "then it is online again; in provider time, like 5s or 2m"), provider, json,
      ],
      positionals: [
        Positional(
          name: "CONDITION", count: .optional, choices: ProviderCondition.allCases.map(\.rawValue))
      ],
      details: "docs/conditions.md says what each kind of access gets in each condition.",
      examples: [
        Example(command: "fakeprovider provider offline --for 10m", says: "a tunnel"),
        Example(command: "fakeprovider provider signed-out", says: "until somebody signs in:"),
        Example(command: "fakeprovider provider online", says: "whoever waited is tried again at once"),
      ]),
    VerbSpec(
      name: "device", summary: "locks or unlocks the device: no file opens or can be read while it is locked",
      options: [provider, json], positionals: [Positional(name: "ACTION", choices: ["lock", "unlock"])],
      examples: [Example(command: "fakeprovider device lock", says: "opens and reads fail with EPERM")]),
    VerbSpec(
      name: "app", summary: "suspends, resumes or kills an app: all its processes that the provider has met",
      options: [provider, json],
      positionals: [
        Positional(name: "ACTION", choices: AppAction.allCases.map(\.rawValue)), Positional(name: "APP"),
      ],
      details: """
        With each process goes what it has started. A suspended app keeps its claims: who needs them waits. When the
        provider ends, what is still suspended goes on.
        """,
      examples: [
        Example(command: "fakeprovider app suspend com.example.notes", says: "as in the background"),
        Example(command: "fakeprovider app kill com.example.notes", says: "as from the app switcher"),
      ]),
    VerbSpec(
      name: "wait", summary: "waits until CONDITION is true; exit 1 when it is not in time",
      options: [.value("--timeout", "T", "in real time, like 500ms or 2m; else 60s"), provider, json],
      positionals: [Positional(name: "CONDITION")],
      details: """
        A condition is hold:H (something is parked there), state:PATH=S (dataless, downloading, local or stale)
        or event:NAME (the next one of that name). It waits in real time, whatever the provider's clock says.
        """,
      examples: [
        Example(command: "fakeprovider wait hold:stuck --timeout 10s", says: "something is parked"),
        Example(
          command: "fakeprovider wait state:/tmp/cloud/Letter.pdf=local --timeout 1m",
          says: "a file has arrived"),
      ]),
    VerbSpec(
      name: "clock", summary: "shows or moves provider time",
      options: [
        .flag("--to-next", "with advance: to the next moment at which something is due"), provider, json,
      ],
      positionals: [
        Positional(name: "ACTION", count: .optional, choices: ["advance", "scale", "pause", "resume"]),
        Positional(name: "VALUE", count: .optional),
      ],
      details: "advance takes a length like 800ms, 60s or 2m; scale takes a whole number.",
      examples: [
        Example(command: "fakeprovider clock", says: "what time it is there"),
        Example(command: "fakeprovider clock advance 60s", says: "a minute later (manual clock)"),
        Example(command: "fakeprovider clock advance --to-next", says: "until something happens"),
        Example(command: "fakeprovider clock scale 100", says: "a hundred times as fast"),
      ]),
    VerbSpec(
      name: "events", summary: "shows what happened",
      options: [
        .flag("--follow", "goes on as events come, until Ctrl-C"),
        .flag("--all", "also what only looked around"),
        .repeated("--operation", "OP,…", "only these operations, like open,read,download"),
        .repeated("--name", "EVENT,…", "only events of these names, like held,evicted"),
        .value("--path", "GLOB", "only what is about items that match"),
        .value("--app", "APP", "only what this app did: an identifier, or its executable"), provider, json,
      ],
      details: """
        Paths are relative to the provider's root. --follow exits 0 when the provider ends. What looks around
        (\(EventFilter.lookingAround.joined(separator: ", "))) and meets nothing out of the
        ordinary is left out of the table unless --all or --operation asks for it; --json has it always.
        """,
      examples: [
        Example(command: "fakeprovider events", says: "so far"),
        Example(command: "fakeprovider events --follow --json", says: "as it happens, one JSON line each"),
        Example(
          command: "fakeprovider events --operation open,read --path '**/*.pdf'",
          says: "who got at the documents"),
      ]),
    VerbSpec(
      name: "top", summary: "shows what goes on, live on a terminal, with keys to hold, release and more",
      options: [.flag("--once", "prints one screen and ends; needs no terminal"), json],
      positionals: [Positional(name: "MOUNT", count: .optional)],
      exclusive: [["--once", "--json"]],
      details: """
        Items in motion, who waits at what, scopes, claims, rules with their hits, the clock. ? lists the keys.
        The terminal needs 80 columns and 24 rows. q quits; the provider goes on. --json prints one screen's facts.
        """,
      examples: [
        Example(command: "fakeprovider top /tmp/cloud", says: "in a terminal of its own, beside your work"),
        Example(command: "fakeprovider top --once", says: "for a bug report"),
      ]),
    VerbSpec(
      name: "expect", summary: "checks that assertions hold for what has happened; exit 1 when one does not",
      options: [
        .value("--journal", "FILE", "a file that --journal wrote, instead of a provider's journal so far"),
        provider, json,
      ],
      positionals: [Positional(name: "ASSERTION", count: .some)],
      exclusive: [["--journal", "--provider"]],
      details: """
        assertions:
        \(Help.table(Expectation.words.map { ("\($0.word) \($0.takes ?? "")", $0.says) }))
        Patterns are of paths from the provider's root: * within a name, ** over folders. An assertion that does
        not hold is told with the event that broke it. A journal from which events are missing, or a file without
        its end, never passes.
        """,
      examples: [
        Example(
          command: "fakeprovider expect 'opened-once Letter.pdf' scopes-balanced",
          says: "of a provider that is mounted"),
        Example(
          command: "fakeprovider expect every-rule-fired no-errors --journal events.jsonl",
          says: "of a run that is over"),
        Example(
          command: "fakeprovider expect 'event downloadStarted:**/*.pdf=2'", says: "two downloads, no more"),
      ]),
  ]
}
