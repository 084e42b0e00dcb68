#if os(Linux)

  public import FoundationEssentials
  internal import Glibc
  internal import ProviderControl
  internal import Synchronization

  /// A provider that a test has to itself: a process and a mount in a temporary place, which both end with
  /// this object, whatever state they are in.
  ///
  ///     try await withProvider(profile: "slow-cloud", source: .folder("Documents")) { provider in
  ///       try await provider.pick("a.pdf")
  ///       let hold = try await provider.hold(.download, "a.pdf", at: "40%")
  ///       async let bytes = blocking { try Data(contentsOf: provider.url(of: "a.pdf")) }
  ///       try await hold.waitUntilParked()
  ///       try await hold.release()
  ///       _ = try await bytes
  ///     }
  ///
  /// Its methods are the verbs of `fakeprovider`, and return once the verb's effect is in force. They may be
  /// called from any task or thread. None touches the mount; read that only within ``blocking(_:)``, or in a
  /// child process.
  ///
  /// Time-outs are real time whatever the provider's clock; they are there so that a test fails instead of
  /// hanging, and are no part of what is tested.
  public final class RunningProvider: Sendable {
    /// The server's content.
    public enum Source: Sendable {
      /// The documents that come along.
      case samples
      /// A folder, which is read and never changed.
      case folder(String)
    }

    /// How provider time passes.
    public enum ClockMode: Hashable, Sendable {
      case real
      /// This many times as fast, from 1 to 1,000,000.
      case scaled(Int)
      /// Only by ``Clock-swift.struct/advance(by:)``.
      case manual
    }

    /// The mountpoint, absolute and without symbolic links.
    public let path: String
    /// The control socket, for programs in any language: docs/control-protocol.md.
    public let socket: String
    let folder: String
    let process: ChildProcess
    let client: Client
    /// Open for as long as this process lives; the provider ends when it is closed.
    private let lifeline: Int32
    private let ended = Mutex(false)

    /// The provider's process.
    public var processID: Int32 { process.pid }

    /// Mounts a provider and returns once it can be used.
    /// - Parameters:
    ///   - profile: a profile's name, or the path of its file.
    ///   - seed: what chance depends on, instead of the profile's.
    ///   - kernel: hides what is newer than this kernel, like "6.1", so that a test meets the fallbacks
    ///     (FAKEPROVIDER_KERNEL); nil: as this process's environment says.
    ///   - executable: the `fakeprovider` to run; nil: $FAKEPROVIDER, else beside this process's executable,
    ///     else in PATH.
    ///   - timeout: real time until it must be mounted.
    /// - Throws: ``ProviderFailure``; nothing is mounted then.
    public static func start(
      profile: String, source: Source = .samples, clock: ClockMode = .real, seed: UInt64? = nil,
      kernel: String? = nil, executable: String? = nil, timeout: Duration = .seconds(60)
    ) async throws -> RunningProvider {
      var options = ["--profile", profile]
      switch source {
      case .samples: options.append("--sample")
      case .folder(let folder): options += ["--source", folder]
      }
      switch clock {
      case .real: break
      case .scaled(let factor): options += ["--clock", "scaled:\(factor)"]
      case .manual: options += ["--clock", "manual"]
      }
      if let seed { options += ["--seed", "\(seed)"] }
      let words = [try executable ?? Executable.find(), "mount"] + options
      return try await blocking { try RunningProvider(words, kernel: kernel, timeout: timeout) }
    }

    private init(_ words: [String], kernel: String?, timeout: Duration) throws {
      let lifeline = try ChildProcess.Pipe()
      let folder = try TemporaryFolder.make()
      let mountpoint = folder + "/mount"
      // Without the crash reporter a provider that crashes ends at once.
      var environment: [String: String?] = ["SWIFT_BACKTRACE": "enable=no"]
      if let kernel { environment["FAKEPROVIDER_KERNEL"] = kernel }
      let process: ChildProcess
      do {
        guard mkdir(mountpoint, 0o755) == 0 else {
          throw ProviderFailure.system(call: "mkdir \(mountpoint)", errno: errno)
        }
        process = try ChildProcess(
          words + ["--lifeline", "3", mountpoint], environment: environment, inherited: [3: lifeline.reading])
      } catch {
        close(lifeline.reading)
        close(lifeline.writing)
        Teardown.remove(folder: folder, mountpoint: mountpoint)
        throw error
      }
      close(lifeline.reading)
      do {
        socket = try RunningProvider.awaitSocket(of: process, at: mountpoint, timeout: timeout)
        client = try RunningProvider.connect(to: socket)
      } catch {
        close(lifeline.writing)
        Teardown.kill(process, folder: folder, mountpoint: mountpoint)
        throw error
      }
      (self.folder, self.process, self.lifeline) = (folder, process, lifeline.writing)
      path = mountpoint
    }

    /// Waits until it is mounted, and asks the mount table for its socket.
    private static func awaitSocket(
      of process: ChildProcess, at mountpoint: String, timeout: Duration
    ) throws -> String {
      guard let bytes = process.readLine(timeout: timeout) else {
        guard let end = process.waitForEnd(timeout: .seconds(1)) else {
          throw ProviderFailure.timedOut(what: "a provider's mount at \(mountpoint)")
        }
        let message = process.errorText.split(separator: "\n").joined(separator: "\n")
        throw ProviderFailure.didNotStart(exitCode: end.code, message: message)
      }
      let line = String(decoding: bytes, as: UTF8.self)
      guard line == "ready \(mountpoint)" else {
        throw ProviderFailure.ended("it said \"\(line)\", not that it is ready")
      }
      guard let mount = try Teardown.mount(at: mountpoint) else {
        throw ProviderFailure.ended("nothing is mounted at \(mountpoint)")
      }
      return String(decoding: mount.socket, as: UTF8.self)
    }

    private static func connect(to socket: String) throws -> Client {
      do {
        return try Client(connectingTo: Array(socket.utf8))
      } catch {
        throw ProviderFailure(error, during: "connecting to the provider")
      }
    }

    deinit {
      end()
      close(lifeline)
    }

    // MARK: Where things are

    /// The URL of an item, whether it exists or not; the mount is not asked.
    public func url(of path: String) -> URL {
      URL(filePath: "\(self.path)/\(path)", directoryHint: .notDirectory)
    }

    // MARK: The end

    /// Answers whoever still waits, unmounts, and returns once the process has ended.
    ///
    /// A provider that does not answer (it was killed, or is stopped) is killed, and its mount taken away.
    /// More than one call does nothing more.
    public func unmount() async {
      _ = try? await blocking { [self] in end() }
    }

    /// Blocks the calling thread, for half a minute at the very most.
    private func end() {
      // The one that ends it keeps the others waiting, so that it has ended for them, too.
      ended.withLock { ended in
        if !ended { endOnce() }
        ended = true
      }
    }

    private func endOnce() {
      // Its end is what counts; the reply comes shortly before. Somebody may stop the process meanwhile.
      if process.hasEnded == nil, (try? client.begin(RequestLine(verb: "unmount"))) != nil {
        for _ in 0..<30 where !process.isStopped {
          if process.waitForEnd(timeout: .milliseconds(500)) != nil { break }
        }
      }
      client.close()
      Teardown.kill(process, socket: socket, folder: folder, mountpoint: path)
    }

    /// Kills the provider's process (SIGKILL), as a crash would, and returns once it has ended: calls that
    /// waited in the mount fail with ECONNABORTED, later ones with ENOTCONN, until ``unmount()`` takes the
    /// mount away.
    /// - Throws: ``ProviderFailure/timedOut(what:)``.
    public func kill() async throws {
      try await blocking { [process] in
        process.send(signal: SIGKILL)
        guard process.waitForEnd(timeout: .seconds(30)) != nil else {
          throw ProviderFailure.timedOut(what: "the end of a killed provider")
        }
      }
    }

    /// Stops the provider's process (SIGSTOP): when this returns it answers nobody until ``resume()``.
    public func suspend() {
      guard process.send(signal: SIGSTOP) else { return }
      // A signal takes its time to arrive. One that has ended meanwhile is no child to wait for any more.
      var information = siginfo_t()
      while waitid(P_PID, id_t(process.pid), &information, WSTOPPED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// Lets a suspended provider go on (SIGCONT).
    public func resume() { process.send(signal: SIGCONT) }
  }

  /// Runs `body` with a provider of its own, which has ended when this returns.
  /// - Parameters: as ``RunningProvider/start(profile:source:clock:seed:kernel:executable:timeout:)``.
  /// - Throws: ``ProviderFailure`` if it does not start, and what `body` throws.
  public func withProvider<Value>(
    profile: String, source: RunningProvider.Source = .samples,
    clock: RunningProvider.ClockMode = .real, seed: UInt64? = nil, kernel: String? = nil,
    executable: String? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (RunningProvider) async throws -> Value
  ) async throws -> Value {
    let provider = try await RunningProvider.start(
      profile: profile, source: source, clock: clock, seed: seed, kernel: kernel, executable: executable)
    do {
      let value = try await body(provider)
      await provider.unmount()
      return value
    } catch {
      await provider.unmount()
      throw error
    }
  }

#endif
