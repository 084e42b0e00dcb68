// Packages: folders that are one document to whoever uses them. They are downloaded, evicted and read in coordination
// as a whole; to the kernel they are folders.

extension Provider {
  func isPackage(_ slot: Slot) -> Bool {
    guard items[slot].kind == .directory, slot != .root, !profile.items.packages.isEmpty else { return false }
    let path = items.path(of: slot)
    return profile.items.packages.contains { $0.matches(path) }
  }

  /// What of a package is not here: folders that nobody has listed yet, and files.
  func gaps(inPackage slot: Slot) -> (unlisted: [Slot], files: [Slot]) {
    if items[slot].isRemoved { return ([], []) }
    let all = [slot] + items.contents(of: slot).reversed()
    return (
      all.filter { items[$0].kind == .directory && items[$0].listing != .listed },
      all.filter { items[$0].kind == .file && !isCurrent($0) }
    )
  }

  /// Goes on once all folders in the package are listed.
  /// - Returns: whether they are.
  mutating func isListed(package slot: Slot, _ key: QuestionKey) -> Bool {
    guard let folder = gaps(inPackage: slot).unlisted.first else { return true }
    if let error = fetchError, isDataless(folder: folder) {
      finish(key, .failure(error, items.path(of: folder)))
    } else {
      wait(forListing: folder, key)
    }
    return false
  }

  // MARK: Eviction

  /// A folder in a package that may hold local copies which nobody has listed yet. What only the server knows is not
  /// here.
  func unlistedCopies(inPackage slot: Slot) -> Slot? {
    gaps(inPackage: slot).unlisted.first { !isDataless(folder: $0) }
  }

  /// Why a copy cannot be dropped; of a package, only that some of it is in use for the moment: it is evicted as far as
  /// that goes.
  func evictionObstacle(of slot: Slot) -> ProviderError? {
    guard isPackage(slot) else { return evictionRefusal(of: slot) }
    return firstRefusal(inPackage: slot)?.reason == .busy ? .busy : nil
  }

  private func firstRefusal(inPackage slot: Slot) -> (item: Slot, reason: EvictionRefusal)? {
    for inner in items.contents(of: slot).reversed() where items[inner].kind == .file {
      if let reason = EvictionRefusal(evictionRefusal(of: inner)) { return (inner, reason) }
    }
    return nil
  }

  /// Evicts what is in a package up to the first that refuses; what comes after that stays.
  mutating func evict(package slot: Slot) -> (error: ProviderError, path: ItemPath)? {
    let refusal = firstRefusal(inPackage: slot)
    for inner in items.contents(of: slot).reversed() {
      if inner == refusal?.item { break }
      evict(inner)
    }
    return refusal.map { (.nonEvictableChild($0.reason), items.path(of: $0.item)) }
  }
}

/// Why an item's copy stays.
package enum EvictionRefusal: String, Sendable, CaseIterable {
  case busy, unsyncedEdits, nonEvictable

  init?(_ error: ProviderError?) {
    switch error {
    case .busy: self = .busy
    case .provider(.unsyncedEdits): self = .unsyncedEdits
    case .provider(.nonEvictable): self = .nonEvictable
    default: return nil
    }
  }

  var explanation: String {
    switch self {
    case .busy: "it is open, or on its way"
    case .unsyncedEdits: "it has changes that the server has not got"
    case .nonEvictable: "it is pinned, or points to a document of the server"
    }
  }
}
