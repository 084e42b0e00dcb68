import Foundation
import ProviderModel
import Testing

@testable import ProviderProfiles

// What the tests of profiles share.

/// The repository's own folder.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().path

/// A profile's file of these members, each on a line of its own from the second on.
func profile(_ members: String...) -> String {
  "{ \"schemaVersion\": 1, \"name\": \"n\",\n\(members.joined(separator: ",\n")) }"
}

/// What is wrong with a profile's file, a line each.
func problems(_ json: String) -> [String] {
  do throws(ProfileProblems) {
    _ = try ProfileReader.read(Array(json.utf8), file: "p")
    return []
  } catch {
    return error.description.split(separator: "\n").map(String.init)
  }
}

/// What is remarkable about a profile's file that is right.
func remarks(_ json: String) throws -> [String] {
  let examined = try ProfileReader.examine(Array(json.utf8), file: "p", identity: nil, bases: nil)
  return examined.remarks.description.split(separator: "\n").map(String.init)
}

/// A folder with these files, gone after `body`.
func withFolder(_ files: [(name: String, text: String)], _ body: (_ folder: String) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.path + "/profiles-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
  try body(folder)
}
