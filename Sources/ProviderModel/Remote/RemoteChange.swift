// What other devices do to the server's content, as values.

package enum RemoteChange: Hashable, Sendable {
  /// A file's content, or a new file.
  case write(ItemPath, NewContent, keepsModified: Bool)
  /// A content for whatever replaces the item next; nothing changes now.
  case prepare(ItemPath, NewContent)
  /// Into a folder, if `to` is one.
  case move(ItemPath, to: ItemPath)
  case rename(ItemPath, Name)
  /// With all that is in it.
  case delete(ItemPath)
  case makeDirectory(ItemPath)
  /// Another device changed it, too: a version that somebody has to choose, and a file beside it that has it.
  /// Without a content it is the same as the item's.
  case conflict(ItemPath, NewContent?)

  /// The word of the verb.
  package var name: String {
    switch self {
    case .write, .prepare: "write"
    case .move: "move"
    case .rename: "rename"
    case .delete: "delete"
    case .makeDirectory: "mkdir"
    case .conflict: "conflict"
    }
  }

  var path: ItemPath {
    switch self {
    case .write(let path, _, _), .prepare(let path, _), .move(let path, _), .rename(let path, _),
      .delete(let path), .makeDirectory(let path), .conflict(let path, _):
      path
    }
  }

  var content: NewContent? {
    switch self {
    case .write(_, let content, _), .prepare(_, let content): content
    case .conflict(_, let content): content
    case .move, .rename, .delete, .makeDirectory: nil
    }
  }
}

/// What has become of a remote change.
package struct RemoteResult: Hashable, Sendable {
  /// Where the item is now, by a name that may be of the provider's making.
  package var path: ItemPath
  /// nil once it is deleted.
  package var id: ItemID?
  package var version: UInt64?
  /// What it waits for: it applies after that. nil: it is in force.
  package var after: String?
  /// Why whoever watches the mount has not been told; nil: it has.
  package var unseen: ErrnoName?
}

/// A remote change that has been accepted.
package struct RemoteID: Hashable, Sendable, Comparable {
  package let rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
  package static func < (a: RemoteID, b: RemoteID) -> Bool { a.rawValue < b.rawValue }
}

/// A content that is there: new bytes, or those of an item.
struct GivenContent: Equatable {
  var reference: ContentReference
  var stamp: SourceStamp
}

/// A change with its paths resolved.
enum RemoteAction: Equatable {
  case write(Slot, GivenContent, keepsModified: Bool)
  /// `rival`: the item that it is a conflicting version of.
  case create(in: Slot, Name, GivenContent, rival: Slot?)
  case makeDirectory(in: Slot, Name)
  case move(Slot, to: Slot, Name)
  case delete(Slot)
  /// A stub became its file, or a file its stub: that is so already, and is shown to whoever watches.
  case turn(Slot, into: ItemForm)

  /// The item that it is about, if there is one yet.
  var item: Slot? {
    switch self {
    case .write(let slot, _, _), .move(let slot, _, _), .delete(let slot), .turn(let slot, _): slot
    case .create, .makeDirectory: nil
    }
  }

  /// The folder that gets a name.
  var target: (folder: Slot, name: Name)? {
    switch self {
    case .create(let folder, let name, _, _), .makeDirectory(let folder, let name),
      .move(_, let folder, let name):
      (folder, name)
    case .write, .delete, .turn: nil
    }
  }

  var blob: BlobID? {
    switch self {
    case .write(_, let content, _), .create(_, _, let content, _): content.reference.blob
    case .makeDirectory, .move, .delete, .turn: nil
    }
  }

  var isTurn: Bool { if case .turn = self { true } else { false } }

  func concerns(_ slot: Slot) -> Bool {
    if case .create(_, _, _, slot) = self { return true }
    return item == slot || target?.folder == slot
  }

