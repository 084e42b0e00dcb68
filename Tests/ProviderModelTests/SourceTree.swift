import ProviderModel

/// A source folder in memory: what a shell would read from the disk.
struct SourceTree {
  private(set) var items: [ItemPath: SourceItem] = [ItemPath(): SourceTree.folder(inode: 1)]
  private var names: [ItemPath: [Name]] = [:]
  private var inodes: UInt64 = 1

  var root: SourceItem { SourceTree.folder(inode: 1) }

  /// Adds a file and the folders around it.
  mutating func add(_ path: ItemPath, size: Int64, kind: ItemKind = .file) {
    var parent = ItemPath()
    for name in path.names.dropLast() {
      let folder = ItemPath(parent.names + [name])
      if items[folder] == nil { insert(folder, .directory, size: 4096) }
      parent = folder
    }
    insert(path, kind, size: size)
  }

  /// Another content under the same name.
  mutating func edit(_ path: ItemPath, size: Int64) {
    items[path]?.stamp.size = size
    items[path]?.stamp.changed.seconds += 1
  }

  mutating func remove(_ path: ItemPath) {
    items[path] = nil
    names[ItemPath(path.names.dropLast())]?.removeAll { $0 == path.names.last }
  }

  func list(_ path: ItemPath) -> Result<[ListedItem], ErrnoName> {
    guard items[path]?.kind == .directory else { return .failure(.ENOENT) }
    return .success(
      (names[path] ?? []).compactMap { name in
        items[ItemPath(path.names + [name])].map { ListedItem(name: name, item: $0) }
      })
  }

  func open(_ path: ItemPath) -> Result<SourceItem, ErrnoName> {
    items[path].map { .success($0) } ?? .failure(.ENOENT)
  }

  private mutating func insert(_ path: ItemPath, _ kind: ItemKind, size: Int64) {
    inodes += 1
    items[path] = SourceItem(
      kind: kind, permissions: 0o644,
      stamp: SourceStamp(device: 1, inode: inodes, size: size, modified: FileTime(), changed: FileTime()))
    if let name = path.names.last { names[ItemPath(path.names.dropLast()), default: []].append(name) }
  }

  private static func folder(inode: UInt64) -> SourceItem {
    SourceItem(
      kind: .directory, permissions: 0o755,
      stamp: SourceStamp(device: 1, inode: inode, size: 4096, modified: FileTime(), changed: FileTime()))
  }
}

extension ItemPath: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    guard let path = ItemPath(text) else { preconditionFailure("\(text) is no path") }
    self = path
  }
}

extension Name: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    guard let name = Name(text) else { preconditionFailure("\(text) is no name") }
    self = name
  }
}
