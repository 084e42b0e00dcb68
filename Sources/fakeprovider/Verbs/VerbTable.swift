import ProviderControl
import ProviderModel

/// Every verb: its options, what it takes, what it says of itself. Nothing else knows the command line.
enum VerbTable {
  static let all: [VerbSpec] = providers + access + content + control + about

  static func spec(of verb: String) -> VerbSpec? { all.first { $0.name == verb } }

  static let json = Option.flag("--json", "prints the facts as JSON on standard output")
  static let app = Option.value(
    "--app", "ID", "the app that it is about: an identifier, or its executable's path")
  static let profile = Option.required("--profile", "P", "a profile's name, or its file")
  static let source = Option.value("--source", "DIR", "the server's content; it is never changed")
  static let clock = Option.value("--clock", "C", "real (default), scaled:N or manual")
  static let journal = Option.value(
    "--journal", "FILE", "writes every event into FILE, one JSON a line")
  static let seed = Option.value("--seed", "N", "what chance depends on, instead of the profile's")
  static let provider = Option.value(
    "--provider", "MOUNTPOINT", "which one; else $FAKEPROVIDER_CONTROL, else the only one")
  static let somePaths = [Positional(name: "PATH", count: .some)]

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
      options: [
        app, .flag("--as-copy", "copies files into --inbox, as the picker does for asCopy: true"),
        .value("--inbox", "DIR", "the app's folder for such copies; else $FAKEPROVIDER_INBOX"), json,
      ],
      positionals: somePaths, exclusive: [["--app", "--as-copy"]],
      details: """
        Without --app every app is granted access. Whom it granted is printed.
        With --as-copy nobody is granted anything: each file is downloaded and copied into DIR, and the copy is the
        app's own. The profile's picker.purgeAfter says how long it stays there.
        """,
      examples: [
        Example(command: "fakeprovider pick /tmp/cloud/Letter.pdf", says: "one document, for every app"),
        Example(
          command: "fakeprovider pick --app com.example.notes /tmp/cloud/Recent",
          says: "a folder, for one app"),
        Example(
          command: "fakeprovider pick --as-copy --inbox /tmp/app-Inbox /tmp/cloud/Letter.pdf",
          says: "a copy of a document, for the app to keep or lose"),
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
