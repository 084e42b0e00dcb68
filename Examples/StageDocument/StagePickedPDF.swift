import Foundation
import ScopedAccess

/// Makes the app's own copy of a picked document, under a name that the app chose.
///
/// The picked URL is only a way to the provider's file: it is used between start and stop, and not kept.
/// Blocks the calling thread while the document is downloaded and copied.
/// - Returns: where the copy is; the caller owns it.
/// - Throws: Cocoa 257 without permission, what coordination met, or what copying met. No copy is left then.
func stagePickedPDF(_ picked: URL) throws -> URL {
  guard picked.startAccessingSecurityScopedResource() else { throw CocoaError(.fileReadNoPermission) }
  defer { picked.stopAccessingSecurityScopedResource() }

  let staged = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).pdf")
  var refusal: NSError?
  var copying = Result<Void, any Error>.success(())
  NSFileCoordinator().coordinate(readingItemAt: picked, options: [], error: &refusal) { current in
    copying = Result { try FileManager.default.copyItem(at: current, to: staged) }
  }
  if let refusal { throw refusal }
  do {
    try copying.get()
  } catch {
    // A copy that failed half-way leaves its first half.
    try? FileManager.default.removeItem(at: staged)
    throw error
  }
  return staged
}
