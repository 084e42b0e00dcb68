import Foundation
import ProviderTesting
import Testing

@Suite(.serialized) struct `A stub of a mounted provider` {
  private let source: SourceFolder
  private let profiles: SourceFolder
  private static let size = 300_000

  init() throws {
    source = try SourceFolder([
      "paper.pdf": content(Self.size), ".x.pdf": content(500, seed: 2), "Plan.gdoc": Data("never seen".utf8),
    ])
    profiles = try SourceFolder([
      "stubs.json": Data(
        """
        { "schemaVersion": 1, "name": "stubs", "extends": "instant", "kind": "legacy",
          "items": { "placeholders": "icloud", "pointers": ["*.gdoc"] } }
        """.utf8)
    ])
  }

  private func provider<Value>(
    _ kernel: String? = nil, _ body: (RunningProvider) async throws -> Value
  ) async throws -> Value {
    try await withProvider(
      profile: "\(profiles.path)/stubs.json", source: source.source, kernel: kernel, body)
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `is a property list in the folder, and its file is not there`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      let said = try await lines(
        """
        import plistlib
        access(".")
        say(sorted(os.listdir(mount)))
        for name in ["paper.pdf", ".x.pdf"]: say(error(lambda: os.stat(at(name))), error(lambda: open(at(name))))
        status = os.stat(at(".paper.pdf.icloud"))
        stub = read(".paper.pdf.icloud")
        say(status.st_size == len(stub), len(stub) < 200, status.st_blocks)
        say(sorted(plistlib.loads(stub).items()))
        say(plistlib.loads(read("..x.pdf.icloud"))["NSURLNameKey"])
        fd = os.open(at(".paper.pdf.icloud"), os.O_RDONLY)
        view = mmap.mmap(fd, 0, access=mmap.ACCESS_READ)
        out = os.memfd_create("out")
        count = os.sendfile(out, fd, 0, 4096)
        say(view[:] == stub, os.pread(out, 4096, 0) == stub, os.pread(fd, 10, 3) == stub[3:13])
        """, in: provider)
      #expect(
        said == [
          "['..x.pdf.icloud', '.paper.pdf.icloud', 'Plan.gdoc']", "ENOENT ENOENT", "ENOENT ENOENT",
          "True True 8",
          "[('NSURLFileResourceTypeKey', 'NSURLFileResourceTypeRegular'), ('NSURLFileSizeKey', 300000), "
            + "('NSURLNameKey', 'paper.pdf')]", ".x.pdf", "True True True",
        ], "\(said)")
      let status = try await provider.status(of: "paper.pdf")
      #expect(status.path == ".paper.pdf.icloud" && status.copy == .dataless && status.size == 300_000)
    }
  }

  @Test(.tags(.kernelMask), arguments: kernels)
  func `turns into its file and back, which watchers see`(kernel: String?) async throws {
    try await provider(kernel) { provider in
      let reader = try python(
        """
        access(".")
        stub = os.open(at(".paper.pdf.icloud"), os.O_RDONLY)
        number = os.fstat(stub).st_ino
        before = os.pread(stub, 4096, 0)
        say("ready")
        told()
        say(sorted(os.listdir(mount)), error(lambda: os.stat(at(".paper.pdf.icloud"))))
        say(read("paper.pdf") == original("paper.pdf"), os.stat(at("paper.pdf")).st_ino == number)
        # Who has the stub open goes on with it.
        say(os.pread(stub, 4096, 0) == before, os.fstat(stub).st_size == len(before))
        told()
        say(sorted(os.listdir(mount)), error(lambda: open(at("paper.pdf"))))
        os.setxattr(at(".paper.pdf.icloud"), "user.fakeprovider.do", b"download")
        say(read("paper.pdf") == original("paper.pdf"))
        os.setxattr(at("paper.pdf"), "user.fakeprovider.do", b"evict")
        say(read(".paper.pdf.icloud") == before, error(lambda: os.stat(at("paper.pdf"))))
        """, in: provider, source: source)
      #expect(try await reader.line() == "ready")
      let watcher = try await Watcher(".", in: provider)
      try await provider.download("paper.pdf")
      let seen = try await watcher.events(through: "MOVED_TO/1 paper.pdf")
      #expect(seen == ["MOVED_FROM/1 .paper.pdf.icloud", "MOVED_TO/1 paper.pdf"], "\(seen)")
      reader.send(line: "")
      #expect(try await reader.line() == "['..x.pdf.icloud', 'Plan.gdoc', 'paper.pdf'] ENOENT")
      #expect(try await reader.line() == "True True")
      #expect(try await reader.line() == "True True")
      try await provider.evict("paper.pdf")
      let back = try await watcher.events(through: "MOVED_TO/2 .paper.pdf.icloud")
      #expect(back == ["MOVED_FROM/2 paper.pdf", "MOVED_TO/2 .paper.pdf.icloud"], "\(back)")
      reader.send(line: "")
      let rest = try await reader.finished()
      #expect(rest.errors == "")
      #expect(
        rest.lines == ["['..x.pdf.icloud', '.paper.pdf.icloud', 'Plan.gdoc'] ENOENT", "True", "True ENOENT"])
      _ = try await watcher.events(through: "MOVED_TO/4 .paper.pdf.icloud")
      try await watcher.end()
      let events = try await provider.journal().filter { $0.name == "renamed" }
      #expect(events.first?.path == "paper.pdf" && events.first?.from == ".paper.pdf.icloud")
      #expect(events.count == 4)
    }
  }

  @Test func `is read in coordination as the file that it stands for`() async throws {
    try await provider { provider in
      try await provider.pick(".")
      let app = try SteeredApp(in: provider)
      #expect(try await app.ask("start", item: "") == "started true")
      #expect(try await app.ask("read", "r", "-", item: "paper.pdf") == "r granted")
      #expect(try await app.ask("load", item: "paper.pdf") == "loaded 300000")
      #expect(try await app.ask("go", "r") == "r done")
      // By the stub's own name, too: what is granted has the real one.
      let said = try await lines(
        """
        session = access(".")
        reply = session.call("coordinate", intents=[{"path": "..x.pdf.icloud", "kind": "read"}])
        say(reply["ok"], reply["paths"], read(".x.pdf") == original(".x.pdf"))
        """, in: provider, source: source)
      #expect(said == ["True ['.x.pdf'] True"])
    }
  }

  @Test func `is what other devices' files are, and goes with their moves`() async throws {
    try await provider { provider in
      let watcher = try await Watcher(".", in: provider)
      let made = try await provider.remoteWrite("new.txt", .text("from another device"))
      #expect(made.path == ".new.txt.icloud" && made.unseen == nil)
      let seen = try await watcher.events(through: "CLOSE_WRITE .new.txt.icloud")
      #expect(seen.first == "CREATE .new.txt.icloud", "\(seen)")
      let moved = try await provider.remoteRename("new.txt", to: "newer.txt")
      #expect(moved.path == ".newer.txt.icloud" && moved.unseen == nil)
      #expect(
        try await watcher.events(through: "MOVED_TO/1 .newer.txt.icloud") == [
          "MOVED_FROM/1 .new.txt.icloud", "MOVED_TO/1 .newer.txt.icloud",
        ])
      try await provider.download("newer.txt")
      let said = try await lines("access('.')\nsay(read('newer.txt').decode())", in: provider)
      #expect(said == ["from another device"])
      try await watcher.end()
    }
  }

  @Test func `and a pointer, which has its bytes for good, are two things`() async throws {
    try await provider { provider in
      let said = try await lines(
        """
        access(".")
        said = read("Plan.gdoc")
        say(os.stat(at("Plan.gdoc")).st_size == len(said), os.stat(at("Plan.gdoc")).st_blocks)
        say(list(json.loads(said)))
        """, in: provider)
      #expect(said == ["True 8", "['', 'doc_id', 'resource_key', 'email']"])
      let status = try await provider.status(of: "Plan.gdoc")
      #expect(status.copy == .local)
      await #expect(throws: ProviderFailure.self) { try await provider.evict("Plan.gdoc") }
    }
  }
}
