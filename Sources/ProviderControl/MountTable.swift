import Glibc
import ProviderModel

/// One mounted provider, as the mount table tells it.
package struct ProviderMount: Hashable, Sendable {
  package var mountpoint: [UInt8]
  /// The path of the provider's control socket.
  package var socket: [UInt8]
  /// The folder of the provider that is mounted here; empty but for bind mounts of one.
  package var root: [UInt8]

  package init(mountpoint: [UInt8], socket: [UInt8], root: [UInt8] = []) {
    self.mountpoint = mountpoint
    self.socket = socket
    self.root = root
  }
}

/// /proc/self/mountinfo, as far as it answers "which mount would this path lead to?" without asking the mounts.
package struct MountTable: Sendable {
  /// What every provider is mounted as, and what its source begins with.
  package static let fileSystemType = "fuse.fakeprovider"
  package static let sourcePrefix = "fakeprovider:"

  struct Entry: Hashable, Sendable {
    var id: Int
    var parent: Int
    var mountpoint: [UInt8]
    var provider: ProviderMount?
  }

  private let entries: [Entry]
  private let byMountpoint: [[UInt8]: [Entry]]
  private let ids: Set<Int>

  /// - Parameter text: in the format of proc_pid_mountinfo(5); lines in any other are skipped.
  package init(text: [UInt8]) {
    entries = text.split(separator: 0x0A).compactMap(Entry.init(line:))
    byMountpoint = Dictionary(grouping: entries, by: \.mountpoint)
    ids = Set(entries.map(\.id))
  }

  /// The mounts that this process sees now.
  package static func current() throws(ConnectionProblem) -> MountTable {
    MountTable(text: try wholeFile("/proc/self/mountinfo"))
  }

  /// Whether something is mounted exactly here.
  package func isMountpoint(_ path: [UInt8]) -> Bool { byMountpoint[path] != nil }

  /// Every mounted provider that a path can lead to, in the table's order.
  package var providers: [ProviderMount] {
    entries.compactMap { entry in
      guard let provider = entry.provider else { return nil }
      return mounts(along: Self.components(entry.mountpoint)).last == entry ? provider : nil
    }
  }

  /// The mounts that a path without symbolic links is on: at the root, then at each of its components.
  ///
  /// Follows the kernel's own walk: at each component go up to what is mounted on what we stand on. So a later
  /// mount on the same directory, or on one above, hides the earlier one.
  func mounts(along path: [ArraySlice<UInt8>]) -> [Entry?] {
    var prefix: [UInt8] = [0x2F]
    var mounts = [climb(from: nil, at: prefix)]
    for component in path {
      if prefix.count > 1 { prefix.append(0x2F) }
      prefix += component
      mounts.append(climb(from: mounts[mounts.count - 1], at: prefix))
    }
    return mounts
  }

  private func climb(from start: Entry?, at mountpoint: [UInt8]) -> Entry? {
    guard let candidates = byMountpoint[mountpoint] else { return start }
    var current = start
    // Each mount is stepped onto once at most, even if a forged table goes in circles.
    for _ in candidates {
      let above = candidates.last { entry in
        guard let current else { return !ids.contains(entry.parent) || entry.parent == entry.id }
        return entry.parent == current.id && entry.id != current.id
      }
      guard let above else { break }
      current = above
    }
    return current
  }

  package static func components(_ path: [UInt8]) -> [ArraySlice<UInt8>] { path.split(separator: 0x2F) }

  private static func wholeFile(_ path: String) throws(ConnectionProblem) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(ErrnoName(number: errno), call: "open \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += buffer[..<count]
      } else if errno != EINTR {
        throw .system(ErrnoName(number: errno), call: "read \(path)")
      }
    }
  }
}

extension MountTable.Entry {
  /// Reads `36 35 98:0 /root /mountpoint options [tags…] - type source superoptions`.
  fileprivate init?(line: ArraySlice<UInt8>) {
    let fields = line.split(separator: 0x20)
    guard fields.count >= 6, let separator = fields[6...].firstIndex(where: { Array($0) == [0x2D] }),
      separator + 2 < fields.count,
      let id = Int(String(decoding: fields[0], as: UTF8.self)),
      let parent = Int(String(decoding: fields[1], as: UTF8.self))
    else { return nil }
    self.id = id
    self.parent = parent
    mountpoint = Self.unescaped(fields[4])
    let source = Self.unescaped(fields[separator + 2])
    let prefix = Array(MountTable.sourcePrefix.utf8)
    if fields[separator + 1].elementsEqual(MountTable.fileSystemType.utf8), source.starts(with: prefix) {
      let root = Self.unescaped(fields[3])
      provider = ProviderMount(
        mountpoint: mountpoint, socket: Array(source.dropFirst(prefix.count)),
        root: Array(root.drop { $0 == 0x2F }))
    }
  }

  /// The kernel writes space, tab, newline, backslash and number sign as `\` and three octal digits.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == 0x5C, digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
        let value = digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }
        if let escaped = UInt8(exactly: value) {
          result.append(escaped)
          rest = rest.dropFirst(3)
          continue
        }
      }
      result.append(byte)
    }
    return result
  }
}
