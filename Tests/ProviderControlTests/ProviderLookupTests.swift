import FakeServer
import Foundation
import ProviderControl
import Testing

private func table(_ text: String) -> MountTable { MountTable(text: Array(text.utf8)) }

private func located(_ path: String, _ table: MountTable, from directory: String? = nil) -> String? {
  ProviderLookup.location(
    of: Array(path.utf8), in: table, currentDirectory: directory.map { Array($0.utf8) }
  ).map { location in
    let texts = [location.mount.mountpoint, location.mount.socket, location.relative]
    return texts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " | ")
  }
}

private let root = "1 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"

private func provider(
  _ mountpoint: String, id: Int = 20, parent: Int = 1, root: String = "/", socket: String = "/run/s"
) -> String {
  "\(id) \(parent) 0:50 \(root) \(mountpoint) rw,nosuid,nodev - fuse.fakeprovider fakeprovider:\(socket) rw,user_id=0\n"
}

@Suite struct `The mount table` {
  @Test func `leads from a path to its provider`() {
    let mounts = table(root + provider("/nowhere/p"))
    #expect(located("/nowhere/p", mounts) == "/nowhere/p | /run/s | ")
    #expect(located("/nowhere/p/", mounts) == "/nowhere/p | /run/s | ")
    #expect(located("/nowhere/p/a//b/./c.pdf", mounts) == "/nowhere/p | /run/s | a/b/c.pdf")
    #expect(located("//nowhere/./x/../p/a", mounts) == "/nowhere/p | /run/s | a")
  }

  @Test(arguments: [
    "/", "/nowhere", "/nowhere/pq", "/nowhere/p/../a", "/nowhere/p/a/../../b", "", "/nowhere/p\0",
  ])
  func `knows what is outside`(path: String) {
    #expect(located(path, table(root + provider("/nowhere/p"))) == nil)
  }

  @Test func `takes relative paths from the current directory`() {
    let mounts = table(root + provider("/nowhere/p"))
    #expect(located("a/b", mounts, from: "/nowhere/p/d") == "/nowhere/p | /run/s | d/a/b")
    #expect(located("../e", mounts, from: "/nowhere/p/d") == "/nowhere/p | /run/s | e")
    #expect(located("../../x", mounts, from: "/nowhere/p/d") == nil)
    #expect(located("a", mounts) == nil)
  }

