package import ProviderModel

// The profiles that come with the program, and the way from what a person typed to a profile.

/// Why there is no profile to be had.
package enum ProfileLoadError: Error, Hashable, CustomStringConvertible {
  case noLibrary(tried: [String])
  case unknownName(String, nearest: String?)
  /// The system's own words for why not.
  case unreadable(path: String, reason: String)
  case invalid(ProfileProblems)

  package var description: String {
    switch self {
    case .noLibrary(let tried):
      let places = tried.map { Printable.text($0, limit: 4_096) }.joined(separator: ", ")
      return "the shipped profiles are in none of \(places); is the installation complete?"
    case .unknownName(let name, let nearest):
      let hint = nearest.map { "; nearest name \"\($0)\"" } ?? ""
      return "no shipped profile is called \"\(Printable.text(name))\"\(hint)"
        + " (a path has a \"/\" in it or ends with \".json\")"
    case .unreadable(let path, let reason): return "\(Printable.text(path, limit: 4_096)): \(reason)"
    case .invalid(let problems): return problems.description
    }
  }
}

/// Every function looks in `folder`, or without one where the program's own profiles are.
package enum ProfileLibrary {
  package struct Summary: Hashable, Sendable {
    package let name: String
    package let summary: String
  }

  /// Names of the shipped profiles, sorted.
  package static func names(in folder: String? = nil) throws(ProfileLoadError) -> [String] {
    let folder = try given(folder)
    let names = try FileReading.names(in: folder).filter { $0.hasSuffix(".json") && $0 != "schema.json" }
    return names.map { String($0.dropLast(5)) }.sorted()
  }

  /// A profile by the name of a shipped one, or by a path: what has a "/" in it or ends with ".json".
  package static func load(
    nameOrPath: String, in folder: String? = nil
  ) throws(ProfileLoadError) -> Profile {
    try examine(nameOrPath: nameOrPath, in: folder).profile
  }

  /// As `load`, with what should be known of the file though it is no mistake.
  package static func examine(
    nameOrPath: String, in folder: String? = nil
  ) throws(ProfileLoadError) -> ExaminedProfile {
    try examine(path: try path(of: nameOrPath, in: folder), in: folder)
  }

  /// The bytes of a profile's file, whatever they are.
  package static func bytes(
    nameOrPath: String, in folder: String? = nil
  ) throws(ProfileLoadError) -> [UInt8] {
    let path = try path(of: nameOrPath, in: folder)
    let bytes = try FileReading.bytes(of: path, limit: PositionedJSON.sizeLimit)
    if bytes.count > PositionedJSON.sizeLimit {
      throw .unreadable(path: path, reason: "it is larger than \(PositionedJSON.sizeLimit) bytes")
    }
    return bytes
  }

  /// What each shipped profile is for, sorted by name.
  package static func summaries(in folder: String? = nil) throws(ProfileLoadError) -> [Summary] {
    let folder = try given(folder)
    var summaries: [Summary] = []
    for name in try names(in: folder) {
      let profile = try examine(path: "\(folder)/\(name).json", in: folder).profile
      summaries.append(Summary(name: name, summary: profile.summary))
    }
    return summaries
  }

  private static func isPath(_ text: String) -> Bool { text.utf8.contains(0x2F) || text.hasSuffix(".json") }

  private static func path(of nameOrPath: String, in folder: String?) throws(ProfileLoadError) -> String {
    if isPath(nameOrPath) { return nameOrPath }
    let folder = try given(folder)
    let names = try names(in: folder)
    guard names.contains(nameOrPath) else {
      throw .unknownName(nameOrPath, nearest: Nearest.word(to: nameOrPath, among: names))
    }
    return "\(folder)/\(nameOrPath).json"
  }

  private static func examine(path: String, in folder: String?) throws(ProfileLoadError) -> ExaminedProfile {
    let bytes = try FileReading.bytes(of: path, limit: PositionedJSON.sizeLimit)
    let identity = try FileReading.resolved(path)
    do throws(ProfileProblems) {
      return try ProfileReader.examine(
        bytes, file: path, identity: identity,
        bases: { (name, file) throws(ProfileLoadError) in try base(name, of: file, in: folder) })
    } catch {
      throw .invalid(error)
    }
  }

  /// What a profile's `extends` means: a path is one from the profile's own folder.
  private static func base(
    _ name: String, of file: String, in folder: String?
  ) throws(ProfileLoadError) -> ProfileBase {
    let path: String
    if name.hasPrefix("/") {
      path = name
    } else if isPath(name) {
      path = file.utf8.contains(0x2F) ? "\(parent(of: file))/\(name)" : name
    } else {
      path = try self.path(of: name, in: folder)
    }
    return ProfileBase(
      file: path, identity: try FileReading.resolved(path),
      bytes: try FileReading.bytes(of: path, limit: PositionedJSON.sizeLimit))
  }

  private static func given(_ folder: String?) throws(ProfileLoadError) -> String {
    if let folder { return folder }
    return try shippedFolder()
  }

  /// Where the shipped profiles are.
  package static func shippedFolder() throws(ProfileLoadError) -> String {
    let tried = try candidates(executable: FileReading.resolved("/proc/self/exe"))
    guard let folder = tried.first(where: FileReading.isFolder) else { throw .noLibrary(tried: tried) }
    return folder
  }

  /// A build has its resources beside the executable, tests beside the test bundle, an installation in PREFIX/share.
  static func candidates(executable: String) -> [String] {
    let bin = parent(of: executable)
    // Tests can run in a helper, whose first argument that ends so is the bundle.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }.map(parent(of:))
    let builds = [bin] + (bundle.map { $0 == bin ? [] : [$0] } ?? [])
    return builds.map { "\($0)/ProviderFS_ProviderProfiles.resources/provider-profiles" }
      + ["\(parent(of: bin))/share/fakeprovider/provider-profiles"]
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
    // The root's parent is the root, written so that "/share" can follow.
    return String(path[..<slash])
  }
}
