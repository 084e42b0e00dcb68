import Foundation
import ProviderTesting
import Testing

/// What an app's staging function meets on a device, in each of the modes that its source claims.
@Suite(.timeLimit(.minutes(5))) struct `An app that stages a picked document` {
  private typealias Place = StagingPlace

  @Test(arguments: StagingProgram.allCases)
  func `without a grant is refused by its guard`(program: StagingProgram) async throws {
    try await Place.with { place in
      let result = try await place.run(program)
      // Nothing underlies it: the function throws it by itself.
      place.expect(result, failedWith: "NSCocoaErrorDomain 257")
      #expect(try await place.story(of: result.process) == ["scopeRefused"])
      #expect(try place.copies.sizes().isEmpty)
    }
  }

  @Test(arguments: StagingProgram.allCases)
  func `gets the document's bytes, downloaded before its accessor opens it`(
    program: StagingProgram
  ) async throws {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let result = try await place.run(program)
      try place.expectWholeCopy(result)
      #expect(
        try await place.story(of: result.process) == [
          "scopeStarted", "downloadStarted", "downloadFinished", "claimGranted", "open", "claimFinished",
          "scopeStopped",
        ])
      let open = try await place.provider.event { $0.operation == "open" }
      #expect(open.scoped == true && open.copy == .local)
      try await place.expectNothingHeld()
    }
  }

  @Test(arguments: StagingProgram.allCases)
  func `whose access is revoked during the download cannot open it`(program: StagingProgram) async throws {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let hold = try await place.provider.hold(.download, Place.item, at: "40%")
      let app = try place.start(program)
      try await hold.waitUntilParked()
      #expect(try await place.provider.status(of: Place.item).arrived == 400_000)
      try await place.provider.revoke(Place.item)
      #expect(try await place.provider.status(of: Place.item).scopes == [])
      try await hold.release()
      let result = try await place.result(of: app)
      place.expect(result, failedWith: "NSCocoaErrorDomain 513 (NSPOSIXErrorDomain 1)")
      #expect(
        try await place.story(of: result.process) == [
          "scopeStarted", "downloadStarted", "downloadFinished", "claimGranted", "EPERM", "claimFinished",
        ])
      #expect(try place.copies.sizes().isEmpty)
      try await place.expectNothingHeld()
    }
  }

  @Test(arguments: StagingProgram.allCases)
  func `whose access is revoked during a read gets the whole document`(program: StagingProgram) async throws {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let hold = try await place.provider.hold(.read, Place.item, at: "40%")
      let app = try place.start(program)
      try await hold.waitUntilParked()
      let revoked = try await place.provider.revoke(Place.item)
      #expect(revoked.scopes == 1 && revoked.descriptors == 1 && revoked.processesKilled == 0)
      #expect(try await place.provider.status(of: Place.item).scopes == [])
      try await hold.release()
      let result = try await place.result(of: app)
      try place.expectWholeCopy(result)
      #expect(try await place.story(of: result.process).suffix(2) == ["open", "claimFinished"])
      try await place.expectNothingHeld()
    }
  }

  @Test(arguments: StagingProgram.allCases)
  func `whose reads are revoked, too, fails and keeps no part`(program: StagingProgram) async throws {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let hold = try await place.provider.hold(.read, Place.item, at: "40%")
      let app = try place.start(program)
      try await hold.waitUntilParked()
      try await place.provider.revoke(Place.item, reads: true)
      #expect(try await place.provider.status(of: Place.item).scopes == [])
      try await hold.release()
      let result = try await place.result(of: app)
      place.expect(result, failedWith: "NSCocoaErrorDomain 513 (NSPOSIXErrorDomain 1)")
      #expect(try await place.story(of: result.process).suffix(2) == ["open", "claimFinished"])
      try place.expectNoCopy(program)
      try await place.expectNothingHeld()
    }
  }

  private static let errors = [("EIO", EIO), ("ETIMEDOUT", ETIMEDOUT), ("EDEADLK", EDEADLK)]

  @Test(arguments: StagingProgram.allCases, errors)
  func `whose read fails reports it as a failed copy`(
    program: StagingProgram, error: (name: String, number: Int32)
  ) async throws {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let hold = try await place.provider.hold(.read, Place.item, at: "40%")
      let app = try place.start(program)
      try await hold.waitUntilParked()
      try await hold.release(error: error.name)
      let result = try await place.result(of: app)
      place.expect(result, failedWith: "NSCocoaErrorDomain 512 (NSPOSIXErrorDomain \(error.number))")
      #expect(
        try await place.story(of: result.process).suffix(3) == ["open", "claimFinished", "scopeStopped"])
      try place.expectNoCopy(program)
      try await place.expectNothingHeld()
      #expect(try await place.run(program).code == 0)
    }
  }

  @Test(arguments: StagingProgram.allCases, errors)
  func `whose download fails is told by coordination, and may try again`(
    program: StagingProgram, error: (name: String, number: Int32)
  ) async throws {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let hold = try await place.provider.hold(.download, Place.item, at: "40%")
      let app = try place.start(program)
      try await hold.waitUntilParked()
      try await hold.release(error: error.name)
      let result = try await place.result(of: app)
      place.expect(result, failedWith: "NSCocoaErrorDomain 256 (NSPOSIXErrorDomain \(error.number))")
      #expect(
        try await place.story(of: result.process) == [
          "scopeStarted", "downloadStarted", "downloadFailed", "claimFailed", "scopeStopped",
        ])
      #expect(try place.copies.sizes().isEmpty)
      try await place.expectNothingHeld()
      try place.expectWholeCopy(await place.run(program))
    }
  }

  @Test(arguments: StagingProgram.allCases)
  func `in the simulator needs a pick for its guard only`(program: StagingProgram) async throws {
    try await Place.with(profile: "simulator") { place in
      let refused = try await place.run(program)
      place.expect(refused, failedWith: "NSCocoaErrorDomain 257")
      // The same file opens for anybody, as the real Simulator has it.
      let path = place.path
      let plain = try await blocking { try Data(contentsOf: URL(fileURLWithPath: path)) == Place.content }
      #expect(plain)
      try await place.provider.pick(Place.item)
      try place.expectWholeCopy(await place.run(program))
      try await place.expectNothingHeld()
    }
  }

  @Test(arguments: StagingProgram.allCases)
  func `is told 4097 when the provider is killed during the download`(program: StagingProgram) async throws {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let hold = try await place.provider.hold(.download, Place.item, at: "40%")
      let app = try place.start(program)
      try await hold.waitUntilParked()
      try await place.provider.kill()
      let result = try await place.result(of: app)
      place.expect(result, failedWith: "NSCocoaErrorDomain 4097")
      #expect(try place.copies.sizes().isEmpty)
    }
  }

  @Test(arguments: StagingProgram.allCases)
  func `whose provider is killed during a read has no copy`(program: StagingProgram) async throws {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let hold = try await place.provider.hold(.read, Place.item, at: "40%")
      let app = try place.start(program)
      try await hold.waitUntilParked()
      try await place.provider.kill()
      await place.provider.unmount()
      let result = try await place.result(of: app)
      // What was parked was read ahead, and aborted; the kernel asks once more, which may be too late for that.
      let cause = result.errors.contains("NSPOSIXErrorDomain \(ENOTCONN)") ? ENOTCONN : ECONNABORTED
      place.expect(result, failedWith: "NSCocoaErrorDomain 512 (NSPOSIXErrorDomain \(cause))")
      try place.expectNoCopy(program)
    }
  }

  @Test(arguments: StagingProgram.allCases)
  func `gets an error when the provider is unmounted during the download`(program: StagingProgram)
    async throws
  {
    try await Place.with { place in
      try await place.provider.pick(Place.item)
      let hold = try await place.provider.hold(.download, Place.item, at: "40%")
      let app = try place.start(program)
      try await hold.waitUntilParked()
      await place.provider.unmount()
      let result = try await place.result(of: app)
      place.expect(result, failedWith: "NSCocoaErrorDomain 256 (NSPOSIXErrorDomain \(ECONNABORTED))")
      #expect(try place.copies.sizes().isEmpty)
    }
  }
}
