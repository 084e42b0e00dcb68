import FoundationEssentials
import Glibc
import ProviderControl
import ProviderModel
import Testing

@testable import fakeprovider

private let cloud = ProviderMount(mountpoint: Array("/tmp/cloud".utf8), socket: Array("/run/1.sock".utf8))
private let other = ProviderMount(mountpoint: Array("/tmp/it's".utf8), socket: Array("/run/2.sock".utf8))

private func given(_ text: String, _ mount: ProviderMount, _ relative: String) -> GivenPath {
  GivenPath(
    argument: Argument(text), location: ProviderLocation(mount: mount, relative: Array(relative.utf8)))
}

private func decoded<Line: Decodable>(_ type: Line.Type, _ json: String) throws -> Line {
  try JSONDecoder().decode(type, from: Data(json.utf8))
}

private func parsed(_ words: String...) throws -> ParsedArguments {
  guard case .verb(let parsed) = CommandLineReading(words.map { Argument($0) }) else {
    throw VerbFailure("not a verb: \(words)")
  }
  return parsed
}

@Suite struct `A verb` {
  @Test func `of the table has an implementation, and there is no other`() {
    #expect(Set(VerbTable.all.map(\.name)) == Set(FakeProvider.verbs.keys))
  }

  @Test func `without a path can be told its provider`() throws {
    for words in [["holds"], ["release", "h"], ["wait", "hold:h"], ["clock"], ["events"], ["status"]] {
      let line = CommandLineReading((words + ["--provider", "/m"]).map { Argument($0) })
      guard case .verb(let parsed) = line else {
        Issue.record("\(words)")
        continue
      }
      #expect(parsed.text("--provider") == "/m")
    }
  }
}

@Suite struct `Paths of a command` {
  @Test func `are grouped by their provider, in their order`() {
    let paths = [given("a", cloud, "a"), given("x", other, "x"), given("b", cloud, "b")]
    let groups = Providers.grouped(paths)
    #expect(groups.map(\.mount) == [cloud, other])
    #expect(groups.map { $0.paths.map(\.argument.text) } == [["a", "b"], ["x"]])
  }

  @Test func `belong to one provider under each of its mountpoints`() {
    let bound = ProviderMount(
      mountpoint: Array("/mnt/b".utf8), socket: cloud.socket, root: Array("Recent".utf8))
    let groups = Providers.grouped([given("a", cloud, "a"), given("b/c", bound, "Recent/c")])
    #expect(groups.count == 1)
    #expect(groups.first?.wirePaths.map(\.text) == ["a", "Recent/c"])
  }

  @Test func `are called as they were typed`() {
    let group = PathGroup(mount: cloud, paths: [given("../cloud/a", cloud, "a"), given(".", cloud, "")])
    #expect(group.name(of: WirePath(bytes: Array("a".utf8))) == "../cloud/a")
    #expect(group.name(of: WirePath(bytes: Array(".".utf8))) == ".")
    #expect(group.name(of: WirePath(bytes: Array("c/d".utf8))) == "/tmp/cloud/c/d")
  }

  @Test func `outside every provider are refused with what to do`() {
    let failure = Providers.outside("/etc/passwd")
    #expect(failure.exitCode == 1)
    #expect(
      failure.message
        == "/etc/passwd is not inside a mounted provider; mount one with 'fakeprovider mount'")
  }
}

@Suite struct `The provider of a verb without a path` {
  @Test func `is the only one`() throws {
    #expect(try Providers.choice(control: nil, mounts: [cloud]) == cloud)
  }

  @Test func `is the one that FAKEPROVIDER_CONTROL names, mounted in sight or not`() throws {
    #expect(try Providers.choice(control: other.socket, mounts: [cloud, other]) == other)
    let unseen = try Providers.choice(control: Array("/run/3.sock".utf8), mounts: [cloud])
    #expect(unseen.socket == Array("/run/3.sock".utf8))
    #expect(unseen.mountpoint.isEmpty)
  }

  @Test func `must be named when there are several, and they are listed for a shell`() {
    let failure = #expect(throws: VerbFailure.self) {
      try Providers.choice(control: nil, mounts: [cloud, other])
    }
    #expect(failure?.exitCode == 2)
    #expect(failure?.message.hasSuffix("\n  --provider /tmp/cloud\n  --provider '/tmp/it'\\''s'") == true)
  }

  @Test func `is missing when none is mounted`() {
    #expect(throws: Providers.none) { try Providers.choice(control: nil, mounts: []) }
  }

  @Test func `is counted once when a folder of it is bind-mounted elsewhere`() {
    let bound = ProviderMount(mountpoint: Array("/b".utf8), socket: cloud.socket, root: Array("Recent".utf8))
    #expect(Providers.distinct([bound, cloud, other]) == [cloud, other])
  }

  @Test func `that has crashed is explained with the command that clears it`() {
    let text = ProviderConnection.explanation(of: .notRunning(socket: "/run/2.sock"), other)
    #expect(text.contains("has crashed"))
    #expect(text.hasSuffix("fakeprovider unmount '/tmp/it'\\''s'"))
    #expect(ProviderConnection.explanation(of: .timedOut, cloud).contains("stopped?"))
  }
}

@Suite struct `A condition` {
  @Test func `of a state is taken apart at its last equals sign`() {
    let parts = Wait.statePath("state:/tmp/a=b.pdf=local")
    #expect(parts?.path == "/tmp/a=b.pdf")
    #expect(parts?.state == "local")
    #expect(Wait.statePath("state:/tmp/a") == nil)
    #expect(Wait.statePath("state:=").map { $0.path } == "")
    #expect(Wait.statePath("hold:a=b") == nil)
    #expect(Wait.statePath("") == nil)
  }

