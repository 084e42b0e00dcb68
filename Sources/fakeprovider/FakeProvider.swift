import Glibc
import ProviderControl
import ProviderFS
import ProviderModel

@main
enum FakeProvider {
  typealias Verb = @Sendable (ParsedArguments) -> Int32

  /// What each verb does; one that is not here says so.
  static let verbs: [String: Verb] = [
    "access": Access.run,
    "app": Conditions.app,
    "clock": Clock.run,
    "device": Conditions.device,
    "doctor": Doctor.run,
    "download": Content.download,
    "events": Events.run,
    "evict": Content.evict,
    "expect": Expect.run,
    "explain": Explain.run,
    "hold": Holds.hold,
    "holds": Holds.holds,
    "list": List.run,
    "mount": MountVerb.run,
    "pick": Grants.pick,
    "profile": ProfileVerb.run,
    "provider": Conditions.provider,
    "release": Holds.release,
    "remote": Remote.run,
    "restore": Grants.restore,
    "revoke": Grants.revoke,
    "rule": RuleVerb.run,
    "run": Run.run,
    "status": Status.run,
    "top": Top.run,
    "unmount": Unmount.run,
    "version": Version.run,
    "wait": Wait.run,
  ]

  enum Exit {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let usage: Int32 = 2
    /// Of a command that went well itself.
    static let findings: Int32 = 3
    /// EX_SOFTWARE of sysexits.h.
    static let notImplemented: Int32 = 70
  }

  static func main() {
    let words = commandLine()
    // A provider starts this; it is no verb for people.
    if words.count == 2, words[0].text == MountChildProgram.word {
      MountChildProgram.run(mountpoint: words[1].bytes)
    }
    exit(run(words))
  }

  static func run(_ words: [Argument]) -> Int32 {
    switch CommandLineReading(words) {
    case .help(let text):
      Console.out(text)
      return Exit.done
    case .problem(let problem):
      Console.err("fakeprovider: \(problem.message)\n\(problem.usage)\n")
      return Exit.usage
    case .verb(let arguments):
      guard let verb = verbs[arguments.verb] else {
        Console.err("fakeprovider \(arguments.verb): not implemented yet\n")
        return Exit.notImplemented
      }
      return verb(arguments)
    }
  }

  /// The words as the kernel handed them over: Swift's own list replaces bytes that are not UTF-8.
  private static func commandLine() -> [Argument] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { word in
        Argument(bytes: UnsafeRawBufferPointer(start: word, count: strlen(word)).map { $0 })
      }
    }
  }
}

/// What a command line asks for.
enum CommandLineReading: Hashable, Sendable {
  case help(String)
  case problem(UsageProblem)
  case verb(ParsedArguments)

  init(_ words: [Argument]) {
    guard let first = words.first else {
      self = .problem(UsageProblem(message: "a verb is missing", usage: Help.usage))
      return
    }
    switch first.text {
    case "--help", "-h": self = .help(Help.overview(of: VerbTable.all))
    case "help":
      self = words.count > 1 ? Self.help(on: words[1].text) : .help(Help.overview(of: VerbTable.all))
    case "--version": self = .verb(ParsedArguments(verb: "version"))
    case let verb:
      guard let spec = VerbTable.spec(of: verb) else {
        self = Self.unknown(verb)
        return
      }
      do {
        let parsed = try ArgumentParser.parse(Array(words.dropFirst()), for: spec)
        self = parsed.map { .verb($0) } ?? .help(spec.help)
      } catch {
        self = .problem(error)
      }
    }
  }

  private static func help(on verb: String) -> CommandLineReading {
    VerbTable.spec(of: verb).map { .help($0.help) } ?? unknown(verb)
  }

  private static func unknown(_ verb: String) -> CommandLineReading {
    let nearest = Nearest.word(to: verb, among: VerbTable.all.map(\.name)) ?? "help"
    return .problem(
      UsageProblem(message: "there is no verb \"\(verb)\"; did you mean \"\(nearest)\"?", usage: Help.usage))
  }
}
