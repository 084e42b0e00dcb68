import Glibc
import ProviderModel

/// Where a path leads inside a provider.
package struct ProviderLocation: Hashable, Sendable {
  package var mount: ProviderMount
  /// From the provider's root, without a leading slash; empty: the root itself.
  package var relative: [UInt8]

  package init(mount: ProviderMount, relative: [UInt8]) {
    self.mount = mount
    self.relative = relative
  }

  package var wirePath: WirePath { WirePath(bytes: relative.isEmpty ? [0x2E] : relative) }

  /// Where an item of the provider is below this mountpoint; nil for one outside the bind-mounted folder.
  package func absolutePath(of relative: [UInt8]) -> [UInt8]? {
    var rest = MountTable.components(relative)
    for name in MountTable.components(mount.root) {
      guard rest.first == name else { return nil }
      rest.removeFirst()
    }
    return rest.reduce(into: mount.mountpoint) { path, name in
      if path.last != 0x2F { path.append(0x2F) }
      path += name
    }
  }
}

/// From a path to its provider by the mount table alone.
///
/// A mount of ours is never asked anything: a provider that is stuck would hang whoever asks. So symbolic links
/// are resolved one component at a time, and only as long as the path has not reached a provider.
package enum ProviderLookup {
  /// - Returns: nil for a path outside every provider.
  package static func location(of path: [UInt8]) throws(ConnectionProblem) -> ProviderLocation? {
    location(of: path, in: try .current(), currentDirectory: currentDirectory())
  }

  package static func allMounts() throws(ConnectionProblem) -> [ProviderMount] {
    try MountTable.current().providers
  }

  /// - Parameter currentDirectory: what a relative path starts from; nil: such a path leads nowhere.
  package static func location(
    of path: [UInt8], in table: MountTable, currentDirectory: [UInt8]?
  ) -> ProviderLocation? {
    guard !path.isEmpty, !path.contains(0) else { return nil }
    var path = path
    if path.first != 0x2F {
      guard let currentDirectory else { return nil }
      path = currentDirectory + [0x2F] + path
    }
    return walk(path, table)
  }

  private static func walk(_ path: [UInt8], _ table: MountTable) -> ProviderLocation? {
    // The components still to come, last first.
    var ahead: [ArraySlice<UInt8>] = MountTable.components(path).reversed()
    var walked: [ArraySlice<UInt8>] = []
    var linksLeft = 40
    while let component = ahead.popLast() {
      if Array(component) == [0x2E] { continue }
      if Array(component) == [0x2E, 0x2E] {
        _ = walked.popLast()
      } else {
        walked.append(component)
      }
      // Also what is mounted inside a provider can be reached only through it: no links are read there either.
      let reachesProvider = table.mounts(along: walked).contains { $0?.provider != nil }
      if reachesProvider || Array(component) == [0x2E, 0x2E] { continue }
      guard let target = linkTarget(joined(walked)) else { continue }
      guard linksLeft > 0 else { return nil }
      linksLeft -= 1
      if target.first == 0x2F { walked = [] } else { walked.removeLast() }
      ahead += MountTable.components(target).reversed()
    }
    guard let mount = table.mounts(along: walked).last??.provider else { return nil }
    let inside = walked.dropFirst(MountTable.components(mount.mountpoint).count)
    let names = MountTable.components(mount.root) + inside
    return ProviderLocation(mount: mount, relative: Array(names.joined(separator: [0x2F])))
  }

  private static func joined(_ components: [ArraySlice<UInt8>]) -> [UInt8] {
    components.reduce(into: []) { path, name in path += [0x2F] + name }
  }

  private static func linkTarget(_ path: [UInt8]) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = (path + [0]).withUnsafeBytes { name -> Int in
      guard let name = name.assumingMemoryBound(to: CChar.self).baseAddress else { return -1 }
      return buffer.withUnsafeMutableBytes { buffer in
        guard let start = buffer.assumingMemoryBound(to: CChar.self).baseAddress else { return -1 }
        return readlink(name, start, buffer.count)
      }
    }
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  private static func currentDirectory() -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&buffer, buffer.count) != nil else { return nil }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // The kernel says "(unreachable)/…" for a directory outside this mount namespace.
    return bytes.first == 0x2F ? bytes : nil
  }
}
