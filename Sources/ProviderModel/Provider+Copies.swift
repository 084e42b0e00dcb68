// Copies that the document picker makes: the app gets files of its own, outside of the provider, which the system
// takes away again when it likes.

/// One such copy, while it is made and as long as the provider means to take it away.
package struct CopyID: Hashable, Sendable, Comparable {
  package let rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
  package static func < (a: CopyID, b: CopyID) -> Bool { a.rawValue < b.rawValue }
}

/// A file that the shell made. Device, inode and time tell it from another that took its place, or was written to.
package struct MadeCopy: Hashable, Sendable {
  /// Absolute.
  package var file: [UInt8]
  package var device: UInt64
  package var inode: UInt64
  package var modified: FileTime
  package init(file: [UInt8], device: UInt64, inode: UInt64, modified: FileTime) {
    self.file = file
    self.device = device
    self.inode = inode
    self.modified = modified
  }
}

package struct PickedCopy: Hashable, Sendable {
  package var path: ItemPath
  package var copy: MadeCopy
}

struct CopyUnderWay {
  var asker: QuestionKey
  var path: ItemPath
  var content: Content
}

struct Copies {
  var underWay = Table<CopyID, CopyUnderWay>()
  /// Those that are to be taken away.
  var made = Table<CopyID, PickedCopy>()
  private var count: UInt64 = 0

  mutating func begin(_ copy: CopyUnderWay) -> CopyID {
    count += 1
    underWay[CopyID(count)] = copy
    return CopyID(count)
  }

  mutating func keep(_ copy: PickedCopy) -> CopyID {
    count += 1
    made[CopyID(count)] = copy
    return CopyID(count)
  }
}

extension Provider {
  /// Each file's content goes into a new file in `folder`, once it is here.
  mutating func copyOut(_ slots: [Slot], into folder: [UInt8], _ key: QuestionKey) {
    if let other = slots.first(where: { items[$0].kind != .file }) {
      let error: ProviderError =
        items[other].kind == .directory
        ? .isADirectory : .invalid("only files can be picked as copies; pick what the link leads to")
      return finish(key, .failure(error, items.path(of: other)))
    }
    if let pointer = slots.first(where: { items[$0].form == .pointer }) {
      let problem = ProviderError.invalid(
        "it only points to a document that the server has; there is nothing to copy")
      return finish(key, .failure(problem, items.path(of: pointer)))
    }
    if awaitContents(of: slots, key) { return }
    var started: [CopyID] = []
    for slot in slots {
      guard let content = items.content(of: slot), let name = items.realName(of: slot) else { continue }
      items.blobs.use(content.reference.blob)
      let id = copies.begin(CopyUnderWay(asker: key, path: items.path(of: slot), content: content))
      effects.append(.copyOut(id, content, name: name, folder: folder))
      started.append(id)
    }
    questions[key]?.wait = .copies(started)
  }

  mutating func copied(_ id: CopyID, _ result: Result<MadeCopy, ProviderError>) {
    guard let copy = copies.underWay.remove(id) else { return }
    items.blobs.release(copy.content.reference.blob)
    guard case .copies(let left) = questions[copy.asker]?.wait else {
      // Who asked is gone, or was told that another could not be made: none is left behind.
      if case .success(let made) = result { effects.append(.removeCopy(made)) }
      return
    }
    switch result {
    case .failure(let error):
      for other in questions[copy.asker]?.copies ?? [] { effects.append(.removeCopy(other.copy)) }
      finish(copy.asker, .failure(error, copy.path))
    case .success(let made):
      questions[copy.asker]?.copies.append(PickedCopy(path: copy.path, copy: made))
      questions[copy.asker]?.wait = .copies(left.filter { $0 != id })
      if left == [id] { handOver(copy.asker) }
    }
  }

  private mutating func handOver(_ key: QuestionKey) {
    let made = questions[key]?.copies ?? []
    for copy in made {
      emitCopy(.copyMade, copy)
      guard let time = profile.picker.purgeAfter else { continue }
      deadlines.schedule(.purge(copies.keep(copy)), at: now + time)
    }
    finish(key, .copies(made))
  }

  /// As the system does with its temporary files.
  mutating func purge(_ id: CopyID) {
    guard let copy = copies.made.remove(id) else { return }
    effects.append(.removeCopy(copy.copy))
    emitCopy(.copyPurged, copy)
  }

  private mutating func emitCopy(_ name: EventName, _ copy: PickedCopy) {
    var event = Event(name, path: copy.path)
    event.detail = .file(copy.copy.file)
    emit(event)
  }
}
