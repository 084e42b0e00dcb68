import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `Names of a mounted provider` {
  /// - Parameter names: of the source, folders with a slash at their end; each file has its number in it.
  private func provider(
    _ naming: String, _ names: [String], kernel: String? = nil,
    body: (RunningProvider) async throws -> Void
  ) async throws {
    let source = try SourceFolder()
    for (index, name) in names.enumerated() {
      // Not by URL, which may change the form.
      let path = "\(source.path)/\(name)"
      if name.hasSuffix("/") {
        guard mkdir(path, 0o755) == 0 else { throw ProviderFailure.system(call: "mkdir", errno: errno) }
      } else {
        guard let file = fopen(path, "w") else { throw ProviderFailure.system(call: "fopen", errno: errno) }
        fputs("\(index)", file)
        fclose(file)
      }
    }
    let folder = try SourceFolder()
    let profile = """
      { "schemaVersion": 1, "name": "test", "access": { "mode": "simulator" }, "naming": { \(naming) } }
      """
    try folder.write("test.json", Data(profile.utf8))
    try await withProvider(
      profile: "\(folder.path)/test.json", source: source.source, kernel: kernel, body)
  }

  private static let prelude = """
    import unicodedata
    C, D = (unicodedata.normalize(form, "\\u00dcbung.pdf") for form in ("NFC", "NFD"))
    def inode(name): return os.stat(at(name)).st_ino
    def form(name): return "C" if name == C else "D" if name == D else name

    """

  @Test(.tags(.kernelMask), arguments: kernels)
  func `are their bytes by default`(kernel: String?) async throws {
    try await provider("", ["\u{DC}bung.pdf", "U\u{308}bung.pdf"], kernel: kernel) { provider in
      let said = try await lines(
        Self.prelude + """
          say(sorted(map(form, os.listdir(mount))), inode(C) == inode(D), read(C), read(D))
          say(error(lambda: os.stat(at(C.lower()))))
          """, in: provider)
      #expect(said == ["['C', 'D'] False b'0' b'1'", "ENOENT"])
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `are found in any case, and listed as they are`(kernel: String?) async throws {
    try await provider(
      #""case": "insensitive""#, ["Letter.pdf", "Folder/", "Folder/a.txt"], kernel: kernel
    ) { provider in
      let said = try await lines(
        Self.prelude + """
          say(inode("letter.PDF") == inode("Letter.pdf"), read("LETTER.pdf"), sorted(os.listdir(mount)))
          # Two names of one folder at the same time, one of them that of a working directory.
          os.chdir(at("FOLDER"))
          one, other = (os.open(at(name), os.O_RDONLY) for name in ("folder", "Folder"))
          say(os.listdir(one) == os.listdir(other), os.fstat(one).st_ino == inode("fOLDER"))
          say(open("A.TXT").read(), os.path.samefile("a.txt", at("folder/A.txt")))
          """, in: provider)
      #expect(said == ["True b'0' ['Folder', 'Letter.pdf']", "True True", "2 True"])
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `are shown decomposed, and found in any form`(kernel: String?) async throws {
    try await provider(#""normalization": "nfd""#, ["\u{DC}bung.pdf"], kernel: kernel) { provider in
      let said = try await lines(
        Self.prelude + """
          say(list(map(form, os.listdir(mount))), inode(C) == inode(D), read(C), read(D))
          say(error(lambda: os.stat(at(C.lower()))))
          """, in: provider)
      #expect(said == ["['D'] True b'0' b'0'", "ENOENT"])
    }
  }

  @Test func `that are one in the source give the second another, which says so`() async throws {
    try await provider(#""case": "insensitive""#, ["a.pdf", "A.pdf"]) { provider in
      let said = try await lines(
        """
        say(sorted(os.listdir(mount)), read("A.pdf"), read("a 2.pdf"))
        say(os.getxattr(at("a 2.pdf"), "user.com.apple.fileprovider.before-bounce#P"))
        """, in: provider)
      #expect(said == ["['A.pdf', 'a 2.pdf'] b'1' b'0'", "b'a.pdf'"])
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `can be changed in case alone, before everyone's eyes`(kernel: String?) async throws {
    try await provider(#""case": "insensitive""#, ["a.pdf", "folder/"], kernel: kernel) { provider in
      let watcher = try await Watcher(".", in: provider)
      let inodes = "say(os.stat(at('a.pdf')).st_ino, os.stat(at('A.pdf')).st_ino)"
      let before = try await lines(inodes, in: provider)
      let result = try await provider.remoteRename("a.pdf", to: "A.pdf")
      #expect(result.path == "A.pdf" && result.unseen == nil)
      let seen = try await watcher.events(through: "MOVED_TO/1 A.pdf")
      #expect(seen == ["MOVED_FROM/1 a.pdf", "MOVED_TO/1 A.pdf"])
      #expect(try await provider.remoteRename("folder", to: "FOLDER").unseen == nil)
      #expect(try await lines(inodes, in: provider) == before)
      let said = try await lines(
        "say(sorted(os.listdir(mount)), os.listdir(at('Folder')))", in: provider)
      #expect(said == ["['A.pdf', 'FOLDER'] []"])
      try await watcher.end()
    }
  }
}