  mutating func rebind(from old: Slot, to new: Slot) {
    switch self {
    case .write(old, let content, let keeps): self = .write(new, content, keepsModified: keeps)
    case .move(old, let folder, let name): self = .move(new, to: folder, name)
    case .delete(old): self = .delete(new)
    case .turn(old, let form): self = .turn(new, into: form)
    case .create(let folder, let name, let content, old):
      self = .create(in: folder, name, content, rival: new)
    // Folders are not succeeded.
    case .write, .move, .delete, .create, .makeDirectory, .turn: break
    }
  }
}

extension RemoteAction {
  /// What must still be there when it is made.
  var needs: [Slot] {
    if case .create(let folder, _, _, let rival?) = self { return [folder, rival] }
    return [item, target?.folder].compactMap { $0 }
  }

  /// A file that has gone while its content waited is a new one.
  mutating func makeAnew(in items: ItemTable) {
    guard case .write(let slot, let content, _) = self, items[slot].isRemoved,
      let name = items.realName(of: slot)
    else { return }
    self = .create(in: items[slot].parent, name, content, rival: nil)
  }

  mutating func chooseFreeName(in items: ItemTable) {
    switch self {
    case .create(let folder, let name, let content, let rival):
      self = .create(in: folder, items.freeName(like: name, in: folder), content, rival: rival)
    case .makeDirectory(let folder, let name):
      self = .makeDirectory(in: folder, items.freeName(like: name, in: folder))
    case .move(let slot, let folder, let name):
      self = .move(slot, to: folder, items.freeName(like: name, in: folder, for: slot))
    case .write, .delete, .turn: break
    }
  }
}

/// A change on its way into the mount.
struct RemoteStep {
  enum Phase: Equatable {
    /// For its turn, or for a lock that the kernel holds.
    case waiting
    /// The mount's child makes it.
    case underWay
  }
  var id: RemoteID
  var action: RemoteAction
  /// The wall clock's moment of it, on the other device.
  var moment: FileTime
  /// Who is told when it is in force; nil: has been told that it waits.
  var asker: QuestionKey?
  var phase = Phase.waiting
  /// The name that it was to have.
  var wanted: Name?
  /// The model has it.
  var isApplied = false
  /// The item that it made.
  var made: Slot?
}

struct RemoteSteps {
  /// More at once are a mistake of a script.
  static let limit = 1_000

  /// In the order in which they were accepted, which those of one item keep.
  private(set) var all: [RemoteStep] = []
  private var accepted: UInt64 = 0
  /// Something has happened that may let one begin, or keep one waiting.
  var needsAdvance = false

  var isEmpty: Bool { all.isEmpty }

  subscript(_ id: RemoteID) -> RemoteStep? {
    get { all.first { $0.id == id } }
    set {
      guard let index = all.firstIndex(where: { $0.id == id }) else { return }
      if let newValue { all[index] = newValue } else { all.remove(at: index) }
    }
  }

  /// - Parameter isApplied: it is in force, and only whoever watches has to be told.
  @discardableResult
  mutating func add(
    _ action: RemoteAction, at moment: FileTime, asker: QuestionKey?, isApplied: Bool = false
  ) -> RemoteID {
    accepted += 1
    all.append(
      RemoteStep(
        id: RemoteID(accepted), action: action, moment: moment, asker: asker, isApplied: isApplied))
    needsAdvance = true
    return RemoteID(accepted)
  }

  /// A turn that is in force. Of more than ``limit`` on their way at once, those who watch are not told.
  mutating func add(_ turned: Slot, into form: ItemForm) {
    let turns = all.filter(\.action.isTurn)
    // One that nobody has been shown yet, and that is undone: there is nothing to show.
    let undone = turns.last { $0.action.item == turned }
    if let undone, undone.phase == .waiting { return self[undone.id] = nil }
    if turns.count < RemoteSteps.limit {
      _ = add(.turn(turned, into: form), at: FileTime(), asker: nil)
    }
  }

  func concerns(_ slot: Slot) -> Bool { all.contains { $0.action.concerns(slot) || $0.made == slot } }

  mutating func rebind(from old: Slot, to new: Slot) {
    for index in all.indices {
      all[index].action.rebind(from: old, to: new)
      if all[index].made == old { all[index].made = new }
    }
  }
}
