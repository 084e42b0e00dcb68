// Who may read or write in coordination, and when: many readers or one writer an item, in the order in
// which they asked. A claim is a batch of intents, granted as one.

/// What an intent is about: an item, or a name that nothing has yet.
enum ClaimKey: Hashable {
  case item(Slot)
  case missing(parent: Slot, Name)
}

extension ItemTable {
  /// Of a name that nothing has: one for all names that are one here.
  func claimKey(of name: Name, in folder: Slot) -> ClaimKey {
    .missing(parent: folder, Name(Array(naming.key(of: name.bytes[...]))) ?? name)
  }

  func areOne(_ a: Name, _ b: Name) -> Bool {
    naming.key(of: a.bytes[...]).elementsEqual(naming.key(of: b.bytes[...]))
  }
}

struct Claim {
  enum Phase: Equatable {
    /// For claims that were scheduled earlier.
    case waiting
    /// For the contents of what it is about to read.
    case materializing
    case granted
  }
  struct Part {
    var key: ClaimKey
    var intent: Intent
  }

  var id: ClaimID
  var session: SessionID
  var process: ProcessID
  /// The client's request, which is answered when the claim is granted.
  var number: Int
  /// Claims of one purpose never wait for each other; "" is no purpose.
  var purpose: String
  var parts: [Part]
  var phase = Phase.waiting
  /// Items of which it takes what is here, although the server has something newer.
  var takesStale: [Slot] = []
  var scheduled: Instant

  /// Readers never wait for readers; everyone else waits for whoever was scheduled earlier.
  func conflicts(with other: Claim) -> Bool {
    if !purpose.isEmpty, purpose == other.purpose { return false }
    return parts.contains { part in
      other.parts.contains {
        $0.key == part.key && ($0.intent.kind == .write || part.intent.kind == .write)
      }
    }
  }
}

struct Arbiter {
  /// In the order in which they were scheduled.
  private(set) var claims: [Claim] = []
  private var made: UInt64 = 0

  subscript(_ id: ClaimID) -> Claim? { claims.first { $0.id == id } }

  /// The claim takes what is here of the item.
  mutating func takeStale(_ slot: Slot, for id: ClaimID) {
    guard let index = claims.firstIndex(where: { $0.id == id }) else { return }
    claims[index].takesStale.append(slot)
  }

  mutating func schedule(
    session: SessionID, process: ProcessID, number: Int, purpose: String, parts: [Claim.Part], at now: Instant
  ) -> ClaimID {
    made += 1
    let id = ClaimID(made)
    claims.append(
      Claim(
        id: id, session: session, process: process, number: number, purpose: purpose, parts: parts,
        scheduled: now))
    return id
  }

  /// The claims that no longer wait for another, in order; they now materialize.
  mutating func takeReady() -> [ClaimID] {
    var ready: [ClaimID] = []
    for index in claims.indices where claims[index].phase == .waiting {
      let isBlocked = claims[..<index].contains { $0.conflicts(with: claims[index]) }
      if isBlocked { continue }
      claims[index].phase = .materializing
      ready.append(claims[index].id)
    }
    return ready
  }

  /// What claims are about goes by another key from now on.
  mutating func rebind(_ old: ClaimKey, to new: ClaimKey) {
    for index in claims.indices {
      for part in claims[index].parts.indices where claims[index].parts[part].key == old {
        claims[index].parts[part].key = new
      }
    }
  }

  mutating func markGranted(_ id: ClaimID) {
    guard let index = claims.firstIndex(where: { $0.id == id }) else { return }
    claims[index].phase = .granted
  }

  mutating func remove(_ id: ClaimID) -> Claim? {
    guard let index = claims.firstIndex(where: { $0.id == id }) else { return nil }
    return claims.remove(at: index)
  }

  /// Claims on an item, granted or waiting.
  func claims(on slot: Slot) -> [ClaimID] {
    claims.filter { $0.parts.contains { $0.key == .item(slot) } }.map(\.id)
  }
}
