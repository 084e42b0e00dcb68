import Glibc
import Testing

@testable import fakeprovider

@Suite struct `A command that is run` {
  @Test func `gives its exit code, or 128 and its signal's number`() {
    #expect(WaitStatus(rawValue: 7 << 8).exitCode == 7)
    #expect(WaitStatus(rawValue: 0).exitCode == 0)
    #expect(WaitStatus(rawValue: 9).exitCode == 137)
    #expect(WaitStatus(rawValue: SIGSEGV | 0x80).exitCode == 139)
  }

  @Test func `is started with its words, and with variables added`() throws {
    var command = Command(
      program: Array("sh".utf8),
      words: ["sh", "-c", "test \"$FAKEPROVIDER_MOUNT\" = /m"].map { Array($0.utf8) })
    command.environment = [("FAKEPROVIDER_MOUNT", Array("/m".utf8))]
    #expect(try status(of: command.start()).exitCode == 0)
  }

  @Test func `that is not there is refused with its name`() {
    let problem = #expect(throws: StartProblem.self) {
      try Command(program: Array("/nonexistent".utf8), words: [[0x61]]).start()
    }
    #expect(problem?.description == "cannot run /nonexistent: No such file or directory")
  }

  @Test func `is found as the provider would name it`() throws {
    let shell = try #require(Access.executable("sh", search: "/nonexistent:/bin:/usr/bin"))
    #expect(shell.hasPrefix("/"))
    #expect(Access.executable("/bin/sh", search: "") == shell)
    #expect(Access.executable("no-such-program", search: "/bin") == nil)
    #expect(Access.executable("/bin", search: "") == nil)
  }

  private func status(of process: Int32) -> WaitStatus {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return WaitStatus(rawValue: status)
  }
}

@Suite struct `The command line of a provider's process` {
  @Test func `keeps what mount or run was given, byte for byte`() {
    var arguments = ParsedArguments(verb: "run")
    arguments.flags = ["--sample", "--json"]
    arguments.values = ["--profile": ["instant"], "--source": [Argument(bytes: [0x2D, 0xFF])]]
    arguments.positionals = ["-odd"]
    arguments.rest = ["make"]
    let words = ProviderLauncher.mountWords(arguments)
    let expected: [[UInt8]] =
      ["mount", "--sample", "--profile=instant"].map { Array($0.utf8) } + [Array("--source=-".utf8) + [0xFF]]
      + ["--", "-odd"].map { Array($0.utf8) }
    #expect(words == expected)
  }
}

@Suite struct `A profile check` {
  @Test func `says where the mistakes are`() throws {
    let path = "/tmp/fakeprovider-check-\(getpid()).json"
    let stream = try #require(fopen(path, "w"))
    fputs("{ \"schemaVersion\": 1, \"nam\": \"x\" }\n", stream)
    fclose(stream)
    defer { unlink(path) }
    let check = ProfileVerb.check(path)
    #expect(!check.ok)
    #expect(check.problems.contains { $0.line == 1 && $0.column != nil })
    #expect(check.text.hasPrefix("\(path):1:"))
  }

  @Test func `of a shipped profile is good`() {
    #expect(ProfileVerb.check("instant").ok)
    #expect(ProfileVerb.check("instant").remarks.isEmpty)
    #expect(ProfileVerb.check("instnat").problems.first?.message.contains("instant") == true)
  }
}
