import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `A mount that cannot be` {
  private let folder: SourceFolder
  private var source: String { folder.path + "/source" }
  private var target: String { folder.path + "/target" }

  init() throws {
    folder = try SourceFolder(["source/in/a.pdf": Data("a".utf8), "full/x": Data(), "file": Data()])
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
  }

  /// Runs `fakeprovider mount`, which must mount nothing, and gives its code and what it said.
  private func mount(_ options: [String]) async throws -> Finished {
    let executable = try Executable.find()
    let before = try mounts()
    let finished = try await ChildProcess([executable, "mount"] + options).finished()
    #expect(finished.output == "")
    #expect(try mounts() == before)
    return finished
  }

  private func mounts() throws -> [String] {
    try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8).split(separator: "\n").map(
      String.init
    )
    .filter { $0.contains(folder.path) }
  }

  private func expect(
    _ options: [String], code: Int32 = 1, says text: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let finished = try await mount(options)
    #expect(finished.code == code, sourceLocation: location)
    #expect(finished.errors.contains(text), "\(finished.errors)", sourceLocation: location)
    let lines = finished.errors.split(separator: "\n")
    #expect(lines.first?.hasPrefix("fakeprovider: ") == true, sourceLocation: location)
    #expect(lines.count == 1, "\(finished.errors)", sourceLocation: location)
  }

  private var instant: [String] { ["--profile", "instant", "--source", source] }

  @Test func `for its mountpoint says why`() async throws {
    try await expect(instant + [folder.path + "/none"], says: "cannot be had")
    try await expect(instant + [folder.path + "/full"], says: "is not empty")
    try await expect(instant + [folder.path + "/file"], says: "is not a folder")
    try await withProvider(profile: "instant", source: .folder(source)) { provider in
      try await expect(instant + [provider.path], says: "is a provider's mount already")
      try await expect(instant + [provider.path + "/in"], says: "lies inside the provider mounted at")
      #expect(try await provider.status(of: ".").kind == "directory")
    }
    try await expect(instant + ["/proc"], says: "something is mounted at")
  }

  @Test func `for its source says why`() async throws {
    let profile = ["--profile", "instant", "--source"]
    try await expect(profile + [folder.path + "/none", target], says: "cannot be had")
    try await expect(profile + [folder.path + "/file", target], says: "is not a folder")
    try FileManager.default.createDirectory(atPath: source + "/inner", withIntermediateDirectories: true)
    try await expect(profile + [source, source + "/inner"], says: "lie in each other")
    try FileManager.default.createDirectory(atPath: target + "/inner", withIntermediateDirectories: true)
    try await expect(profile + [target, target + "/inner"], says: "lie in each other")
    try await expect(profile + [target + "/inner", target], says: "is not empty")
    symlink(source, folder.path + "/link")
    try await expect(profile + [folder.path + "/link", source + "/inner"], says: "lie in each other")
  }

  @Test func `for a profile that is not there names the nearest`() async throws {
    try await expect(["--profile", "icloud-drve", "--source", source, target], code: 2, says: "icloud-drive")
    try await expect(
      ["--profile", folder.path + "/none.json", "--source", source, target], says: "none.json")
  }

  @Test func `for a profile with errors lists them all, each with its place`() async throws {
    let file = folder.path + "/bad.json"
    try folder.write(
      "bad.json",
      Data(
        """
        {
          "schemaVersion": 1,
          "name": "bad",
          "downlod": {},
          "items": { "initial": "nowhere" },
          "download": { "latency": "5 bananas" }
        }
        """.utf8))
    let finished = try await mount(["--profile", file, "--source", source, target])
    #expect(finished.code == 1)
    for place in ["bad.json:4:", "bad.json:5:", "bad.json:6:"] {
      #expect(finished.errors.contains(place), "\(finished.errors)")
    }
    #expect(finished.errors.contains("download"))
  }

  @Test func `for its options is a question of usage`() async throws {
    for options in [["--clock", "sundial"], ["--seed", "x"], ["--lifeline", "99"], ["--lifeline", "x"]] {
      let finished = try await mount(instant + options + [target])
      #expect(finished.code == 2, "\(options) \(finished.errors)")
    }
    #expect(try await mount(["--source", source, target]).code == 2)
    #expect(try await mount(instant).code == 2)
    #expect(try await mount(instant + ["--colour", target]).code == 2)
  }

  @Test func `throws from ProviderTesting in the same words`() async throws {
    let error = await #expect(throws: ProviderFailure.self) {
      _ = try await RunningProvider.start(profile: "instnt", source: .folder(source))
    }
    guard case .didNotStart(let code, let message) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(code == 2 && message.contains("instant"))
  }
}
