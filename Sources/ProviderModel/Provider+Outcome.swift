// The steps of the arrow. None of them changes anything.

extension Provider {
  func subject(of operation: Operation) -> Result<Subject, ProviderError> {
    switch operation {
    case .lookup(let node, _), .getAttributes(let node), .readLink(let node), .open(let node, _),
      .openDirectory(let node), .getAttribute(let node, _, _), .listAttributes(let node, _),
      .setAttribute(let node, _, _), .change(let node, _):
      guard let slot = items.slot(of: node) else { return .failure(.sourceChanged) }
      return .success(.item(slot))
    case .read(let id, _, _), .readDirectory(let id, _, _, _), .synchronize(let id):
      guard let handle = handles[id] else { return .failure(.badHandle) }
      return .success(.handle(id, handle.slot))
    case .statistics: return .success(.item(.root))
    }
  }

  // MARK: Gate

  /// The app that the operation is allowed for; nil where no scope is needed.
  func passGate(_ request: KernelRequest, on subject: Subject) -> Result<AppID?, ProviderError> {
    switch request.operation {
    case .open, .change:
      guard let slot = subject.slot else { return .success(nil) }
      return gate.check(request.caller, on: slot, in: items)
    case .setAttribute(_, let name, _):
      // Our own attributes are how a program without a client library asks for access in the first place.
      guard let slot = subject.slot, AttributeAction.Name(name) == nil else { return .success(nil) }
      return gate.check(request.caller, on: slot, in: items)
    case .read(let id, _, _):
      // Checked when it was opened; a descriptor goes on, unless it was cut off.
      if handles[id]?.isCutOff == true { return .failure(.accessRevoked) }
      return .success(nil)
    case .lookup, .getAttributes, .readLink, .openDirectory, .readDirectory, .statistics, .getAttribute,
      .listAttributes, .synchronize:
      return .success(nil)
    }
  }

  // MARK: Behavior

  func behavior(of asked: Parked, on subject: Subject) -> Outcome? {
    guard let slot = subject.slot else { return nil }
    if let lasting = lastingFault(of: asked) { return .fail(lasting.fault.error) }
    if let hold = hold(for: asked, on: subject) { return .hold(hold) }
    if asked.request.fillsCache, case .read(let id, let offset, let length) = asked.request.operation {
      let range = offset..<max(offset + 1, offset + length)
      let failed = handles[id]?.failedFills.first { $0.range.overlaps(range) }
      if let failed { return .fail(failed.error) }
    }
    return latency(of: asked, on: slot).map(Outcome.delay)
  }

  /// The hold that a person set for this.
  private func hold(for asked: Parked, on subject: Subject) -> HoldID? {
    if holds.all.isEmpty { return nil }
    guard let slot = concern(of: asked.request, on: subject) else { return nil }
    var range: Range<Int64>?
    var size = items.shownSize(of: slot)
    if case .read(let id, let offset, let length) = asked.request.operation {
      range = offset..<max(offset + 1, offset + length)
      size = handles[id].flatMap { $0.isFile ? $0.size : nil } ?? size
    }
    return holds.first(for: asked.request.operation.kind, on: slot, range: range, size: size, in: items)
  }

  // MARK: Items

  /// What must come first: a directory's listing, or an item's content.
  func missingItem(for asked: Parked, on subject: Subject, app: AppID?) -> Outcome? {
    guard let slot = subject.slot else { return nil }
    func materialized(by app: AppID?, _ outcome: Outcome) -> Outcome {
      mayMaterialize(asked, app: app) ? outcome : .fail(.materializationForbidden)
    }
    switch asked.request.operation {
    case .lookup, .readDirectory:
      guard items[slot].kind == .directory, items[slot].listing != .listed, !items[slot].isRemoved else {
        return nil
      }
      return isDataless(folder: slot) ? materialized(by: app, .list(slot)) : .list(slot)
    case .read(let id, let offset, let length):
      let missing = missingContent(of: id, offset: offset, length: length)
      guard case .download = missing else { return missing }
      return missing.map { materialized(by: handles[id]?.app, $0) }
    case .open(_, let writes):
      guard profile.download.trigger == .open, !writes, !isHere(slot), !items[slot].isRemoved,
        items[slot].form == .plain
      else { return nil }
      return materialized(by: app, .download(slot))
    case .setAttribute(_, let name, let value):
      guard AttributeAction.Name(name) == .action, let action = AttributeAction(value) else { return nil }
      if action == .evict, isPackage(slot) { return unlistedCopies(inPackage: slot).map { .list($0) } }
      guard action == .download else { return nil }
      func takes(_ slot: Slot) -> Bool { asked.takesStale && isHere(slot) }
      guard isPackage(slot) else {
        if isCurrent(slot) || takes(slot) { return nil }
        // Looked up before it lost its name: ESTALE makes the kernel look again.
        return items[slot].isRemoved ? .fail(.sourceChanged) : .download(slot)
      }
      let gaps = gaps(inPackage: slot)
      return gaps.unlisted.first.map { .list($0) }
        ?? gaps.files.first { !takes($0) }.map { .download($0) }
    case .getAttributes, .readLink, .openDirectory, .statistics, .getAttribute, .listAttributes, .synchronize,
      .change:
      return nil
    }
  }

