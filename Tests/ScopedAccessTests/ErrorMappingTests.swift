import Foundation
import Glibc
import ProviderControl
import ProviderModel
import Testing

@testable import ScopedAccess

@Suite struct `An error of a coordinated read` {
  private let url = URL(fileURLWithPath: "/m/Übung/a.pdf")

  private func mapped(_ error: ProviderError) -> NSError {
    ErrorMapping.error(.refused(ErrorLine(error, path: nil)), url: url)
  }

  private func posix(_ error: NSError) -> Int32? {
    guard let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError else { return nil }
    return underlying.domain == NSPOSIXErrorDomain ? Int32(underlying.code) : nil
  }

  @Test(arguments: [
    ProviderError.accessNotGranted, .accessRevoked, .callerNotVisible, .tooManyScopes, .source(.EPERM),
  ])
  func `without access is 257 over EPERM, with the path and the URL`(error: ProviderError) {
    let error = mapped(error)
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == 257)
    #expect(posix(error) == EPERM)
    #expect(error.userInfo[NSFilePathErrorKey] as? String == "/m/Übung/a.pdf")
    #expect(error.userInfo[NSURLErrorKey] as? URL == url)
    #expect((error as? CocoaError)?.code == .fileReadNoPermission)
  }

  @Test(arguments: [
    (ProviderError.noSuchItem, 260, ENOENT), (.source(.ENOENT), 260, ENOENT), (.source(.EACCES), 257, EACCES),
    (.source(.ENAMETOOLONG), 258, ENAMETOOLONG), (.source(.EFBIG), 263, EFBIG), (.released(.EIO), 256, EIO),
    (.released(.EDEADLK), 256, EDEADLK), (.sourceChanged, 256, ESTALE), (.notADirectory, 256, ENOTDIR),
    (.isADirectory, 256, EISDIR), (.notASymbolicLink, 256, EINVAL), (.readOnly, 256, EROFS),
    (.interrupted, 256, EINTR), (.stopping, 256, ECONNABORTED), (.busy, 256, EBUSY), (.badHandle, 256, EBADF),
    (.noSuchAttribute, 256, ENODATA), (.resultTooLarge, 256, ERANGE), (.invalid("x"), 256, EINVAL),
    (.notSupported, 3328, EOPNOTSUPP),
  ])
  func `is Cocoa's code for the errno of a plain read`(error: ProviderError, code: Int, errno: Int32) {
    let error = mapped(error)
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == code)
    #expect(posix(error) == errno)
  }

  @Test(arguments: [
    (FileProviderErrorName.notAuthenticated, -1000), (.insufficientQuota, -1003), (.serverUnreachable, -1004),
    (.cannotSynchronize, -2005), (.unsyncedEdits, -2007), (.nonEvictable, -2008),
  ])
  func `from the provider is NSFileProviderError itself`(name: FileProviderErrorName, code: Int) {
    let error = mapped(.provider(name))
    #expect(error.domain == "NSFileProviderErrorDomain")
    #expect(error.code == code)
    #expect(error.localizedDescription.hasPrefix("the provider answered \(name.rawValue)"))
  }

  @Test(arguments: CocoaErrorName.allCases) func `of Cocoa's own is that`(name: CocoaErrorName) {
    let error = mapped(.cocoa(name))
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == name.code)
  }

  @Test func `that was canceled is 3072`() {
    for failure in [CoordinationFailure.canceled, .interrupted(.canceled), .unreachable(.canceled)] {
      let error = ErrorMapping.error(failure, url: url)
      #expect(error.domain == NSCocoaErrorDomain && error.code == 3072)
    }
    #expect(mapped(.canceled).code == 3072)
  }

  @Test(arguments: [
    (ConnectionProblem.notRunning(socket: "/s"), 4099, 4097), (.refused(socket: "/s"), 4099, 4097),
    (.pathTooLong(socket: "/s"), 4099, 4097), (.timedOut, 4099, 4097), (.closed, 4099, 4097),
    (.system(.EIO, call: "recv"), 4099, 4097), (.lineTooLong, 4101, 4101), (.malformed("x"), 4101, 4101),
  ])
  func `for want of a provider tells the call from the wait`(problem: ConnectionProblem, call: Int, wait: Int)
  {
    #expect(ErrorMapping.error(.unreachable(problem), url: url).code == call)
    #expect(ErrorMapping.error(.interrupted(problem), url: url).code == wait)
  }

  @Test func `with a word that is not known goes by its errno`() {
    let line = ErrorLine(code: "moonPhase", errno: "ENOENT", message: "new moon")
    let error = ErrorMapping.error(.refused(line), url: url)
    #expect(error.code == 260)
    #expect(error.userInfo[NSDebugDescriptionErrorKey] as? String == "new moon")
    let other = ErrorMapping.error(.refused(ErrorLine(code: "x", errno: "EMOON", message: "")), url: url)
    #expect(other.code == 256)
    #expect(posix(other) == EIO)
  }
}
