import Foundation
import ScopedAccess
import StageReport

// Claims: Swift 6 mode. Every spelling below is in use in apps; this file must compile without a warning.

func stage(_ url: URL) throws -> URL {
  guard url.startAccessingSecurityScopedResource() else {
    throw CocoaError(.fileReadNoPermission)
  }
  defer { url.stopAccessingSecurityScopedResource() }

  let copy = FileManager.default.temporaryDirectory
    .appendingPathComponent(UUID().uuidString)
    .appendingPathExtension("pdf")
  var coordinationError: NSError?
  var copyError: (any Error)?
  NSFileCoordinator().coordinate(readingItemAt: url, options: [], error: &coordinationError) { readable in
    do {
      try FileManager.default.copyItem(at: readable, to: copy)
    } catch {
      copyError = error
    }
  }
  if let coordinationError { throw coordinationError }
  if let copyError { throw copyError }
  return copy
}

/// The scope through NSURL, and a caller that wants no error.
func readThroughNSURL(_ url: NSURL) -> Data? {
  let started = url.startAccessingSecurityScopedResource()
  defer { if started { url.stopAccessingSecurityScopedResource() } }
  var data: Data?
  let coordinator = NSFileCoordinator(filePresenter: nil)
  coordinator.purposeIdentifier = "org.example.reader"
  coordinator.coordinate(readingItemAt: url as URL, options: .withoutChanges, error: nil) {
    data = try? Data(contentsOf: $0)
  }
  return data
}

/// Error pointers that are handed on and stored.
func size(of url: URL, error: NSErrorPointer) -> Int? {
  let stored: NSErrorPointer = error
  let none: NSErrorPointer = nil
  var size: Int?
  let options: NSFileCoordinator.ReadingOptions = [.withoutChanges, .immediatelyAvailableMetadataOnly]
  NSFileCoordinator().coordinate(readingItemAt: url, options: options, error: stored) { url in
    size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
  }
  if size == nil, stored?.pointee == nil {
    stored?.pointee = NSError(domain: NSCocoaErrorDomain, code: NSFileReadUnknownError)
  }
  none?.pointee = nil
  return size
}

/// A wait that another thread ends.
func cancelLater(_ coordinator: NSFileCoordinator) {
  DispatchQueue.global().async { coordinator.cancel() }
}

@main
enum Main {
  static func main() {
    exit(reportStaging("stage-swift6") { try stage($0) })
  }
}