  private func missingContent(of id: HandleID, offset: Int64, length: Int64) -> Outcome? {
    guard let handle = handles[id], let content = handle.reads, !handle.isStale else { return nil }
    let slot = handle.slot
    let hasItsOwn = content.version == items.shownVersion(of: slot)
    // Some of what it reads has come, and the rest of that never will.
    if !hasItsOwn, handle.wasRead {
      return .fail(profile.kind == .volume ? .sourceChanged : .provider(.versionNoLongerAvailable))
    }
    let isMissing =
      wantsBytes(slot, offset, length) && !isHere(slot) && !hasArrived(offset..<offset + length, of: slot)
    if isMissing { return items[slot].isRemoved ? .fail(lossOfContent(of: slot)) : .download(slot) }
    // Nothing of what it was opened with was ever here.
    return hasItsOwn ? nil : .reopen(id)
  }

  /// The first byte is what materializes; a read past the end asks for none.
  private func wantsBytes(_ slot: Slot, _ offset: Int64, _ length: Int64) -> Bool {
    length > 0 && offset < items[slot].stamp.size
  }

  /// Something of its content is here: what an open gets.
  func isHere(_ slot: Slot) -> Bool { items[slot].isHere }

  /// What is here is what the server has.
  func isCurrent(_ slot: Slot) -> Bool { items[slot].copy == .local }

  /// Why the content of an item that has lost its name can no longer be had.
  func lossOfContent(of slot: Slot) -> ProviderError {
    let isReplaced =
      items.realName(of: slot).flatMap { items.child(meant: $0, of: items[slot].parent) } != nil
    return .provider(isReplaced ? .versionNoLongerAvailable : .noSuchItem)
  }

  // MARK: Content

  func content(for asked: Parked, on subject: Subject, app: AppID?) -> Outcome {
    let request = asked.request
    guard let slot = subject.slot else { return .answer(.done) }
    switch request.operation {
    case .lookup(_, let name):
      guard items[slot].kind == .directory else { return .fail(.notADirectory) }
      guard let child = items.child(name, of: slot) else { return .fail(.noSuchItem) }
      return .answer(.entry(items.node(of: child), shownAttributes(of: child, to: asked)))
    case .getAttributes: return .answer(.attributes(shownAttributes(of: slot, to: asked)))
    case .readLink:
      guard items[slot].kind == .symbolicLink else { return .fail(.notASymbolicLink) }
      guard let content = items.content(of: slot) else { return .fail(.noSuchItem) }
      return .answer(.linkTarget(content.reference))
    case .open(_, let writes):
      // Looked up before it lost its name: ESTALE makes the kernel look again, and meet what is there now.
      if items[slot].isRemoved { return .fail(.sourceChanged) }
      if items[slot].kind == .directory { return .fail(.isADirectory) }
      if items[slot].kind != .file { return .fail(.notSupported) }
      return writes ? .fail(.readOnly) : .open(slot, app: app)
    case .read(let id, let offset, let length):
      guard let handle = handles[id] else { return .fail(.badHandle) }
      if let made = handle.made { return .answer(.bytes(part(of: made, handle, offset, length))) }
      guard let reads = handle.reads, !handle.isStale else { return .fail(.sourceChanged) }
      let stamp = reads.reference.blob == nil ? reads.stamp : nil
      let end = end(of: handle) ?? .max
      let missing = max(0, min(length, end - min(offset, end)))
      return .answer(.content(id, offset: offset, length: missing, stamp, alteration(of: handle)))
    case .openDirectory:
      return items[slot].kind == .directory ? .openDirectory(slot) : .fail(.notADirectory)
    case .readDirectory(_, let cookie, let capacity, let plus):
      return .answer(
        .directory(
          rows(
            of: slot, after: cookie, before: listingLimit(of: asked, on: slot), capacity: capacity, plus: plus
          ), plus: plus))
    case .getAttribute(_, let name, let capacity):
      return attribute(named: name, of: slot, capacity: capacity)
    case .listAttributes(_, let capacity):
      return .answer(
        .sourceAttributeList(items.origin(of: slot), also: madeAttributes(of: slot), capacity: capacity))
    case .setAttribute(_, let name, let value):
      guard AttributeAction.Name(name) == .action else { return .fail(.readOnly) }
      guard let action = AttributeAction(value) else {
        return .fail(.invalid("user.fakeprovider.do takes download, evict, start or stop"))
      }
      return .perform(action, slot)
    case .change: return .fail(.readOnly)
    case .statistics: return .answer(.statistics)
    case .synchronize: return .answer(.done)
    }
  }

