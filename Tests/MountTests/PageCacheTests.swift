import Foundation
import ProviderTesting
import Testing

@Suite struct `A read for the page cache that is held` {
  private let sendfile = """
    import os, sys
    file = os.open(sys.argv[1], os.O_RDONLY)
    nowhere = os.open("/dev/null", os.O_WRONLY)
    offset = 0
    while (count := os.sendfile(nowhere, file, offset, 1 << 20)) > 0:
        offset += count
    print(offset)
    """

  /// The kernel would wait for its locked pages as it opens the file again, and no signal would end that.
  @Test func `does not keep others from opening the file`() async throws {
    let folder = try SourceFolder(["a.bin": Data(repeating: 7, count: 3 << 20)])
    try await withProvider(profile: "simulator", source: .folder(folder.path)) { provider in
      let hold = try await provider.hold(.read, "a.bin", at: "60%")
      let first = try ChildProcess(["python3", "-c", sendfile, provider.path + "/a.bin"])
      try await hold.waitUntilParked()
      let second = try await ChildProcess(["head", "-c", "4", provider.path + "/a.bin"]).finished()
      #expect(second.code == 0 && second.output.utf8.elementsEqual([7, 7, 7, 7]))
      try await hold.release()
      #expect(try await first.finished().output == "\(3 << 20)\n")
    }
  }

  /// Pages that an earlier open left behind would answer without us.
  @Test func `is met by every open, also after another has read it all`() async throws {
    let folder = try SourceFolder(["a.bin": Data(repeating: 7, count: 3 << 20)])
    try await withProvider(profile: "simulator", source: .folder(folder.path)) { provider in
      for round in 1...10 {
        let reader = try await ChildProcess(["python3", "-c", sendfile, provider.path + "/a.bin"]).finished()
        #expect(reader.code == 0)
        let hold = try await provider.hold(.read, "a.bin", at: "60%", name: "round \(round)")
        let held = try ChildProcess(["python3", "-c", sendfile, provider.path + "/a.bin"])
        try await hold.waitUntilParked()
        try await hold.release()
        #expect(try await held.finished().output == "\(3 << 20)\n")
      }
    }
  }
}
