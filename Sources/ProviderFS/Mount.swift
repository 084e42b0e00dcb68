import CFuse
import CLinux
import Glibc
import ProviderControl
package import ProviderHost
package import ProviderModel
import Synchronization

/// A mounted provider: kernel requests in, the model's effects out. A skin: it decides nothing.
///
/// Receive threads call ``receive(_:)``; the threads that carry out effects are those, the timer, the control
/// thread and the workers. It lives as long as the process, which ends by `_exit` (see cfuse_run).
package final class Mount: Backend {
  package struct Configuration: Sendable {
    package var mountpoint: String
    package var socket: String
    package var features: KernelFeatures
    package var debug: Bool
    /// Starts ``MountChildProgram`` with this end of a socket, and says which process it is.
    package var startChild: @Sendable (_ socket: Int32) throws -> Int32
    package init(
      mountpoint: String, socket: String, features: KernelFeatures, debug: Bool = false,
      startChild: @escaping @Sendable (_ socket: Int32) throws -> Int32
    ) {
      self.mountpoint = mountpoint
      self.socket = socket
      self.features = features
      self.debug = debug
      self.startChild = startChild
    }
  }

  private static let receiveThreads: UInt32 = 4

  private let configuration: Configuration
  private let host: ProviderHost
  private let folder: ServerFolder
  private let workers: WorkerPool
  /// Keeping a new content may take as long as its disk does, and nobody else's reply may wait for that.
  private let blobWorker: WorkerPool
  private let blobs: BlobStore
  private let child: MountChild
  private let pending = PendingReplies()
  private let files = OpenFiles()
  private let cache: KernelCache
  /// Whether opens are looked up with their ancestors: only when a scope may cover descendants.
  private let inheritance: Profile.Access.Inheritance

  package init(
    _ configuration: Configuration, host: ProviderHost, folder: ServerFolder,
    inheritance: Profile.Access.Inheritance
  ) throws(SystemError) {
    self.configuration = configuration
    self.host = host
    self.folder = folder
    self.inheritance = inheritance
    workers = try WorkerPool(threads: 2)
    blobWorker = try WorkerPool(threads: 1)
    blobs = BlobStore(mountpoint: configuration.mountpoint)
    child = MountChild(start: configuration.startChild) { id, error in
      host.handle(.completed(.mirrored(id, error)))
    }
    cache = try KernelCache()
    host.setBackend(self)
  }

  /// Mounts and starts to serve; returns when the mount can be used.
  /// - Parameter ended: called when the mount was taken away from outside.
  package func start(_ ended: @escaping @Sendable () -> Void) throws(SystemError) {
    // Retained for ever: the loop's threads may still be in a call when the process ends.
    let context = Unmanaged.passRetained(self).toOpaque()
    let session: OpaquePointer? = configuration.mountpoint.withCString { mountpoint in
      options.withCString { options in
        var configuration = cfuse_configuration(
          mountpoint: mountpoint, options: options, direct_io_mmap: configuration.features.directIOMmap,
          debug: configuration.debug)
        return cfuse_mount(
          &configuration,
          { context, op in
            guard let context else { return }
            Unmanaged<Mount>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.receive(op.pointee) }
          },
          { context, token in
            guard let context else { return }
            Unmanaged<Mount>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.interrupted(RequestID(token)) }
          }, context)
      }
    }
    guard let session else {
      let error = SystemError("cannot mount at \(configuration.mountpoint)")
      Unmanaged<Mount>.fromOpaque(context).release()
      throw error
    }
    cache.start(session) { [host] slot in host.handle(.completed(.pagesDropped(slot))) }
    // Sound: the session is used by libfuse's own threads; ours only hands it over.
    nonisolated(unsafe) let handedOver = session
    Threads.start("fuse") {
      _ = cfuse_run(handedOver, Mount.receiveThreads)
      ended()
    }
  }

  /// To be called when everyone has been answered: nobody of ours may be left in the mount.
  package func endChild() { child.end() }

  /// As mount(8) -o takes them.
  private var options: String {
    let source = (MountTable.sourcePrefix + configuration.socket)
      .replacing("\\", with: "\\\\").replacing(",", with: "\\,")
    var options = ["fsname=\(source)", "subtype=fakeprovider", "default_permissions", "nodev", "nosuid"]
    // Root serves everyone; an ordinary user's mount is that user's own.
    if geteuid() == 0 { options.append("allow_other") }
    return options.joined(separator: ",")
  }

  // MARK: Requests in

  private func receive(_ op: cfuse_op) {
    switch RequestDecoding.decode(op) {
    case .notice(let notice):
      host.handle(.notice(notice), mayBlock: true)
      // A release wants an answer, though nobody waits for it.
      if let request = op.request { PendingReply(request).done() }
    case .nameTooLong:
      if let request = op.request { PendingReply(request).fail(.ENAMETOOLONG) }
    case .request(let operation):
      guard let request = op.request else { return }
      let id = pending.add(request)
      // Before the model may answer: after that the request is nobody's.
      cfuse_arm_interrupt(request, id.rawValue)
      let caller = caller(of: op, operation)
      let asked = KernelRequest(
        id: id, operation: operation, caller: caller, fillsCache: op.fills_cache,
        isOurs: child.isCaller(caller))
      host.handle(.request(asked), mayBlock: true)
      if pending.admit(id) { host.handle(.notice(.interrupted(id)), mayBlock: true) }
    }
  }

  private func interrupted(_ id: RequestID) {
    if pending.interrupt(id) { host.handle(.notice(.interrupted(id)), mayBlock: true) }
  }

  /// Who asks. What the gate decides by is looked up each time.
  private func caller(of op: cfuse_op, _ operation: ProviderModel.Operation) -> Caller {
    var caller = Caller(thread: op.thread, process: nil, user: op.user, group: op.group)
    switch operation {
    case .open, .change, .setAttribute:
      caller.process = host.processes.process(ofThread: op.thread)
      guard let process = caller.process else { break }
      caller.app = host.processes.app(of: process)
      if inheritance == .children || host.hasInheritableScopes {
        caller.ancestors = host.processes.ancestors(of: process)
      }
    case .read, .openDirectory, .lookup, .getAttributes, .readLink, .readDirectory, .statistics,
      .getAttribute,
      .listAttributes, .synchronize:
      guard let known = host.processes.recentCaller(ofThread: op.thread) else { break }
      (caller.process, caller.app) = (known.process, known.app)
    }
    return caller
  }

  // MARK: Effects out

  package func perform(_ effect: Effect, mayBlock: Bool) {
    if effect.needsDisk {
      blobWorker.run { [self] in carryOut(effect) }
    } else if mayBlock || !effect.needsFileAccess {
      carryOut(effect)
    } else {
      workers.run { [self] in carryOut(effect) }
    }
  }

  private func carryOut(_ effect: Effect) {
    switch effect {
    case .reply(let id, let reply): answer(id, reply)
    case .list(let slot, let path): host.handle(.completed(.listed(slot, folder.list(path))), mayBlock: true)
    case .open(let handle, let content):
      let result = open(content).map { opened, found in
        files.add(opened, for: handle)
        return found
      }
      host.handle(.completed(.opened(handle, result)), mayBlock: true)
    case .makeBlob(let blob, let content, let base):
      host.handle(.completed(.blobMade(blob, make(blob, content, base))))
    case .dropBlob(let blob): blobs.drop(blob)
    case .copyOut(let copy, let content, let name, let folder):
      host.handle(.completed(.copied(copy, copyOut(content, name, folder))))
    case .removeCopy(let copy): PickerInbox.remove(copy)
    case .mirror(let id, let action): child.make(id, action)
    case .close(let handle): files.close(handle)
    case .invalidate(let node): cache.invalidate(.attributes(node))
    case .dropPages(let slot, let node): cache.invalidate(.pages(node, slot))
    case .answer, .event, .kill, .suspend, .resume, .limit: break  // the host's own
    }
  }

  private func open(_ content: ContentReference) -> Result<(Int32, OpenedContent), ErrnoName> {
    switch content {
    case .source(let path): folder.openContent(path).map { ($0.descriptor, .source($0.item)) }
    case .blob(let blob): blobs.open(blob).map { ($0, .blob) }
    }
  }

  private func make(_ blob: BlobID, _ content: NewContent, _ base: Content?) -> Result<
    MadeBlob, ProviderError
  > {
    guard let base else { return blobs.make(blob, content, base: nil) }
    switch open(base.reference) {
    case .failure(let error): return .failure(.source(error))
    case .success((let descriptor, .source(let found))) where found.stamp != base.stamp:
      close(descriptor)
      return .failure(.sourceChanged)
    case .success((let descriptor, _)): return blobs.make(blob, content, base: descriptor)
    }
  }

  private func copyOut(_ content: Content, _ name: Name, _ folder: [UInt8]) -> Result<MadeCopy, ProviderError>
  {
    switch open(content.reference) {
    case .failure(let error): return .failure(.source(error))
    case .success((let descriptor, .source(let found))) where found.stamp != content.stamp:
      close(descriptor)
      return .failure(.sourceChanged)
    case .success((let descriptor, _)):
      let inbox = PickerInbox(
        folder: folder, mountpoint: configuration.mountpoint, source: self.folder.root.stamp)
      return inbox.copy(descriptor, of: content, as: name)
    }
  }

  private func answer(_ id: RequestID, _ reply: Reply) {
    guard let pending = pending.take(id) else { return }
    switch reply {
    case .error(let error): pending.fail(error.errno)
    case .done: pending.done()
    case .attributes(let attributes): pending.attributes(cfuse_attributes(attributes))
    case .entry(let node, let attributes):
      if !pending.entry(node, cfuse_attributes(attributes)) {
        host.handle(.notice(.forget([Forgotten(node: node, lookups: 1)])))
      }
    case .opened(let handle, let lane): pending.opened(handle, directIO: lane == .direct)
    case .directory(let rows, let plus):
      let taken = pending.directory(rows, plus: plus)
      let lost = plus ? rows[taken...].compactMap(\.node) : []
      if !lost.isEmpty {
        host.handle(.notice(.forget(lost.map { Forgotten(node: $0, lookups: 1) })))
      }
    case .bytes(let bytes): pending.bytes(bytes)
    case .length(let count): pending.length(count)
    case .content(let handle, let offset, let length, let stamp, let alteration):
      let read = read(handle, offset, length, stamp, alteration)
      if case .failure(.ESTALE) = read { host.handle(.completed(.changed(handle))) }
      confirm(id, read)
      switch read {
      case .success(let bytes): pending.bytes(bytes)
      case .failure(let error): pending.fail(error)
      }
    case .linkTarget(let content):
      let target = linkTarget(content)
      confirm(id, target)
      switch target {
      case .success(let target): pending.target(target)
      case .failure(let error): pending.fail(error)
      }
    case .sourceAttribute(let path, let name, let capacity):
      answer(id, pending, folder.attribute(path, name, capacity: capacity), capacity)
    case .sourceAttributeList(let path, let made, let capacity):
      let ours = Array(made.map { $0 + [0] }.joined())
      let names = path.map(folder.attributeNames) ?? .success([])
      answer(id, pending, names.map { $0 + ours }, capacity)
    case .statistics:
      confirm(id, Result<Void, ErrnoName>.success(()))
      pending.statistics(cfuse_statistics(folder.statistics))
    }
  }

  private func linkTarget(_ content: ContentReference) -> Result<[CChar], ErrnoName> {
    // Links come from the source alone.
    guard case .source(let path) = content else { return .failure(.EINVAL) }
    return folder.linkTarget(path)
  }

  /// Before the reply leaves: whoever has it finds its event in the journal.
  private func confirm<Value>(_ id: RequestID, _ result: Result<Value, ErrnoName>) {
    var error: ErrnoName?
    if case .failure(let name) = result { error = name }
    // Others' replies that come due by this are made on another thread: this one's buffer is in use.
    host.handle(.completed(.answered(id, error)), mayBlock: false)
  }

  private func answer(
    _ id: RequestID, _ pending: consuming PendingReply, _ attribute: Result<[UInt8], ErrnoName>,
    _ capacity: Int
  ) {
    let fitting = attribute.flatMap { value in
      capacity > 0 && value.count > capacity ? .failure(ErrnoName.ERANGE) : .success(value)
    }
    confirm(id, fitting)
    switch fitting {
    case .failure(let error): pending.fail(error)
    case .success(let value) where capacity == 0: pending.length(value.count)
    case .success(let value): pending.bytes(value)
    }
  }

  /// Into the thread's buffer, which it keeps until it reads again.
  private func read(
    _ handle: HandleID, _ offset: Int64, _ length: Int64, _ stamp: SourceStamp?, _ alteration: Alteration?
  ) -> Result<UnsafeRawBufferPointer, ErrnoName> {
    guard let descriptor = files[handle] else { return .failure(.EBADF) }
    guard let buffer = cfuse_thread_buffer(max(1, Int(clamping: length))) else { return .failure(.ENOMEM) }
    var count = 0
    while count < length {
      let read = pread(descriptor, buffer + count, Int(length) - count, Int(offset) + count)
      if read < 0, errno == EINTR { continue }
      if read < 0 { return .failure(ErrnoName(number: errno)) }
      if read == 0 { break }
      count += read
    }
    // After the bytes were read and before they go out: never a mix of two versions.
    if let stamp {
      var status = stat()
      guard fstat(descriptor, &status) == 0, SourceItem(status).stamp == stamp else {
        return .failure(.ESTALE)
      }
    }
    alteration?.apply(to: UnsafeMutableRawBufferPointer(start: buffer, count: count), at: offset)
    return .success(UnsafeRawBufferPointer(start: buffer, count: count))
  }
}

extension Effect {
  /// Whether carrying it out reads the source folder.
  /// Takes as long as a disk does, for a whole file.
  fileprivate var needsDisk: Bool {
    switch self {
    case .makeBlob, .dropBlob, .copyOut, .removeCopy: true
    default: false
    }
  }

  fileprivate var needsFileAccess: Bool {
    switch self {
    case .list, .open, .reply(_, .content), .reply(_, .linkTarget), .reply(_, .sourceAttribute),
      .reply(_, .sourceAttributeList), .reply(_, .statistics), .makeBlob, .copyOut, .removeCopy, .mirror:
      true
    case .reply, .close, .invalidate, .dropPages, .dropBlob, .answer, .event, .kill, .suspend, .resume,
      .limit:
      false
    }
  }
}

extension cfuse_statistics {
  fileprivate init(_ s: statvfs) {
    self.init(
      block_size_bytes: UInt64(s.f_frsize), blocks: UInt64(s.f_blocks), blocks_free: UInt64(s.f_bavail),
      files: UInt64(s.f_files), files_free: UInt64(s.f_favail), name_max: 255)
  }
}
