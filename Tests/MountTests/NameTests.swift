import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct Names {
  /// Each as it is on disk; the file's content is its name.
  private static let names: [[UInt8]] = {
    var names: [[UInt8]] = []
    for text in [
      "plain", "with space", "-rf", "--", "tab\there", "new\nline", "quote'\"`", "back\\slash",
      "\u{1F4C4}.pdf",
      "\u{E9}", "e\u{301}", "\u{212B}", "A\u{30A}", "\u{AC00}", "\u{1100}\u{1161}", "旅行ガイド.txt", "...",
      ".hidden",
      "%41", "a:b", "*?[x]", "\u{7F}", "\u{202E}rtl", "CON", "trailing.", "trailing ", " leading", "#x",
      "path_b64",
    ] {
      names.append(Array(text.utf8))
    }
    names += [[0xFF, 0xFE], [0x61, 0xC3], [0xE9, 0x2E, 0x74, 0x78, 0x74], [1, 2, 3], [0xED, 0xA0, 0x80]]
    names.append([UInt8](repeating: 0x78, count: 255))
    names.append(Array(String(repeating: "é", count: 127).utf8) + [0x78])
    return names
  }()

  private static func folder() throws -> SourceFolder {
    let source = try SourceFolder()
    for name in names {
      let path = (Array(source.path.utf8) + [0x2F] + name + [0]).map(CChar.init(bitPattern:))
      let descriptor = creat(path, 0o644)
      guard descriptor >= 0, write(descriptor, name, name.count) == name.count else {
        throw ProviderFailure.system(call: "creat", errno: errno)
      }
      close(descriptor)
    }
    return source
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `of any bytes are listed, found and read`(kernel: String?) async throws {
    let source = try Self.folder()
    try await withProvider(profile: "instant", source: source.source, kernel: kernel) { provider in
      let said = try await lines(
        """
        client = access(".")
        names = os.listdir(os.fsencode(mount))
        say(len(names), sorted(names) == sorted(os.listdir(os.fsencode(source))))
        for name in names:
            path = os.fsencode(mount) + b"/" + name
            with open(path, "rb") as file: assert file.read() == name, name
            assert os.lstat(path).st_size == len(name), name
        say(sorted(entry.name for entry in os.scandir(os.fsencode(mount)) if entry.is_file()) == sorted(names))
        """, in: provider, source: source)
      #expect(said == ["\(Self.names.count) True", "True"])
    }
  }

  @Test func `are told apart by their bytes, also where Swift's strings are equal`() async throws {
    let source = try Self.folder()
    try await withProvider(profile: "instant", source: source.source) { provider in
      try await provider.download(ItemPath(bytes: Array("\u{E9}".utf8)))
      #expect(try await provider.status(of: ItemPath(bytes: Array("\u{E9}".utf8))).copy == .local)
      #expect(try await provider.status(of: ItemPath(bytes: Array("e\u{301}".utf8))).copy == .dataless)
      let notText = ItemPath(bytes: [0x61, 0xC3])
      try await provider.download(notText)
      #expect(try await provider.status(of: notText).path == notText)
    }
  }

  @Test func `of 256 bytes are too long, and unknown ones are not there`() async throws {
    let source = try Self.folder()
    try await withProvider(profile: "instant", source: source.source) { provider in
      let said = try await lines(
        """
        say(error(lambda: os.stat(at("x" * 256))), error(lambda: os.stat(at("nothing"))),
            error(lambda: os.stat(at("plain/below"))))
        """, in: provider)
      #expect(said == ["ENAMETOOLONG ENOENT ENOTDIR"])
    }
  }

  @Test func `make paths longer than PATH_MAX`() async throws {
    let source = try SourceFolder()
    try await withProvider(profile: "instant", source: source.source) { provider in
      let said = try await lines(
        """
        name = "d" * 200
        def walk(root, make):
            fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
            for _ in range(30):
                if make: os.mkdir(name, dir_fd=fd)
                next = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
                os.close(fd)
                fd = next
            return fd
        bottom = walk(source, True)
        fd = os.open("deep.txt", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=bottom)
        os.write(fd, b"deep")
        client = access(".")
        bottom = walk(mount, False)
        fd = os.open("deep.txt", os.O_RDONLY, dir_fd=bottom)
        say(os.listdir(bottom), os.read(fd, 100))
        """, in: provider, source: source)
      #expect(said == ["['deep.txt'] b'deep'"])
    }
  }
}
