// What rules and timed events do to the server's content. It is in force at once, in the model, so that what comes
// next meets it whatever else is under way; the shell keeps the bytes meanwhile, and an open waits for that.

extension Provider {
  /// The server gets a newer version of the file: its bytes, and a line after them that most formats pass over.
  mutating func update(_ slot: Slot) {
    guard items[slot].kind == .file, !items[slot].isRemoved, let base = items.serverContent(of: slot) else {
      return
    }
    let line = Array("\n% version \(base.version + 1)\n".utf8)
    let blob = items.blobs.make()
    items.blobs.use(base.reference.blob)
    blobsUnderWay[blob] = BlobUnderWay(asker: nil, base: base)
    effects.append(.makeBlob(blob, NewContent(.text(line), appends: true), base: base))
    let moment = base.stamp.modified.next
    let stamp = SourceStamp(
      device: 0, inode: UInt64(blob.rawValue), size: base.stamp.size + Int64(line.count), modified: moment,
      changed: moment)
    let reference = ContentReference.blob(blob)
    changeContent(
      of: slot, to: Content(reference: reference, stamp: stamp, version: base.version + 1),
      keepsModified: false)
    evictIfOutOfDate(slot)
    // A pointer has no content, and what has turned into its stub is shown by that.
    guard remote.all.count < RemoteSteps.limit, !items[slot].isRemoved, items[slot].form != .pointer else {
      return
    }
    items.blobs.use(blob)
    remote.add(
      .write(slot, GivenContent(reference: reference, stamp: stamp), keepsModified: false), at: moment,
      asker: nil, isApplied: true)
  }

  /// A version of another device, the same as the server's, and a file beside the item that has it.
  mutating func makeConflict(with slot: Slot) {
    guard items[slot].kind == .file, !items[slot].isRemoved, let server = items.serverContent(of: slot),
      let name = items.realName(of: slot)
    else { return }
    let given = GivenContent(reference: server.reference, stamp: server.stamp)
    let (folder, moment) = (items[slot].parent, server.stamp.modified.next)
    var step = RemoteStep(
      id: RemoteID(0), action: .create(in: folder, name, given, rival: slot), moment: moment, wanted: name)
    step.action.chooseFreeName(in: items)
    let made = create(
      step, content(given, at: moment), in: folder, rival: slot,
      id: ItemTable.identifier(ofRivalOf: items[slot].id, number: conflicts[slot]?.count ?? 0))
    downloadIfPinned(made)
  }

  // MARK: Bytes that the shell does not have yet

  /// What an open has to wait for before its content can be opened.
  func blobUnderWay(of slot: Slot) -> BlobID? {
    guard !blobsUnderWay.isEmpty, items[slot].form == .plain,
      let blob = items.content(of: slot)?.reference.blob
    else { return nil }
    return blobsUnderWay[blob] == nil ? nil : blob
  }

  /// The shell has the bytes of a version that a rule made, or could not keep them: the open finds out.
  mutating func contentKept(_ blob: BlobID) {
    items.blobs.release(blob)
    for id in parked.keys where parked[id]?.wait == .blob(blob) { resume(id) }
  }

  // MARK: Downloads that bring nothing newer

  /// Whoever waits for the item gets what is here, although the server has something newer.
  mutating func endWithoutUpdate(_ slot: Slot) {
    let strike = transfers[slot]?.strike
    transfers.cancel(slot)
    holds.unpark(transfer: slot)
    var event = Event(.downloadFinished, path: items.path(of: slot))
    event.copy = .stale
    event.rule = strike?.name
    emit(event)
    for waiter in contentWaiters.remove(slot) ?? [] {
      satisfy(waiter, with: slot)
      wake(waiter)
    }
  }

  /// The one who waits has asked for something newer, and takes what there is.
  private mutating func satisfy(_ waiter: Waiter, with slot: Slot) {
    switch waiter {
    case .request(let id): parked[id]?.takesStale = true
    case .question(let key): questions[key]?.takesStale.append(slot)
    case .claim(let id): arbiter.takeStale(slot, for: id)
    }
  }
}

extension FileTime {
  /// The time of a version that comes after one of this time.
  fileprivate var next: FileTime { FileTime(seconds: seconds + 1, nanoseconds: nanoseconds) }
}
