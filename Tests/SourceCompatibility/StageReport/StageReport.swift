package import Foundation

/// Runs the mode's staging function on the paths of the command line, and reports as the example does.
/// - Returns: the exit code.
package func reportStaging(_ mode: String, stage: (URL) throws -> URL) -> Int32 {
  let paths = CommandLine.arguments.dropFirst()
  if paths.isEmpty {
    complain("usage: \(mode) PATH…")
    return 2
  }
  var status: Int32 = 0
  for path in paths {
    do {
      let staged = try stage(URL(fileURLWithPath: path))
      let size = try staged.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      print("staged \(staged.path) (\(size) bytes)")
    } catch {
      status = 1
      let error = error as NSError
      let underlying = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
      let cause = underlying.map { " (\($0.domain) \($0.code))" } ?? ""
      complain("\(path): \(error.domain) \(error.code)\(cause): \(error.localizedDescription)")
    }
  }
  return status
}

private func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
