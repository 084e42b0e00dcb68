// A provider's behavior, as values. Files that describe it are read by ProviderProfiles, whose table of
// keys has the same defaults and limits.

/// What an expectation stands on.
package struct Basis: Hashable, Sendable {
  package enum Standing: String, Sendable, CaseIterable { case documented, reported, synthetic }
  package var standing: Standing
  /// Addresses.
  package var sources: [String]
  package init(standing: Standing = .synthetic, sources: [String] = []) {
    self.standing = standing
    self.sources = sources
  }
}

package enum ProviderKind: String, Sendable, CaseIterable { case replicated, legacy, volume }

/// How kernel requests reach us. Until the fast lane is built, every read does.
package enum InputOutputLane: String, Sendable, CaseIterable { case observed }

package struct Profile: Hashable, Sendable {
  package struct Access: Hashable, Sendable {
    package enum Mode: String, Sendable, CaseIterable { case device, simulator }
    package enum Inheritance: String, Sendable, CaseIterable { case none, children }
    package var mode = Mode.device
    /// Scopes that one process may have started at once.
    package var scopeLimit = 2000
    package var inheritScopes = Inheritance.none
    package init() {}
  }

  package struct Items: Hashable, Sendable {
    package enum Initial: String, Sendable, CaseIterable { case dataless, local }
    package var initial = Initial.dataless
    /// Items that are local from the start, whatever `initial` says.
    package var local: [Glob] = []
    /// Items that are local from the start and kept so, and folders all of whose items are.
    package var pinned: [Glob] = []
    /// Folders that are one document to whoever uses them.
    package var packages: [Glob] = Items.usualPackages
    /// Folders whose contents this machine does not know before they are listed for the first time.
    package var datalessFolders: [Glob] = []
    package enum RemoteUpdate: String, Sendable, CaseIterable { case keep, evict }
    /// What becomes of a local copy when the server has a newer version.
    package var onRemoteUpdate = RemoteUpdate.keep
    /// Bytes that local copies may take; nil: no limit. Beyond it the oldest are evicted after each download.
    package var localLimit: Int64?
    /// What stands in a folder for a file whose content is not here.
    package enum Placeholders: String, Sendable, CaseIterable {
      /// The file itself, under its own name.
      case dataless
      /// A small property list named ".NAME.icloud".
      case icloud
      /// A file of one byte named NAME and ``placeholderSuffix``.
      case suffix
    }
    package var placeholders = Placeholders.dataless
    package var placeholderSuffix = ".nextcloud"
    /// Files whose content only points to a document that the server keeps.
    package var pointers: [Glob] = []
    package init() {}

    private static let usualPackages: [Glob] = [
      "app", "band", "bundle", "framework", "graffle", "key", "logicx", "numbers", "pages", "photoslibrary",
      "pkg",
      "playground", "rtfd", "sparsebundle", "xcodeproj", "xcworkspace",
    ].compactMap { Glob("**/*.\($0)") }
  }

  package struct Download: Hashable, Sendable {
    /// From the request to the first byte.
    package var latency = Latency.fixed(.zero)
    /// Bytes per second, shared by the transfers under way; nil: no limit.
    package var bandwidth: Int64?
    /// Bytes per second that one transfer gets at most; nil: all that is free.
    package var itemBandwidth: Int64?
    /// Transfers under way at once; the others queue.
    package var concurrency = 4
    package var slowStart: SlowStart?
    package var stalls: [Stall] = []
    package var trigger = Trigger.read
    /// Whether what has arrived can be read while the rest is on its way.
    package var partial = false
    /// How long a plain reader waits for an item after its download failed; nil: for ever.
    package var timeout: Span? = .seconds(60)
    /// From a failure to the next attempt; it doubles each time, up to ``longestRetry``.
    package var retryInterval = Span.seconds(1)
    package static let longestRetry = Span.seconds(30)
    package init() {}
  }

  /// What makes a dataless item download.
  package enum Trigger: String, Sendable, CaseIterable {
    /// The first read of a byte.
    case read
    /// The open, which waits for all of it.
    case open
  }

  /// Less than the usual bandwidth from the provider's start on.
  package struct SlowStart: Hashable, Sendable {
    /// Bytes per second, shared.
    package var bandwidth: Int64
    package var length: Span
    package init(bandwidth: Int64, length: Span) {
      self.bandwidth = bandwidth
      self.length = length
    }
  }

  /// A point at which every download of these items comes to a standstill, or nearly.
  package struct Stall: Hashable, Sendable {
    package var at: HoldPoint
    /// nil: for good.
    package var length: Span?
    /// Bytes per second that still arrive; nil: none.
    package var bandwidth: Int64?
    /// nil: of every item.
    package var path: Glob?
    package init(at: HoldPoint, length: Span?, bandwidth: Int64? = nil, path: Glob? = nil) {
      self.at = at
      self.length = length
      self.bandwidth = bandwidth
      self.path = path
    }
  }

  /// Delays of single operations.
  package struct Latencies: Hashable, Sendable {
    package var lookup = Latency.fixed(.zero)
    package var getattr = Latency.fixed(.zero)
    package var readlink = Latency.fixed(.zero)
    package var open = Latency.fixed(.zero)
    /// The first read of a file after it was opened.
    package var read = Latency.fixed(.zero)
    /// The first time that a directory is read after it was opened.
    package var list = Latency.fixed(.zero)
    /// Extended attributes: reading one, or the list of their names.
    package var attributes = Latency.fixed(.zero)
    package init() {}
  }

  package struct Journal: Hashable, Sendable {
    /// Names (patterns without a slash) whose looking up leaves no event: what desktops probe.
    package var ignore: [Glob] = Journal.probed
    package init() {}

    private static let probed: [Glob] = [
      ".Trash", ".Trash-*", ".hidden", ".directory", ".xdg-volume-info", "autorun.inf", "desktop.ini",
      "Thumbs.db", ".DS_Store", "._*",
    ].compactMap { Glob($0) }
  }

  package struct Conditions: Hashable, Sendable {
    /// Bytes per second, shared, while the provider is throttled.
    package var throttledBandwidth: Int64 = 50_000
    package init() {}
  }

  /// The document picker.
  package struct Picker: Hashable, Sendable {
    /// How long the copies stay that it makes for apps; nil: for good.
    package var purgeAfter: Span?
    package init() {}
  }

  /// What the system lets processes do (Apple: the I/O policy on materializing dataless files).
  package struct Process: Hashable, Sendable {
    package enum Materialize: String, Sendable, CaseIterable { case allow, forbid }
    package var materialize = Materialize.allow
    /// Apps that may not, whatever `materialize` says.
    package var forbid: [String] = []
    package init() {}
  }

  package var name: String
  package var summary = ""
  package var basis = Basis()
  package var kind = ProviderKind.replicated
  package var seed: UInt64 = 1
  package var io = InputOutputLane.observed
  package var access = Access()
  package var items = Items()
  package var naming = Naming()
  package var download = Download()
  package var latency = Latencies()
  package var conditions = Conditions()
  package var process = Process()
  package var picker = Picker()
  /// What plain callers get for the provider's errors, where it is not ``FileProviderErrorName/errno``.
  package var errors: [FileProviderErrorName: ErrnoName] = [:]
  package var journal = Journal()
  /// The first that matches decides.
  package var rules: [Rule] = []
  package var events: [TimedEvent] = []

  package init(name: String) { self.name = name }
}
