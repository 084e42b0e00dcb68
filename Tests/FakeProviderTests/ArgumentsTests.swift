import Testing

@testable import fakeprovider

private func verb(_ words: String...) -> ParsedArguments? {
  if case .verb(let parsed) = CommandLineReading(words.map { Argument($0) }) { parsed } else { nil }
}

private func problem(_ words: String...) -> UsageProblem? {
  if case .problem(let problem) = CommandLineReading(words.map { Argument($0) }) { problem } else { nil }
}

private func help(_ words: String...) -> String? {
  if case .help(let text) = CommandLineReading(words.map { Argument($0) }) { text } else { nil }
}

@Suite struct `A command line` {
  @Test func `gives flags, values and paths in any order`() {
    let parsed = verb("revoke", "a.pdf", "--app", "com.example", "--reads", "b.pdf")
    #expect(parsed?.positionals == ["a.pdf", "b.pdf"])
    #expect(parsed?.text("--app") == "com.example")
    #expect(parsed?.has("--reads") == true)
    #expect(parsed?.has("--by-user") == false)
  }

  @Test func `takes a value after a space or an equals sign`() {
    #expect(verb("hold", "read", "a", "--at", "40%")?.text("--at") == "40%")
    #expect(verb("hold", "read", "a", "--at=40%")?.text("--at") == "40%")
    #expect(verb("hold", "read", "a", "--name=a=b")?.text("--name") == "a=b")
    #expect(verb("hold", "read", "a", "--name=--odd")?.text("--name") == "--odd")
  }

  @Test func `leaves everything after two dashes to the command`() {
    let parsed = verb("access", "a.pdf", "--", "cp", "--help", "-x", "--")
    #expect(parsed?.positionals == ["a.pdf"])
    #expect(parsed?.rest == ["cp", "--help", "-x", "--"])
  }

  @Test func `takes a path that begins with a dash after two dashes`() {
    #expect(verb("evict", "--", "-odd", "--json")?.positionals == ["-odd", "--json"])
    #expect(verb("evict", "-")?.positionals == ["-"])
  }

  @Test func `keeps bytes that are not UTF-8`() {
    let word = Argument(bytes: [0x61, 0xFF, 0x2E])
    guard case .verb(let parsed) = CommandLineReading(["evict", word]) else {
      Issue.record("not read")
      return
    }
    #expect(parsed.positionals == [word])
  }

  @Test(arguments: [
    (["mont"], "did you mean \"mount\"?"), (["stat"], "did you mean \"status\"?"), ([], "a verb is missing"),
    (["evict", "a", "--jsn"], "did you mean --json?"), (["evict", "a", "--helpp"], "did you mean --help?"),
    (["hold", "opne", "a"], "did you mean \"open\"?"), (["mount", "/m"], "needs --profile P"),
    (["mount", "--profile"], "--profile needs a value"),
    (["mount", "--profile="], "--profile needs a value"),
    (["mount", "--profile", "--sample", "/m"], "--profile needs a value"),
    (["mount", "--profile", "p"], "needs MOUNTPOINT"), (["download"], "needs PATH"),
    (["remote", "wrte", "a"], "did you mean \"write\"?"), (["remote", "write"], "needs PATH"),
    (
      ["remote", "write", "a", "--text", "x", "--from", "y"], "--from and --text cannot be given together"
    ),
    (["mount", "--profile", "p", "/m", "/n"], "\"/n\" is one word too many"),
    (["run", "--profile", "p", "ls"], "COMMAND… comes after --"),
    (["run", "--profile", "p"], "needs -- COMMAND…"), (["run", "--profile", "p", "--"], "needs -- COMMAND…"),
    (["evict", "a", "--json=yes"], "--json takes no value"),
    (["mount", "--profile", "p", "--profile", "q", "/m"], "once only"),
    (
      ["mount", "--profile", "p", "--sample", "--source", "d", "/m"], "--source and --sample cannot be given"
    ),
    (["clock", "advnce", "3s"], "did you mean \"advance\"?"),
  ])
  func `that is wrong says so, with the nearest valid word`(words: [String], expected: String) {
    guard case .problem(let problem) = CommandLineReading(words.map { Argument($0) }) else {
      Issue.record("taken as valid")
      return
    }
    #expect(problem.message.contains(expected))
    #expect(problem.usage.hasPrefix("usage: fakeprovider "))
  }

  @Test func `asks for help with --help, -h or help`() {
    #expect(help("--help")?.contains("  doctor") == true)
    #expect(help("help") == help("-h"))
    #expect(help("help", "mount") == help("mount", "--help"))
    #expect(help("mount", "--profile", "p", "-h")?.hasPrefix("mounts a provider") == true)
    #expect(problem("help", "mont")?.message.contains("mount") == true)
  }

  @Test func `asks for the version with --version`() {
    #expect(verb("--version")?.verb == "version")
  }
}

@Suite struct `The verb table` {
  @Test(arguments: VerbTable.all)
  func `explains each verb with examples that are valid`(spec: VerbSpec) throws {
    #expect(spec.help.contains("usage: fakeprovider \(spec.name)"))
    #expect(!spec.examples.isEmpty)
    for example in spec.examples {
      // What stands in single quotes is one word.
      let words = example.command.split(separator: "'").enumerated().flatMap { index, piece in
        index % 2 == 1 ? [Argument(String(piece))] : piece.split(separator: " ").map { Argument(String($0)) }
      }
      #expect(words.first == "fakeprovider")
      guard case .verb(let parsed) = CommandLineReading(Array(words.dropFirst())) else {
        Issue.record("\(example.command) is not valid")
        continue
      }
      #expect(VerbTable.spec(of: parsed.verb) != nil)
    }
    for option in spec.options {
      #expect(option.name.hasPrefix("--"))
      #expect(spec.help.contains(option.name) != option.hidden)
    }
  }

  @Test func `fits 80 columns in its usage lines`() {
    for spec in VerbTable.all {
      for line in spec.usage.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
  }

  @Test func `shows what is needed, what can be left out and what excludes what`() {
    #expect(
      VerbTable.spec(of: "mount")?.usage.hasPrefix(
        "usage: fakeprovider mount --profile P [--source DIR | --sample] [--seed N]") == true)
    #expect(VerbTable.spec(of: "access")?.usage == "usage: fakeprovider access [--app ID] PATH… -- COMMAND…")
  }

  @Test func `has every verb once, and one for each body`() {
    #expect(Set(VerbTable.all.map(\.name)).count == VerbTable.all.count)
    for name in FakeProvider.verbs.keys.sorted() { #expect(VerbTable.spec(of: name) != nil) }
  }
}
