import Foundation
import ScopedAccess

// The app's own file: no scope is needed, and start says so.
let own = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt")
try Data("mine".utf8).write(to: own)
defer { try? FileManager.default.removeItem(at: own) }

var text: String?
var problem: NSError?
let started = own.startAccessingSecurityScopedResource()
NSFileCoordinator().coordinate(readingItemAt: own, options: [], error: &problem) { url in
  text = try? String(contentsOf: url, encoding: .utf8)
}
print("started \(started), read \(text ?? "nothing"), problem \(problem?.code.description ?? "none")")
