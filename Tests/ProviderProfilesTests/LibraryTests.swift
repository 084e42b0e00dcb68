import Glibc
import ProviderModel
import Testing

@testable import ProviderProfiles

// The shipped profiles, and the way to them.

@Suite struct `The library of profiles` {
  private func failure(_ nameOrPath: String, in folder: String? = nil) -> ProfileLoadError? {
    do throws(ProfileLoadError) {
      _ = try ProfileLibrary.load(nameOrPath: nameOrPath, in: folder)
      return nil
    } catch {
      return error
    }
  }

  /// Runs `body` with a folder that has one file, both gone afterwards.
  private func withFile(_ name: String, _ text: String, _ body: (_ folder: String) throws -> Void) throws {
    var template = Array("/tmp/profiles-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    let folder = try #require(made)
    defer { _ = rmdir(folder) }
    let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { _ = unlink("\(folder)/\(name)") }
    let bytes = Array(text.utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    _ = close(descriptor)
    try body(folder)
  }

  @Test func `has the profiles that ship`() throws {
    #expect(
      try ProfileLibrary.names() == [
        "conflict-prone", "cut-and-altered", "dropbox-like", "flaky", "google-drive-pointers",
        "google-drive-throttled", "growing-files", "hostile-names", "icloud-drive", "icloud-older-stubs",
        "icloud-on-a-train", "icloud-optimized-storage", "icloud-refusing", "icloud-refusing-at-times",
        "icloud-wedged", "instant", "lying-sizes", "nextcloud-suffix-stubs", "onedrive-not-running",
        "out-of-quota", "picked-copy-purged", "revoked-by-user", "signed-out", "simulator", "slow-cloud",
        "smb-drops", "sshfs-freezes", "stale-cache", "stale-cache-stuck", "usb-pulled",
      ])
    for summary in try ProfileLibrary.summaries() { #expect(summary.summary.count > 20) }
  }

  @Test func `reads each, under its own name, and again from what show prints`() throws {
    for name in try ProfileLibrary.names() {
      let profile = try ProfileLibrary.load(nameOrPath: name)
      #expect(profile.name == name)
      #expect(profile.basis.standing == .synthetic || !profile.basis.sources.isEmpty)
      let shown = ProfileWriter.json(profile)
      #expect(try ProfileReader.read(Array(shown.utf8), file: name) == profile)
    }
  }

  @Test func `does not wait at a FIFO that nobody writes to`() throws {
    try withFile("p.json", "") { folder in
      let fifo = "\(folder)/fifo"
      try #require(mkfifo(fifo, 0o600) == 0)
      defer { _ = unlink(fifo) }
      guard case .invalid = failure(fifo) else {
        Issue.record("an empty profile was taken")
        return
      }
    }
  }

  @Test func `ships what the names promise`() throws {
    let instant = try ProfileLibrary.load(nameOrPath: "instant")
    #expect(instant.access.mode == .device)
    #expect(instant.items.initial == .dataless)
    #expect(instant.download.latency == .fixed(.zero))
    #expect(instant.download.bandwidth == nil)
    #expect(try ProfileLibrary.load(nameOrPath: "simulator").access.mode == .simulator)
    let slow = try ProfileLibrary.load(nameOrPath: "slow-cloud")
    #expect(slow.download.latency == .uniform(minimum: .seconds(2), maximum: .seconds(8)))
    #expect(slow.download.bandwidth == 300_000)
    let drive = try ProfileLibrary.load(nameOrPath: "icloud-drive")
    #expect(drive.download.latency == .logNormal(median: .milliseconds(800), p99: .seconds(6)))
  }

  @Test func `names the nearest profile for a name that is none`() {
    let failure = failure("icloud-drvie")
    #expect(failure == .unknownName("icloud-drvie", nearest: "icloud-drive"))
    #expect(failure?.description.contains("nearest name \"icloud-drive\"") == true)
  }

  @Test func `takes what has a slash or ends with .json for a path`() throws {
    try withFile("mine.json", "{ \"schemaVersion\": 1, \"name\": \"mine\" }") { (folder) throws in
      #expect(try ProfileLibrary.load(nameOrPath: "\(folder)/mine.json") == Profile(name: "mine"))
      #expect(try ProfileLibrary.load(nameOrPath: "mine", in: folder) == Profile(name: "mine"))
      #expect(try ProfileLibrary.names(in: folder) == ["mine"])
    }
    for path in ["instant.json", "no/such"] {
      #expect(failure(path) == .unreadable(path: path, reason: "No such file or directory"))
    }
    #expect(failure("/tmp") == .unreadable(path: "/tmp", reason: "Is a directory"))
  }

  @Test func `does not take the schema for a profile`() throws {
    try withFile("schema.json", "{}") { (folder) throws in
      #expect(try ProfileLibrary.names(in: folder) == [])
    }
  }

  @Test func `gives the problems of a file under its path`() throws {
    try withFile("bad.json", "{ \"schemaVersion\": 1 }") { (folder) throws in
      let path = "\(folder)/bad.json"
      #expect(failure(path)?.description == "\(path):1:1: name: is missing; every profile has it")
    }
  }

  @Test func `reads no more of an endless file than its limit`() {
    #expect(failure("/dev/zero")?.description == "/dev/zero:1:1: the file is larger than 4194304 bytes")
  }

  @Test func `says so when its folder is missing`() {
    let missing = failure("instant", in: "/no/such")
    #expect(missing == .unreadable(path: "/no/such", reason: "No such file or directory"))
    let nowhere = ProfileLoadError.noLibrary(tried: ["/a", "/b"])
    #expect(
      nowhere.description == "the shipped profiles are in none of /a, /b; is the installation complete?")
  }

  @Test func `looks beside the executable first and in the installation last`() {
    let tried = ProfileLibrary.candidates(executable: "/usr/local/bin/fakeprovider")
    #expect(tried.first == "/usr/local/bin/ProviderFS_ProviderProfiles.resources/provider-profiles")
    #expect(tried.last == "/usr/local/share/fakeprovider/provider-profiles")
    #expect(ProfileLibrary.candidates(executable: "/bin/x").last == "/share/fakeprovider/provider-profiles")
  }
}
