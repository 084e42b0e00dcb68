import ProviderControl
import ProviderModel

/// Every verb: its options, what it takes, what it says of itself. Nothing else knows the command line.
enum VerbTable {
  static let all: [VerbSpec] = providers + access + content + control + about

  static func spec(of verb: String) -> VerbSpec? { all.first { $0.name == verb } }

  private static let json = Option.flag("--json", "prints the facts as JSON on standard output")
  private static let app = Option.value(
    "--app", "ID", "the app that it is about: an identifier, or its executable's path")
  private static let profile = Option.required("--profile", "P", "a profile's name, or its file")
  private static let source = Option.value("--source", "DIR", "the server's content; it is never changed")
  private static let clock = Option.value("--clock", "C", "real (default), scaled:N or manual")
  private static let journal = Option.value(
    "--journal", "FILE", "writes every event into FILE, one JSON a line")
  private static let seed = Option.value("--seed", "N", "what chance depends on, instead of the profile's")
  private static let provider = Option.value(
    "--provider", "MOUNTPOINT", "which one; else $FAKEPROVIDER_CONTROL, else the only one")
  private static let somePaths = [Positional(name: "PATH", count: .some)]

  private static let providers = [
    VerbSpec(
      name: "mount", summary: "mounts a provider at MOUNTPOINT",
      options: [
        profile, source, .flag("--sample", "serves the documents that come along"), seed, clock, journal,
        .flag("--background", "returns once the mount is usable"),
        .hidden("--lifeline", "FD", "ends when this open descriptor reaches its end"),
        .hidden("--debug", nil, "prints every exchange with the kernel"), json,
      ],
      positionals: [Positional(name: "MOUNTPOINT")], exclusive: [["--source", "--sample"]],
      details: """
        Without --source the provider serves the sample documents. It prints "ready MOUNTPOINT" once the mount
        is usable, and stays in the foreground until SIGINT (Ctrl-C), SIGTERM, SIGHUP or `fakeprovider unmount`.
        """,
      examples: [
        Example(
          command: "fakeprovider mount --profile instant --sample /tmp/cloud",
          says: "the sample documents, with no delays"),
        Example(
          command: "fakeprovider mount --profile icloud-on-a-train --source ~/Documents --background cloud",
          says: "your own documents on a bad line; back at the prompt when it is ready"),
      ]),
    VerbSpec(
      name: "unmount", summary: "ends a provider, or clears what a crashed one left behind",
      options: [.flag("--all", "every mount of fakeprovider that is yours"), json],
      positionals: [Positional(name: "MOUNTPOINT", count: .optional)],
      details: """
        Readers that still wait are answered first. A provider that does not answer within two seconds is killed
        (SIGKILL). It never hangs, and never touches the mount.
        """,
      examples: [
        Example(command: "fakeprovider unmount /tmp/cloud", says: "end one provider"),
        Example(command: "fakeprovider unmount --all", says: "end them all"),
      ]),
    VerbSpec(
      name: "run", summary: "runs COMMAND with a provider of its own",
      options: [
        profile, source, .flag("--sample", "serves the documents that come along"), seed, clock, journal,
        .repeated("--expect", "A", "an assertion of 'expect' that has to hold at the end"),
      ],
      rest: "COMMAND…", exclusive: [["--source", "--sample"]],
      details: """
        Mounts in a temporary place, sets FAKEPROVIDER_MOUNT and FAKEPROVIDER_CONTROL, runs COMMAND, unmounts.
        SIGINT, SIGTERM and SIGHUP are passed on to COMMAND. Exits as COMMAND does (128 and the signal's number
        when a signal ended it), 125 when it never ran, 3 when it went well but an assertion does not hold.
        """,
      examples: [
        Example(
          command: "fakeprovider run --profile instant -- sh -c 'ls -l \"$FAKEPROVIDER_MOUNT\"'",
          says: "what an app would see"),
        Example(
          command: "fakeprovider run --profile instant --clock manual --journal events.jsonl -- make test",
          says: "a test suite, with a clock that the tests move"),
        Example(
          command:
            "fakeprovider run --profile icloud-drive --expect scopes-balanced -- make test",
          says: "a test suite that has to stop every scope that it starts"),
      ]),
    VerbSpec(
      name: "list", summary: "lists the providers that run", options: [json],
      examples: [Example(command: "fakeprovider list --json", says: "for a script")]),
    VerbSpec(
      name: "status", summary: "shows items: state, version, progress, scopes, claims",
      options: [provider, json],
      positionals: [Positional(name: "PATH", count: .any)],
      details: "Without PATH: what is open or under way, in every provider unless one is named.",
      examples: [
        Example(command: "fakeprovider status /tmp/cloud/*.pdf", says: "the documents of a folder"),
        Example(command: "fakeprovider status /tmp/cloud", says: "a folder and what is in it"),
        Example(command: "fakeprovider status", says: "what is open or downloading now"),
        Example(command: "fakeprovider status --json /tmp/cloud/Letter.pdf", says: "one file, for a script"),
      ]),
  ]