  @Test func `waits a minute unless told otherwise`() throws {
    #expect(try Wait.timeout(nil) == .seconds(60))
    #expect(try Wait.timeout("1.5s") == .milliseconds(1500))
    let failure = #expect(throws: VerbFailure.self) { try Wait.timeout("soon") }
    #expect(failure?.exitCode == 2)
  }
}

@Suite struct `A clock command` {
  @Test func `becomes a request`() throws {
    #expect(try Clock.request(parsed("clock")).action == "show")
    let advance = try Clock.request(parsed("clock", "advance", "60s"))
    #expect(advance.action == "advance" && advance.value == "60s")
    #expect(try Clock.request(parsed("clock", "advance", "--to-next")).action == "advanceToNext")
    #expect(try Clock.request(parsed("clock", "scale", "100")).value == "100")
    #expect(try Clock.request(parsed("clock", "pause")).action == "pause")
  }

  @Test(arguments: [
    ["clock", "advance"], ["clock", "advance", "1s", "--to-next"], ["clock", "scale"],
    ["clock", "--to-next"],
    ["clock", "pause", "1s"], ["clock", "resume", "--to-next"],
  ])
  func `that makes no sense is a usage error`(_ words: [String]) throws {
    guard case .verb(let parsed) = CommandLineReading(words.map { Argument($0) }) else {
      Issue.record("not a verb: \(words)")
      return
    }
    let failure = #expect(throws: VerbFailure.self) { try Clock.request(parsed) }
    #expect(failure?.exitCode == 2)
  }

  @Test func `shows time, speed and what is due next`() {
    let clock = ClockLine(
      mode: "scaled", scale: 100, paused: false, nowNanoseconds: 1_500_000_000,
      nextNanoseconds: 3_000_000_000)
    #expect(Clock.text(clock).hasSuffix("\n1.500s  100 times as fast  in 1.500s\n"))
  }
}

@Suite struct `Words about what was done` {
  @Test func `say plainly when open descriptors go on`() {
    let sum = RevocationLine(grants: 2, scopes: 1, descriptors: 1)
    let text = Grants.revoked(sum, byUser: false, reads: false)
    #expect(text.hasPrefix("revoked 2 grants, ended 1 started scope\n"))
    #expect(text.contains("1 open descriptor goes on reading"))
    #expect(Grants.revoked(sum, byUser: false, reads: true).contains("1 open descriptor cut off"))
    let killed = RevocationLine(grants: 1, scopes: 1, processesKilled: 1)
    #expect(
      Grants.revoked(killed, byUser: true, reads: false)
        == "revoked 1 grant, ended 1 started scope, killed 1 process\n")
  }

  @Test func `on a busy item say which, why and what to do`() throws {
    let group = PathGroup(
      mount: cloud, paths: [given("cloud/a", cloud, "a"), given("cloud/b", cloud, "b")])
    let refusal = try decoded(
      ErrorLine.self, #"{"code":"busy","errno":"EBUSY","message":"it is open; close it first","path":"b"}"#)
    func status(open: Int, phase: String?) throws -> ItemLine {
      var line = try decoded(
        ItemLine.self,
        #"{"path":"b","id":1,"kind":"file","copy":"local","upload":"clean","size":1,"version":1,"open":0,"scopes":[],"claims":[]}"#
      )
      (line.open, line.phase) = (open, phase)
      return line
    }
    let text = Content.refused(refusal, group, status: try status(open: 2, phase: nil))
    #expect(text.hasPrefix("cloud/b was not evicted: it is still open (2 open descriptors)"))
    #expect(text.contains("(EBUSY)") && text.contains("none of the 2 items") && text.contains("Close it"))
    let downloading = Content.refused(refusal, group, status: try status(open: 0, phase: "streaming"))
    #expect(downloading.contains("it is being downloaded") && !downloading.contains("open"))
  }

  @Test func `on released holds count what was parked`() {
    #expect(Holds.words(1, error: nil) == "let go of 1 operation\n")
    #expect(Holds.words(2, error: "EIO") == "2 operations failed with EIO\n")
    #expect(Holds.words(0, error: nil).contains("nothing was parked"))
  }

  @Test func `on the end of providers are few when all went well`() {
    let path = WirePath(bytes: cloud.mountpoint)
    #expect(Unmount.words([.init(mountpoint: path, how: .ended)], all: false) == "")
    #expect(Unmount.words([.init(mountpoint: path, how: .killed)], all: false).contains("was killed"))
    #expect(Unmount.words([], all: true) == "no provider is mounted\n")
  }
}

@Suite struct `A failure` {
  @Test func `exits 1 when the provider refuses and 2 when the command line is wrong`() {
    let refusal = ErrorLine(
      code: "noSuchItem", errno: "ENOENT", message: "there is no such item",
      path: WirePath(bytes: Array("a\u{1B}[2J".utf8)))
    let failure = VerbFailure(any: refusal)
    #expect(failure.exitCode == 1)
    #expect(failure.message == "a\u{FFFD}[2J: there is no such item (ENOENT)")
    #expect(VerbFailure(any: RequestProblem("no")).exitCode == 2)
    #expect(VerbFailure(any: ConnectionProblem.closed).exitCode == 1)
  }
}