  /// What a read of a stub or a pointer gets, with what a rule does to it.
  private func part(of made: [UInt8], _ handle: OpenHandle, _ offset: Int64, _ length: Int64) -> [UInt8] {
    let end = max(0, min(Int64(made.count), end(of: handle) ?? .max))
    let start = min(max(0, offset), end)
    var part = Array(made[Int(start)..<Int(min(end, start + max(0, min(length, end))))])
    if let alteration = alteration(of: handle) {
      part.withUnsafeMutableBytes { alteration.apply(to: $0, at: start) }
    }
    return part
  }

  /// As many rows as fit into `capacity` bytes of the kernel's format.
  private func rows(
    of slot: Slot, after cookie: Int64, before limit: Int, capacity: Int, plus: Bool
  ) -> [DirectoryRow] {
    var rows: [DirectoryRow] = []
    var room = capacity
    func add(_ row: DirectoryRow) -> Bool {
      let bytes = (24 + row.name.count + 7) & ~7 + (plus ? 128 : 0)
      guard bytes <= room else { return false }
      room -= bytes
      rows.append(row)
      return true
    }
    let dots = [([UInt8](".".utf8), slot), ([UInt8]("..".utf8), items[slot].parent)]
    for (index, (name, target)) in dots.enumerated() where cookie <= index {
      let row = DirectoryRow(
        name: name, node: nil, attributes: items.attributes(of: target), next: Int64(index + 1))
      if !add(row) { return rows }
    }
    guard let directory = items.directory(of: slot) else { return rows }
    let before = directory.place(after: max(cookie, 2))
    for entry in directory.entries(after: max(cookie, 2)).prefix(max(0, limit - before)) {
      let row = DirectoryRow(
        name: Array(items.names[entry.name]), node: items.node(of: entry.slot),
        attributes: items.attributes(of: entry.slot), next: entry.cookie)
      if !add(row) { break }
    }
    return rows
  }

  private func attribute(named name: [UInt8], of slot: Slot, capacity: Int) -> Outcome {
    let value: String
    switch AttributeAction.Name(name) {
    case .state: value = items[slot].copy.name
    case .version: value = "\(items.shownVersion(of: slot))"
    case .progress:
      let size = items[slot].stamp.size
      // Of what an open would get; that is all here even while something newer is on its way.
      let arrived = isHere(slot) ? size : transfers.arrived(slot) ?? 0
      value = size == 0 ? "100" : "\(Int128(arrived) * 100 / Int128(size))"
    case .action: return .fail(.noSuchAttribute)
    case nil:
      guard name.starts(with: "user.".utf8) else { return .fail(.noSuchAttribute) }
      if let bounced = bouncedNames[slot], name == Array(Provider.bounceAttribute.utf8) {
        return answer(bounced.bytes, capacity: capacity)
      }
      guard let origin = items.origin(of: slot) else { return .fail(.noSuchAttribute) }
      return .answer(.sourceAttribute(origin, name: name, capacity: capacity))
    }
    return answer(Array(value.utf8), capacity: capacity)
  }

  private func answer(_ bytes: [UInt8], capacity: Int) -> Outcome {
    if capacity == 0 { return .answer(.length(bytes.count)) }
    return bytes.count <= capacity ? .answer(.bytes(bytes)) : .fail(.resultTooLarge)
  }
}

/// What a program without a client library asks for by writing `user.fakeprovider.do`.
enum AttributeAction: String {
  case download
  case evict
  case start
  case stop

  init?(_ value: [UInt8]) { self.init(rawValue: String(decoding: value, as: UTF8.self)) }

  enum Name: String {
    case state = "user.fakeprovider.state"
    case version = "user.fakeprovider.version"
    case progress = "user.fakeprovider.progress"
    case action = "user.fakeprovider.do"
    init?(_ name: [UInt8]) { self.init(rawValue: String(decoding: name, as: UTF8.self)) }
  }
}