  private static let access = [
    VerbSpec(
      name: "pick", summary: "does what the document picker does: grants access and prints the URL",
      options: [app, json], positionals: somePaths,
      details: "Without --app every app is granted access. Whom it granted is printed.",
      examples: [
        Example(command: "fakeprovider pick /tmp/cloud/Letter.pdf", says: "one document, for every app"),
        Example(
          command: "fakeprovider pick --app com.example.notes /tmp/cloud/Recent",
          says: "a folder, for one app"),
      ]),
    VerbSpec(
      name: "access", summary: "runs COMMAND and its children inside a started scope",
      options: [app], positionals: somePaths, rest: "COMMAND…",
      details: """
        Picks, starts, runs COMMAND, waits for it and for all that it started, stops. SIGINT, SIGTERM and SIGHUP
        are passed on to COMMAND. Exits as COMMAND does (128 and the signal's number when a signal ended it),
        125 when it never ran. The app is --app, else $FAKEPROVIDER_APP, else COMMAND's executable.
        """,
      examples: [
        Example(
          command: "fakeprovider access /tmp/cloud/Letter.pdf -- cp /tmp/cloud/Letter.pdf .",
          says: "copy a document as an app that was allowed to")
      ]),
    VerbSpec(
      name: "revoke", summary: "ends access: the next start is false, new opens fail with EPERM",
      options: [
        app, .flag("--by-user", "as in Settings: the app is killed too"),
        .flag("--reads", "cuts off descriptors that are already open (no device does that)"), json,
      ],
      positionals: somePaths,
      examples: [
        Example(command: "fakeprovider revoke /tmp/cloud/Letter.pdf", says: "for every app"),
        Example(
          command: "fakeprovider revoke --app com.example.notes --by-user /tmp/cloud/Recent",
          says: "as if the user had switched one app off in Settings"),
      ]),
    VerbSpec(
      name: "restore", summary: "gives back what revoke took", options: [app, json], positionals: somePaths,
      examples: [Example(command: "fakeprovider restore /tmp/cloud/Letter.pdf", says: "for every app")]),
  ]

  private static let content = [
    VerbSpec(
      name: "download", summary: "makes items local", options: [json], positionals: somePaths,
      examples: [Example(command: "fakeprovider download /tmp/cloud/*.pdf", says: "all PDFs of a folder")]),
    VerbSpec(
      name: "evict", summary: "drops the local copy of items", options: [json], positionals: somePaths,
      details:
        "Waits up to a second for closes that are under way; an item still open then fails with EBUSY.",
      examples: [Example(command: "fakeprovider evict /tmp/cloud/Letter.pdf", says: "dataless again")]),
  ]

  private static let control = [
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

  private static let about = [
    VerbSpec(
      name: "profile", summary: "lists, shows or checks profiles, or prints their schema",
      options: [
        .flag("--effective", "shows every key with the value in effect, not the file as it is written"),
        .hidden("--reference", nil, "prints the reference of docs/profiles.md instead of the schema"), json,
      ],
      positionals: [
        Positional(name: "ACTION", choices: ["list", "show", "check", "schema"]),
        Positional(name: "PROFILE", count: .any),
      ],
      details: """
        A profile is the name of one that comes along, or a file: what has a "/" in it or ends with ".json".
        check exits with 0 when there are only warnings and notes.
        """,
      examples: [
        Example(command: "fakeprovider profile list", says: "those that come along"),
        Example(command: "fakeprovider profile check my.json", says: "mistakes, with line and column"),
        Example(
          command: "fakeprovider profile show --effective icloud-drive",
          says: "with all defaults, as a start for your own"),
        Example(
          command: "fakeprovider profile schema > schema.json", says: "for an editor that knows JSON Schema"),
      ]),
    VerbSpec(
      name: "doctor", summary: "checks whether this machine can mount, and says how to mend what cannot",
      options: [json],
      details: "Exit 1 when something prevents mounting; what merely limits it is a note.",
      examples: [Example(command: "fakeprovider doctor", says: "when a mount fails")]),
    VerbSpec(
      name: "version", summary: "prints the version", options: [json],
      examples: [Example(command: "fakeprovider version", says: "for a bug report")]),
  ]
}
