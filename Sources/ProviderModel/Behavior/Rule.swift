// A rule: which operations it is about, which time it strikes, and what happens then. The first rule that
// matches decides.

/// How a rule fails an operation. Names only: numbers differ between systems.
package enum Fault: Hashable, Sendable {
  case errno(ErrnoName)
  case provider(FileProviderErrorName)
  case cocoa(CocoaErrorName)

  package var error: ProviderError {
    switch self {
    case .errno(let name): .fault(name)
    case .provider(let name): .provider(name)
    case .cocoa(let name): .cocoa(name)
    }
  }

  package var name: String {
    switch self {
    case .errno(let name): name.rawValue
    case .provider(let name): name.rawValue
    case .cocoa(let name): name.rawValue
    }
  }

  package init?(name: String) {
    if let errno = ErrnoName(rawValue: name) {
      self = .errno(errno)
    } else if let provider = FileProviderErrorName(rawValue: name) {
      self = .provider(provider)
    } else if let cocoa = CocoaErrorName(rawValue: name) {
      self = .cocoa(cocoa)
    } else {
      return nil
    }
  }

  package static let allNames =
    ErrnoName.allCases.map(\.rawValue) + FileProviderErrorName.allCases.map(\.rawValue)
    + CocoaErrorName.allCases.map(\.rawValue)
}

package struct Rule: Hashable, Sendable {
  /// Which of the matching user actions it strikes. An action is one open with its reads, one listing, one
  /// transfer, or one request that looks something up.
  package struct Occurrence: Hashable, Sendable {
    package enum Count: String, Sendable, CaseIterable { case item, total }
    /// Actions that are spared first.
    package var after: UInt64 = 0
    /// Actions that it strikes then; nil: all.
    package var times: UInt64?
    /// Counted for each item, or for all together.
    package var count = Count.item
    package init() {}
  }

  /// Which bytes of a file a read or transfer has to reach; `to` is the first byte that is not meant.
  package struct Span: Hashable, Sendable {
    package var from: HoldPoint
    package var to: HoldPoint?
    package init(from: HoldPoint, to: HoldPoint? = nil) {
      self.from = from
      self.to = to
    }
  }

  /// Provider time since its start; `until` is no longer meant.
  package struct Window: Hashable, Sendable {
    package var from: ProviderModel.Span
    package var until: ProviderModel.Span?
    package init(from: ProviderModel.Span = .zero, until: ProviderModel.Span? = nil) {
      self.from = from
      self.until = until
    }
  }

  package var name: String
  package var basis = Basis()
  /// Sorted, each once, at least one.
  package var operations: [OperationName]
  /// nil: every item.
  package var path: Glob?
  /// Empty: any.
  package var copy: [CopyState] = []
  /// nil: any.
  package var app: AppID?
  /// Whether the process holds a claim on the item; nil: either.
  package var coordinated: Bool?
  package var bytes: Span?
  package var occurrence = Occurrence()
  /// Millionths.
  package var probability: Int64 = 1_000_000
  package var window = Window()
  /// In force only until the first event of this name that comes after the rule was added.
  package var untilEvent: EventName?
  package var effect: RuleEffect

  package init(name: String, operations: [OperationName], effect: RuleEffect) {
    self.name = name
    self.operations = operations
    self.effect = effect
  }
}

/// What a rule does: first it waits, then it changes the world, then it disturbs the operation. At least one.
package struct RuleEffect: Hashable, Sendable {
  package var delay: Latency?
  package var changes: [RuleChange] = []
  package var disturbance: Disturbance?
  package init(
    delay: Latency? = nil, changes: [RuleChange] = [], disturbance: Disturbance? = nil
  ) {
    self.delay = delay
    self.changes = changes
    self.disturbance = disturbance
  }
}

/// What befalls the operation itself.
package enum Disturbance: Hashable, Sendable {
  case fail(Fault)
  /// Parks it at a hold of this name until that is released.
  case hold(String)
  /// Parks it until its reader gives up, or the rule is removed.
  case stall
  case content(ContentFault)
  case size(SizeFault)
  /// A download of what is out of date brings nothing newer, and whoever waits gets what is here.
  case stale
}

/// What the bytes are that an open gets.
package enum ContentFault: Hashable, Sendable {
  /// The file ends here, whatever its size says.
  case short(HoldPoint)
  /// Zeros from here on.
  case zeroed(HoldPoint)
  /// Other bytes from here on, the same every time.
  case altered(HoldPoint)
}

/// What `stat` says of the size; the modification time stays as it is.
package enum SizeFault: Hashable, Sendable {
  case zero
  case larger(by: HoldPoint)
  case smaller(by: HoldPoint)
  /// 0 until the item is local.
  case late
  /// The file has `from` of its bytes at first, and `step` more at each `every`.
  case growing(from: HoldPoint, step: Int64, every: Span)
  /// The file has all of its bytes at first, and `step` fewer at each `every`, down to `to`.
  case shrinking(to: HoldPoint, step: Int64, every: Span)
}

/// What a rule or a timed event does to the world.
package enum RuleChange: Hashable, Sendable {
  case evict
  /// As `fakeprovider revoke` of the item, for every app.
  case revoke
  /// Another file takes the item's place, with a gap in which there is none.
  case replace(Replacement, gap: Span)
  /// The server has a newer version of the file from now on: its bytes, and a line after them.
  case update
  /// Another device has changed the file, too: a version to choose, and a file beside it that has it.
  case conflict
  /// `duration` nil: until somebody changes it.
  case provider(ProviderCondition, duration: Span?)

  package enum Replacement: String, Sendable, CaseIterable {
    /// Renamed over it, as a safe save does.
    case rename
    /// Deleted, and another made.
    case recreate
  }
}

/// What the provider as a whole is up to.
package enum ProviderCondition: String, Sendable, CaseIterable {
  case online, offline
  case signedOut = "signed-out"
  case disabled, crashed, throttled
  case outOfQuota = "out-of-quota"
  /// The folder that everything is in is not there any more.
  case rootGone = "root-gone"
}

/// Something that a profile does by itself at a moment of provider time.
package struct TimedEvent: Hashable, Sendable {
  package var at: Span
  /// What it is done to; nil: to the root, for all.
  package var path: ItemPath?
  package var change: RuleChange
  package init(at: Span, path: ItemPath? = nil, change: RuleChange) {
    self.at = at
    self.path = path
    self.change = change
  }
}
