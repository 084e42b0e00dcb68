#if os(Linux)

  internal import ProviderControl

  extension RunningProvider {
    /// Parks operations on an item, or on everything in a folder, until the hold is released.
    /// - Parameters:
    ///   - at: where in the file: "40%", or a byte like "65536". A read that covers it waits whole; a download
    ///     waits there. nil: from its start.
    ///   - name: for ``Condition/parked(hold:)`` and the journal; nil: the provider chooses one.
    /// - Throws: ``ProviderFailure``. The hold ends with this provider at the latest.
    public func hold(
      _ operation: HoldableOperation, _ path: ItemPath, at: String? = nil, name: String? = nil
    ) async throws -> Hold {
      let reply = try await call("hold") {
        $0.operation = operation.rawValue
        $0.path = WirePath(bytes: path.bytes)
        $0.at = at
        $0.name = name
      }
      return Hold(name: reply.name ?? name ?? "", provider: self)
    }

    /// Where operations are parked.
    public struct Hold: Sendable {
      public let name: String
      let provider: RunningProvider

      /// Returns once something waits here.
      public func waitUntilParked(timeout: Duration = .seconds(60)) async throws {
        try await provider.wait(for: .parked(hold: name), timeout: timeout)
      }

      /// How many operations wait here now.
      public var parked: Int {
        get async throws {
          let reply = try await provider.call("holds")
          return reply.holds?.first { $0.name == name }?.parked ?? 0
        }
      }

      /// Ends the hold.
      /// - Parameter error: an errno's name like "EIO", with which what waits here fails; nil: it goes on.
      /// - Returns: how many operations waited.
      @discardableResult public func release(error: String? = nil) async throws -> Int {
        try await provider.call("release") {
          $0.name = name
          $0.error = error
        }.released ?? 0
      }
    }

    /// The provider's clock.
    public var clock: Clock { Clock(provider: self) }

    public struct Clock: Sendable {
      let provider: RunningProvider

      /// Provider time since the provider's start.
      public var now: Duration {
        get async throws { .nanoseconds(try await state("show").nowNanoseconds) }
      }

      /// When something is due next; nil: nothing waits for time to pass.
      public var next: Duration? {
        get async throws { try await state("show").nextNanoseconds.map { .nanoseconds($0) } }
      }

      /// Lets time pass; what is due by then has happened when this returns. For a manual or paused clock.
      public func advance(by duration: Duration) async throws {
        guard duration >= .zero, let length = duration.spanText else {
          throw ProviderFailure.refused(
            code: "badRequest", errno: "EINVAL", message: "the clock cannot be advanced by \(duration)",
            path: nil)
        }
        try await state("advance", length)
      }

      /// Lets time pass until something happens. For a manual or paused clock.
      public func advanceToNext() async throws { try await state("advanceToNext") }

      public func pause() async throws { try await state("pause") }
      public func resume() async throws { try await state("resume") }

      @discardableResult private func state(_ action: String, _ value: String? = nil) async throws
        -> ClockLine
      {
        let reply = try await provider.call("clock") {
          $0.action = action
          $0.value = value
        }
        guard let clock = reply.clock else { throw ProviderFailure.ended("a clock without a time") }
        return clock
      }
    }
  }

  extension Duration {
    /// As a provider reads it; nil for one that is too long for it.
    var spanText: String? {
      let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
      let (nanoseconds, carry) = seconds.addingReportingOverflow(components.attoseconds / 1_000_000_000)
      return overflow || carry ? nil : "\(nanoseconds)ns"
    }
  }

#endif