  @Test func `unescapes what the kernel escapes`() {
    let mounts = table(root + provider(#"/now\040he\134re/p\011\012\043"#, socket: #"/run/a\040b"#))
    #expect(located("/now he\\re/p\t\n#/x", mounts) == "/now he\\re/p\t\n# | /run/a b | x")
  }

  @Test func `keeps mountpoints that are not UTF-8`() {
    let text = Array((root + provider("/nowhere/")).utf8)
    let mark = Array("/nowhere/".utf8)
    let at = text.firstRange(of: mark)
    var bytes = text
    if let at { bytes.insert(contentsOf: [0xFF, 0xFE], at: at.upperBound) }
    let location = ProviderLookup.location(
      of: mark + [0xFF, 0xFE, 0x2F, 0xFD], in: MountTable(text: bytes), currentDirectory: nil)
    #expect(location?.relative == [0xFD])
  }

  @Test func `takes the provider that is mounted inside another`() {
    let mounts = table(
      root + provider("/nowhere/p") + provider("/nowhere/p/in/q", id: 21, parent: 20, socket: "/run/q"))
    #expect(located("/nowhere/p/in/x", mounts) == "/nowhere/p | /run/s | in/x")
    #expect(located("/nowhere/p/in/q/x", mounts) == "/nowhere/p/in/q | /run/q | x")
    #expect(located("/nowhere/p/in/q/../x", mounts) == "/nowhere/p | /run/s | in/x")
  }

  @Test func `lets a later mount hide an earlier one`() {
    let first = root + provider("/nowhere/p")
    let second = first + provider("/nowhere/p", id: 21, parent: 20, socket: "/run/new")
    #expect(located("/nowhere/p/a", table(second)) == "/nowhere/p | /run/new | a")
    #expect(table(second).providers.map { String(decoding: $0.socket, as: UTF8.self) } == ["/run/new"])
    let covered = first + "22 20 0:9 / /nowhere/p rw - tmpfs tmpfs rw\n"
    #expect(located("/nowhere/p/a", table(covered)) == nil)
    #expect(table(covered).providers == [])
    let coveredAbove = first + "22 1 0:9 / /nowhere rw - tmpfs tmpfs rw\n"
    #expect(located("/nowhere/p/a", table(coveredAbove)) == nil)
    let foreignInside = first + "22 20 0:9 / /nowhere/p/t rw - tmpfs tmpfs rw\n"
    #expect(located("/nowhere/p/t/a", table(foreignInside)) == nil)
    #expect(located("/nowhere/p/a", table(foreignInside)) == "/nowhere/p | /run/s | a")
  }

  @Test func `follows parents, not the order of lines`() {
    // As after switch_root: the root was mounted last, and what moved onto it stands before it.
    let mounts = table(provider("/nowhere/p", id: 20, parent: 30) + "30 1 8:1 / / rw - ext4 /dev/sda1 rw\n")
    #expect(located("/nowhere/p/a", mounts) == "/nowhere/p | /run/s | a")
  }

  @Test func `knows a folder of a provider that is bound elsewhere`() throws {
    let mounts = table(root + provider("/nowhere/b", root: "/Documents/In"))
    #expect(located("/nowhere/b/a", mounts) == "/nowhere/b | /run/s | Documents/In/a")
    let location = try #require(
      ProviderLookup.location(of: Array("/nowhere/b/a".utf8), in: mounts, currentDirectory: nil))
    #expect(location.absolutePath(of: Array("Documents/In/c".utf8)) == Array("/nowhere/b/c".utf8))
    #expect(location.absolutePath(of: Array("Other/c".utf8)) == nil)
  }

  @Test func `skips lines that it cannot read`() {
    let mounts = table("\n1 1\nx y z\n36 35 98:0 / /a rw\n36 35 98:0 / /a rw - fuse.fakeprovider\n" + root)
    #expect(mounts.providers == [])
    let other = table(
      root + "20 1 0:50 / /nowhere/p rw - fuse.sshfs fakeprovider:/run/s rw\n"
        + "21 1 0:50 / /nowhere/q rw - fuse.fakeprovider other:/run/s rw\n")
    #expect(other.providers == [])
  }

  @Test func `that goes in circles ends nobody's search`() {
    let mounts = table(
      root + provider("/nowhere/p", id: 20, parent: 21) + provider("/nowhere/p", id: 21, parent: 20))
    #expect(located("/nowhere/p/a", mounts) == nil)
  }

  @Test func `of this machine can be read`() throws {
    #expect(try ProviderLookup.location(of: Array("/proc/self".utf8)) == nil)
    _ = try ProviderLookup.allMounts()
  }
}

@Suite struct `A symbolic link` {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.path + "/p/real", withIntermediateDirectories: true)
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(directory.path)/\(name)", withDestinationPath: target)
  }

  @Test func `before the provider is followed`() throws {
    let p = directory.path + "/p"
    let mounts = table(root + provider(p))
    try link("absolute", to: p)
    try link("relative", to: "./x/../p")
    try link("twice", to: "relative/sub")
    #expect(located(directory.path + "/absolute/a", mounts) == "\(p) | /run/s | a")
    #expect(located(directory.path + "/twice/a", mounts) == "\(p) | /run/s | sub/a")
    #expect(located(directory.path + "/twice/../a", mounts) == "\(p) | /run/s | a")
  }

  @Test func `inside the provider is never read`() throws {
    // A real directory stands where the table says a provider is, so that a link that is read would show.
    let p = directory.path + "/p"
    try link("p/out", to: "/etc")
    try link("p/real/out", to: "/etc")
    let mounts = table(root + provider(p) + "22 20 0:9 / \(p)/real rw - tmpfs tmpfs rw\n")
    #expect(located(p + "/out/passwd", mounts) == "\(p) | /run/s | out/passwd")
    #expect(located(p + "/real/out/../../a", mounts) == "\(p) | /run/s | a")
  }

  @Test func `that leads to itself leads nowhere`() throws {
    try link("loop", to: "loop/p")
    #expect(located(directory.path + "/loop/a", table(root + provider(directory.path + "/p"))) == nil)
  }
}
