// The verb `remote`: from what a client says to a change that is accepted, and what is refused.

extension Provider {
  /// The attribute that says what an item was called before its name was taken.
  static let bounceAttribute = "user.com.apple.fileprovider.before-bounce#P"

  func madeAttributes(of slot: Slot) -> [[UInt8]] {
    bouncedNames[slot] == nil ? [] : [Array(Provider.bounceAttribute.utf8)]
  }

  mutating func change(_ change: RemoteChange, at moment: FileTime, _ key: QuestionKey) {
    guard remote.all.count(where: { !$0.action.isTurn }) < RemoteSteps.limit else {
      let problem = "\(RemoteSteps.limit) remote changes wait already"
      return finish(key, .failure(.invalid(problem), change.path))
    }
    switch change {
    case .write(let path, _, let keepsModified):
      write(path, key) { provider, content in
        switch provider.resolve(path) {
        case .found(let slot):
          provider.accept(.write(slot, content, keepsModified: keepsModified), at: moment, key)
        case .missing(let folder, let name):
          let name = provider.items.naming.shown(name)
          provider.accept(.create(in: folder, name, content, rival: nil), at: moment, key)
        case .noSuchFolder, .unlisted: provider.finish(key, .failure(.noSuchItem, path))
        }
      }
    case .prepare(let path, _): prepare(path, at: moment, key)
    case .move(let path, let to): move(path, to: to, at: moment, key)
    case .rename(let path, let name):
      withSlots([path], key) { provider, slots in
        guard slots[0] != .root else { return provider.refuse("the root has no name to change", path, key) }
        let folder = provider.items[slots[0]].parent
        provider.accept(move: slots[0], to: folder, name, path, at: moment, key)
      }
    case .delete(let path):
      withSlots([path], key) { provider, slots in
        guard slots[0] != .root else { return provider.refuse("the root cannot be deleted", path, key) }
        provider.accept(.delete(slots[0]), at: moment, key)
      }
    case .makeDirectory(let path): makeDirectory(path, at: moment, key)
    case .conflict(let path, let content): conflict(path, content, at: moment, key)
    }
  }

  private mutating func refuse(_ problem: String, _ path: ItemPath, _ key: QuestionKey) {
    finish(key, .failure(.invalid(problem), path))
  }

  // MARK: Places

  private mutating func move(_ path: ItemPath, to: ItemPath, at moment: FileTime, _ key: QuestionKey) {
    let (folder, name): (Slot, Name)
    switch resolve(path) {
    case .found(.root): return refuse("the root cannot be moved", path, key)
    case .missing, .noSuchFolder: return finish(key, .failure(.noSuchItem, path))
    case .unlisted(let slot): return wait(forListing: slot, key)
    case .found(let slot):
      switch resolve(to) {
      case .found(let there) where there != slot && items[there].kind == .directory:
        // As mv does: into the folder, under its own name, once it is known what that has.
        guard items[there].listing == .listed else { return wait(forListing: there, key) }
        guard let own = items.realName(of: slot) else { return }
        (folder, name) = (there, own)
      case .found(let there):
        guard let last = items.realName(of: there) else { return }
        (folder, name) = (items[there].parent, last)
      case .missing(let parent, let last): (folder, name) = (parent, last)
      case .noSuchFolder: return finish(key, .failure(.noSuchItem, ItemPath(to.names.dropLast())))
      case .unlisted(let unlisted): return wait(forListing: unlisted, key)
      }
      accept(move: slot, to: folder, name, path, at: moment, key)
    }
  }

  private mutating func accept(
    move slot: Slot, to folder: Slot, _ name: Name, _ path: ItemPath, at moment: FileTime, _ key: QuestionKey
  ) {
    if items.isCovered(folder, by: slot) { return refuse("a folder cannot be moved into itself", path, key) }
    let name = items.naming.shown(name)
    if items[slot].parent == folder, items.realName(of: slot) == name {
      return refuse("it is there already", path, key)
    }
    accept(.move(slot, to: folder, name), at: moment, key)
  }

  private mutating func makeDirectory(_ path: ItemPath, at moment: FileTime, _ key: QuestionKey) {
    switch resolve(path) {
    case .found(.root): refuse("the root is there already", path, key)
    case .found(let slot):
      // Whoever names a stub means its file.
      let given = path.names.last.map(items.naming.shown)
      guard let name = items.stubs == nil ? given : items.realName(of: slot) else { return }
      accept(.makeDirectory(in: items[slot].parent, name), at: moment, key)
    case .missing(let folder, let name):
      accept(.makeDirectory(in: folder, items.naming.shown(name)), at: moment, key)
    case .noSuchFolder: finish(key, .failure(.noSuchItem, ItemPath(path.names.dropLast())))
    case .unlisted(let slot): wait(forListing: slot, key)
    }
  }

  // MARK: Contents

