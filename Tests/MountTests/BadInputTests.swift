import Foundation
import ProviderTesting
import Testing

@Suite struct `A provider that does not start` {
  @Test func `throws from ProviderTesting in the command's words`() async throws {
    let folder = try SourceFolder(["in/a.pdf": Data("a".utf8)])
    let error = await #expect(throws: ProviderFailure.self) {
      _ = try await RunningProvider.start(profile: "instnt", source: .folder(folder.path))
    }
    guard case .didNotStart(let code, let message) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(code == 2 && message.contains("instant"))
  }
}
