/// One reply or pushed message: a JSON object on a line. A reply has the request's `id`; a pushed event has
/// `event` and the `id` of the request that subscribed to it.
package struct ReplyLine: Codable, Hashable, Sendable {
  package var id: Int?
  package var ok: Bool
  package var error: ErrorLine?
  package var provider: ProviderLine?
  package var items: [ItemLine]?
  package var grants: [GrantLine]?
  package var started: Bool?
  package var revoked: RevocationLine?
  package var name: String?
  package var holds: [HoldLine]?
  package var released: Int?
  package var processes: [Int32]?
  package var rules: [RuleLine]?
  package var explanation: ExplanationLine?
  package var top: OverviewLine?
  package var claim: UInt64?
  package var paths: [WirePath]?
  package var clock: ClockLine?
  /// Bytes that pressure has freed.
  package var freed: Int64?
  package var remote: RemoteLine?
  package var event: EventLine?

  package init(id: Int?, ok: Bool) {
    self.id = id
    self.ok = ok
  }
}

package struct ErrorLine: Codable, Hashable, Sendable, Error {
  /// ProviderError's name, or "badRequest".
  package var code: String
  /// The errno's name that a plain read would get.
  package var errno: String
  package var message: String
  package var path: WirePath?
  package init(code: String, errno: String, message: String, path: WirePath? = nil) {
    self.code = code
    self.errno = errno
    self.message = message
    self.path = path
  }
}

package struct ProviderLine: Codable, Hashable, Sendable {
  package var mountpoint: String
  package var socket: String
  package var pid: Int32
  package var profile: String
  package var source: String
  package var mode: String
  package var seed: UInt64
  package var version: String
  /// The protocol's version: 1.
  package var protocolVersion: Int
  /// The app that this session speaks for.
  package var app: String?
  /// What the provider as a whole is, in ProviderCondition's words.
  package var condition: String?
  /// Whether the device is locked.
  package var locked: Bool?

  package init(
    mountpoint: String, socket: String, pid: Int32, profile: String, source: String, mode: String,
    seed: UInt64, version: String, protocolVersion: Int, app: String?, condition: String?, locked: Bool?
  ) {
    self.mountpoint = mountpoint
    self.socket = socket
    self.pid = pid
    self.profile = profile
    self.source = source
    self.mode = mode
    self.seed = seed
    self.version = version
    self.protocolVersion = protocolVersion
    self.app = app
    self.condition = condition
    self.locked = locked
  }
}

package struct ItemLine: Codable, Hashable, Sendable {
  package var path: WirePath
  package var id: UInt64
  package var kind: String
  package var copy: String
  package var upload: String
  package var size: Int64
  package var arrived: Int64?
  /// How the download is going, in TransferStatus's words.
  package var phase: String?
  package var bytesPerSecond: Int64?
  package var version: UInt64
  /// Of what is here, where that is older.
  package var localVersion: UInt64?
  /// Versions of other devices that nobody has chosen from; absent: none.
  package var conflicts: Int?
  package var open: Int
  /// Processes with a started scope on it or on a folder around it.
  package var scopes: [Int32]
  package var claims: [UInt64]
}

/// What has become of a remote change.
package struct RemoteLine: Codable, Hashable, Sendable {
  /// Where the item is now.
  package var path: WirePath
  package var id: UInt64?
  package var version: UInt64?
  /// What it waits for; absent: it is in force.
  package var after: String?
  /// The errno's name with which it could not be shown to whoever watches.
  package var unseen: String?
}

package struct GrantLine: Codable, Hashable, Sendable {
  package var path: WirePath
  /// The file URL that the document picker would hand over.
  package var url: String
  /// Absent: every app.
  package var app: String?
}

package struct RevocationLine: Codable, Hashable, Sendable {
  package var grants: Int
  package var scopes: Int
  package var descriptors: Int
  package var processesKilled: Int

  package init(grants: Int = 0, scopes: Int = 0, descriptors: Int = 0, processesKilled: Int = 0) {
    self.grants = grants
    self.scopes = scopes
    self.descriptors = descriptors
    self.processesKilled = processesKilled
  }
}

package struct HoldLine: Codable, Hashable, Sendable {
  package var name: String
  package var operation: String
  package var path: WirePath
  package var at: String?
  package var parked: Int
}

package struct RuleLine: Codable, Hashable, Sendable {
  /// As a profile has it.
  package var rule: JSONValue
  /// User actions that it was asked about, and those that it struck.
  package var considered: UInt64
  package var hits: UInt64
}

package struct ExplanationLine: Codable, Hashable, Sendable {
  package struct NearMiss: Codable, Hashable, Sendable {
    package var rule: String
    package var reasons: [String]
  }
  /// "served", "fails", "held" or "waits".
  package var outcome: String
  package var error: ErrorLine?
  package var hold: String?
  /// Provider time, if nobody does anything else meanwhile.
  package var takesNanoseconds: Int64
  package var rules: [String]
  package var steps: [String]
  package var nearMisses: [NearMiss]
}

package struct ClockLine: Codable, Hashable, Sendable {
  /// "real", "scaled" or "manual".
  package var mode: String
  package var scale: Int64
  package var paused: Bool
  /// Provider time since the start.
  package var nowNanoseconds: Int64
  /// When something is due next.
  package var nextNanoseconds: Int64?

  package init(mode: String, scale: Int64, paused: Bool, nowNanoseconds: Int64, nextNanoseconds: Int64?) {
    self.mode = mode
    self.scale = scale
    self.paused = paused
    self.nowNanoseconds = nowNanoseconds
    self.nextNanoseconds = nextNanoseconds
  }
}

package struct EventLine: Codable, Hashable, Sendable {
  package var sequence: UInt64
  package var atNanoseconds: Int64
  package var name: String
  package var path: WirePath?
  package var from: WirePath?
  package var app: String?
  package var process: Int32?
  package var thread: Int32?
  package var operation: String?
  package var copy: String?
  package var scoped: Bool?
  package var claim: UInt64?
  package var error: String?
  package var errno: String?
  package var message: String?
  package var waitedNanoseconds: Int64?
  package var offset: Int64?
  package var bytes: Int64?
  package var hold: String?
  package var rule: String?
  package var dropped: UInt64?
  package var profile: String?
  package var seed: UInt64?
  package var mode: String?
  package var version: String?
  package var condition: String?
}