  /// Goes on with the content that the client gave, once it is clear that there is a place for it and the shell
  /// has it.
  private mutating func write(
    _ path: ItemPath, _ key: QuestionKey, mustExist: Bool = false,
    _ body: (inout Provider, GivenContent) -> Void
  ) {
    var base: Content?
    switch resolve(path) {
    case .found(let slot):
      if let problem = refusalToWrite(slot) { return finish(key, .failure(problem, path)) }
      base = items.serverContent(of: slot)
    case .missing where !mustExist: break
    case .missing: return finish(key, .failure(.noSuchItem, path))
    case .noSuchFolder: return finish(key, .failure(.noSuchItem, ItemPath(path.names.dropLast())))
    case .unlisted(let slot): return wait(forListing: slot, key)
    }
    guard case .remote(let change, _) = questions[key]?.request.command, let new = change.content else {
      return
    }
    if !new.appends { base = nil }
    // What it was to be added to may be another by now.
    if let made = questions[key]?.made, made.base == base?.version {
      body(&self, made.content)
    } else {
      makeBlob(new, base: base, key)
    }
  }

  private func refusalToWrite(_ slot: Slot) -> ProviderError? {
    switch items[slot].kind {
    case .file: nil
    case .directory: .isADirectory
    case .symbolicLink: .invalid("it is a symbolic link; write to the file that it leads to")
    case .fifo, .socket, .characterDevice, .blockDevice: .invalid("only files have content")
    }
  }

  private mutating func makeBlob(_ content: NewContent, base: Content?, _ key: QuestionKey) {
    if let older = questions[key]?.made { items.blobs.release(older.content.reference.blob) }
    let blob = items.blobs.make()
    // It must be there for as long as it is copied.
    items.blobs.use(base?.reference.blob)
    blobsUnderWay[blob] = BlobUnderWay(asker: key, base: base)
    questions[key]?.made = nil
    questions[key]?.wait = .blob(blob)
    effects.append(.makeBlob(blob, content, base: base))
  }

  mutating func blobMade(_ blob: BlobID, _ result: Result<MadeBlob, ProviderError>) {
    guard let underWay = blobsUnderWay.remove(blob) else { return }
    items.blobs.release(underWay.base?.reference.blob)
    guard let key = underWay.asker else { return contentKept(blob) }
    guard let question = questions[key], question.wait == .blob(blob) else {
      return items.blobs.release(blob)
    }
    switch result {
    case .failure(let error):
      items.blobs.release(blob)
      guard case .remote(let change, _) = question.request.command else { return }
      finish(key, .failure(error, change.path))
    case .success(let made):
      let stamp = SourceStamp(
        device: 0, inode: UInt64(blob.rawValue), size: made.size, modified: FileTime(), changed: FileTime())
      let content = GivenContent(reference: .blob(blob), stamp: stamp)
      questions[key]?.made = Question.Made(content: content, base: underWay.base?.version)
      ask(again: key)
    }
  }

  private mutating func prepare(_ path: ItemPath, at moment: FileTime, _ key: QuestionKey) {
    write(path, key, mustExist: true) { provider, content in
      guard case .found(let slot) = provider.resolve(path) else { return }
      provider.items.blobs.use(content.reference.blob)
      provider.items.blobs.release(provider.prepared[slot]?.reference.blob)
      provider.prepared[slot] = provider.content(content, at: moment)
      provider.finish(key, .remote(provider.result(of: slot)))
    }
  }

  private mutating func conflict(
    _ path: ItemPath, _ given: NewContent?, at moment: FileTime, _ key: QuestionKey
  ) {
    if given == nil {
      withSlots([path], key) { provider, slots in
        if let problem = provider.refusalToWrite(slots[0]) {
          return provider.finish(key, .failure(problem, path))
        }
        guard let server = provider.items.serverContent(of: slots[0]) else { return }
        let content = GivenContent(reference: server.reference, stamp: server.stamp)
        provider.acceptConflict(with: slots[0], content, at: moment, key)
      }
    } else {
      write(path, key, mustExist: true) { provider, content in
        guard case .found(let slot) = provider.resolve(path) else { return }
        provider.acceptConflict(with: slot, content, at: moment, key)
      }
    }
  }

  private mutating func acceptConflict(
    with slot: Slot, _ content: GivenContent, at moment: FileTime, _ key: QuestionKey
  ) {
    guard let name = items.realName(of: slot) else { return }
    accept(.create(in: items[slot].parent, name, content, rival: slot), at: moment, key)
  }

  /// What a client gave, as an item has it. What is of the source keeps the times that tell it from others.
  func content(_ given: GivenContent, at moment: FileTime, version: UInt64 = 1) -> Content {
    var stamp = given.stamp
    if given.reference.blob != nil { (stamp.modified, stamp.changed) = (moment, moment) }
    return Content(reference: given.reference, stamp: stamp, version: version)
  }

  func result(of slot: Slot) -> RemoteResult {
    RemoteResult(path: items.path(of: slot), id: items[slot].id, version: items[slot].version)
  }

  // MARK: Accepted

  private mutating func accept(_ action: RemoteAction, at moment: FileTime, _ key: QuestionKey) {
    items.blobs.use(action.blob)
    let id = remote.add(action, at: moment, asker: key)
    questions[key]?.wait = .remote(id)
  }
}

/// A content that the shell is about to keep.
struct BlobUnderWay {
  /// nil: a rule.
  var asker: QuestionKey?
  /// What it comes after.
  var base: Content?
}
