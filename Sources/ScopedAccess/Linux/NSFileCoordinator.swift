#if os(Linux)
  public import Foundation
  import ProviderControl
  import Synchronization

  /// Orders this process's reading of files with what other processes do to them.
  ///
  /// A provider's items are ordered by that provider, for all processes of the machine; a coordinated read also
  /// makes the content local first. Outside every provider a read is granted in the process at once.
  ///
  /// Any isolation; `cancel()` from any thread. `@unchecked Sendable` is sound: all that changes is in `state`,
  /// a Mutex; it is spelled so only because NSObject is a class that others may inherit from.
  /// - Source: <https://developer.apple.com/documentation/foundation/nsfilecoordinator>
  open class NSFileCoordinator: NSObject, @unchecked Sendable {
    /// What a reader wants of the item. Apple's raw values.
    /// - Source: <https://developer.apple.com/documentation/foundation/nsfilecoordinator/readingoptions>
    public struct ReadingOptions: OptionSet, Sendable {
      public let rawValue: UInt
      public init(rawValue: UInt) { self.rawValue = rawValue }
      /// Presenters are not asked to save first.
      public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
      /// The accessor gets what a symbolic link points to.
      public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
      /// Waits for others' claims as any reader, and skips the download.
      public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
      /// The accessor gets a snapshot.
      public static let forUploading = ReadingOptions(rawValue: 1 << 3)
    }

    /// What a writer is about to do to the item. Apple's raw values.
    /// - Source: <https://developer.apple.com/documentation/foundation/nsfilecoordinator/writingoptions>
    public struct WritingOptions: OptionSet, Sendable {
      public let rawValue: UInt
      public init(rawValue: UInt) { self.rawValue = rawValue }
      public static let forDeleting = WritingOptions(rawValue: 1 << 0)
      public static let forMoving = WritingOptions(rawValue: 1 << 1)
      public static let forMerging = WritingOptions(rawValue: 1 << 2)
      public static let forReplacing = WritingOptions(rawValue: 1 << 3)
      public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 1 << 4)
    }

    private struct State {
      var purpose = UUID().uuidString
      var purposeWasSet = false
      var canceled = false
      var waiting: [UInt64: PendingReply] = [:]
      var nextKey: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A coordinator of its own purpose, without a presenter.
    override public init() { super.init() }

    /// The form that code without a presenter writes as `NSFileCoordinator(filePresenter: nil)`.
    ///
    /// Only nil is accepted: presenters do not exist here yet, and one that is never told anything would be worse
    /// than an error at compile time.
    /// - Source: <https://developer.apple.com/documentation/foundation/nsfilecoordinator/init(filepresenter:)>
    public init(filePresenter: Never?) { super.init() }

    /// Coordinators of one purpose never wait for each other, in any process. It can be set once.
    ///
    /// Setting it a second time, or to nothing, ends the process, where Apple raises NSInvalidArgumentException.
    /// - Source: <https://developer.apple.com/documentation/foundation/nsfilecoordinator/purposeidentifier>
    open var purposeIdentifier: String {
      get { state.withLock { $0.purpose } }
      set {
        if newValue.isEmpty { Self.raise("-[NSFileCoordinator setPurposeIdentifier:]: it can't be empty") }
        let wasSet = state.withLock { state in
          defer { state.purposeWasSet = true }
          if !state.purposeWasSet { state.purpose = newValue }
          return state.purposeWasSet
        }
        if wasSet { Self.raise("-[NSFileCoordinator setPurposeIdentifier:]: it can be set only once") }
      }
    }

    /// Waits until the item may be read and its content is local, then runs the accessor on the calling thread.
    ///
    /// Blocks the calling thread with no limit of its own, as long as writers and the provider's download take;
    /// ``cancel()`` from another thread ends the wait. A missing item is no error: the accessor runs.
    /// - Parameters:
    ///   - url: the item.
    ///   - options: ``ReadingOptions``.
    ///   - outError: set when the accessor was not run, and untouched otherwise: Cocoa 257 over EPERM without
    ///     access, NSFileProviderError when the download failed, 3072 after ``cancel()``, 4097 when the provider
    ///     went away during the wait, 4099 when it could not be reached, 4101 when its answer made no sense, else
    ///     Cocoa's code for the errno that a plain read would have met.
    ///   - reader: gets the URL to use: another than `url` if the item moved during the wait.
    /// - Source: <https://developer.apple.com/documentation/foundation/nsfilecoordinator/coordinate(readingitemat:options:error:byaccessor:)>
    open func coordinate(
      readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
      byAccessor reader: (URL) -> Void
    ) {
      do throws(CoordinationFailure) {
        let claim = try claim(reading: url, options)
        // On the way out, whatever the accessor does.
        defer { claim.finish() }
        reader(claim.url)
      } catch {
        outError?.pointee = ErrorMapping.error(error, url: url)
      }
    }

    /// Ends every wait of this coordinator with Cocoa 3072, and makes later calls fail so at once.
    ///
    /// Accessors that already run go on. Returns at once. Any thread.
    /// - Source: <https://developer.apple.com/documentation/foundation/nsfilecoordinator/cancel()>
    open func cancel() {
      let waiting = state.withLock { state in
        state.canceled = true
        return Array(state.waiting.values)
      }
      for pending in waiting { pending.cancel() }
    }

    private func claim(reading url: URL, _ options: ReadingOptions) throws(CoordinationFailure) -> Claim {
      if state.withLock({ $0.canceled }) { throw .canceled }
      guard let path = url.fileSystemBytes else { return Claim(url: url) }
      let location: ProviderLocation?
      do {
        location = try ProviderLookup.location(of: path)
      } catch {
        throw .unreachable(error)
      }
      // Readers never wait for readers, and in the process nothing else can be coordinated yet.
      guard let location else { return Claim(url: url) }
      return try claim(reading: url, options, at: location)
    }

    func claim(
      reading url: URL, _ options: ReadingOptions, at location: ProviderLocation
    ) throws(CoordinationFailure) -> Claim {
      var request = RequestLine(verb: "coordinate")
      request.intents = [IntentLine(path: location.wirePath, kind: "read", options: options.names)]
      request.purpose = purposeIdentifier
      let call: Connections.Call
      do {
        call = try Connections.shared.begin(request, socket: location.mount.socket)
      } catch {
        throw .unreachable(error)
      }
      let reply: ReplyLine
      do {
        reply = try wait(for: call.reply)
      } catch {
        throw error == .canceled ? .canceled : .interrupted(error)
      }
      guard reply.ok else {
        guard let error = reply.error else {
          throw .interrupted(.malformed("a refusal without an error"))
        }
        throw .refused(error)
      }
      return try Claim(reply: reply, client: call.client, url: url, location: location)
    }

    private func wait(for reply: PendingReply) throws(ConnectionProblem) -> ReplyLine {
      let key: UInt64? = state.withLock { state in
        if state.canceled { return nil }
        state.nextKey += 1
        state.waiting[state.nextKey] = reply
        return state.nextKey
      }
      guard let key else {
        // Canceled between the first look and here.
        reply.cancel()
        return try reply.wait()
      }
      defer { state.withLock { _ = $0.waiting.removeValue(forKey: key) } }
      return try reply.wait()
    }

    /// Apple raises an exception, which Swift cannot; the process ends with the same reason. `fatalError` and not
    /// `preconditionFailure`, whose text is missing from optimized builds.
    private static func raise(_ reason: String) -> Never {
      fatalError("NSInvalidArgumentException: \(reason)")
    }
  }

  extension NSFileCoordinator.ReadingOptions {
    /// As the protocol names them; bits that have no name are ignored.
    var names: [String]? {
      let named: [(NSFileCoordinator.ReadingOptions, String)] = [
        (.withoutChanges, "withoutChanges"), (.resolvesSymbolicLink, "resolvesSymbolicLink"),
        (.immediatelyAvailableMetadataOnly, "immediatelyAvailableMetadataOnly"),
        (.forUploading, "forUploading"),
      ]
      let names = named.filter { contains($0.0) }.map(\.1)
      return names.isEmpty ? nil : names
    }
  }
#endif
