import FoundationEssentials
import Glibc

/// The sample documents that come with the program.
enum SampleLibrary {
  /// The folder that `--sample` serves.
  static func folder() throws -> String {
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let bin = parent(of: executable)
    let tried = [
      "\(bin)/ProviderFS_fakeprovider.resources/Samples/documents",
      "\(parent(of: bin))/share/fakeprovider/Samples/documents",
    ]
    guard let found = tried.first(where: { access($0, R_OK | X_OK) == 0 }) else {
      throw MountProblem(
        "the sample documents are neither in \(tried.joined(separator: " nor in ")); "
          + "is the installation complete? Or serve a folder of yours: --source DIR")
    }
    return found
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
