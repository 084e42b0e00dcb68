import FakeServer
import Foundation
import Testing

@testable import ScopedAccess

@Suite struct `Outside every provider` {
  private let directory: TemporaryDirectory
  private let url: URL

  init() throws {
    directory = try TemporaryDirectory()
    url = URL(fileURLWithPath: directory.path + "/a.pdf")
    try Data("own file".utf8).write(to: url)
  }

  @Test func `start is false and the file is readable`() throws {
    #expect(!url.startAccessingSecurityScopedResource())
    #expect(!(url as NSURL).startAccessingSecurityScopedResource())
    #expect(try Data(contentsOf: url) == Data("own file".utf8))
    url.stopAccessingSecurityScopedResource()
    (url as NSURL).stopAccessingSecurityScopedResource()
    #expect(try Data(contentsOf: url) == Data("own file".utf8))
  }

  @Test(arguments: ["https://example.org/a.pdf", "file:///", "data:,x", "relative"])
  func `start is false for any other URL`(text: String) throws {
    #expect(!(try #require(URL(string: text))).startAccessingSecurityScopedResource())
  }

  @Test func `a coordinated read runs at once, on the calling thread, with the caller's URL`() throws {
    // An over-encoded letter is still the same file; only the very same URL keeps it.
    let tagged = try #require(URL(string: url.absoluteString.replacing("a.pdf", with: "%61.pdf")))
    let thread = Thread.current
    var error: NSError?
    var got: URL?
    NSFileCoordinator().coordinate(readingItemAt: tagged, options: [], error: &error) { url in
      got = url
      #expect(Thread.current === thread)
      #expect((try? Data(contentsOf: url)) == Data("own file".utf8))
    }
    #expect(error == nil)
    #expect(got?.absoluteString == tagged.absoluteString)
  }

  @Test func `a missing item is no error`() {
    var runs = 0
    let missing = url.appendingPathExtension("missing")
    NSFileCoordinator().coordinate(readingItemAt: missing, error: nil) { _ in runs += 1 }
    #expect(runs == 1)
  }

  @Test func `an error pointer is untouched on success`() {
    var error: NSError? = NSError(domain: "before", code: 1)
    NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: url, error: &error) { _ in }
    #expect(error?.domain == "before")
  }

  @Test func `reads may be nested`() {
    var runs = 0
    NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { url in
      NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in runs += 1 }
    }
    #expect(runs == 1)
  }

  @Test func `a canceled coordinator never runs its accessor again`() {
    let coordinator = NSFileCoordinator()
    coordinator.cancel()
    var error: NSError?
    var runs = 0
    coordinator.coordinate(readingItemAt: url, error: &error) { _ in runs += 1 }
    coordinator.coordinate(readingItemAt: url, error: nil) { _ in runs += 1 }
    #expect(runs == 0)
    #expect(error?.code == 3072)
    #expect((error as? CocoaError)?.code == .userCancelled)
  }

  @Test func `a cancel inside the accessor leaves it running`() {
    let coordinator = NSFileCoordinator()
    var error: NSError?
    var finished = false
    coordinator.coordinate(readingItemAt: url, error: &error) { _ in
      coordinator.cancel()
      finished = true
    }
    #expect(finished && error == nil)
  }
}

@Suite struct `A purpose identifier` {
  @Test func `is the coordinator's own until it is set, once`() {
    let coordinator = NSFileCoordinator()
    #expect(!coordinator.purposeIdentifier.isEmpty)
    #expect(coordinator.purposeIdentifier != NSFileCoordinator().purposeIdentifier)
    coordinator.purposeIdentifier = "org.example"
    #expect(coordinator.purposeIdentifier == "org.example")
  }

  @Test func `set twice ends the process with Apple's exception`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let coordinator = NSFileCoordinator()
      coordinator.purposeIdentifier = "a"
      coordinator.purposeIdentifier = "b"
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("NSInvalidArgumentException") && text.contains("only once"))
  }

  @Test func `set to nothing ends the process with Apple's exception`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      NSFileCoordinator().purposeIdentifier = ""
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("NSInvalidArgumentException") && text.contains("empty"))
  }
}

@Suite struct `An option` {
  @Test func `has Apple's raw value`() {
    let reading: [NSFileCoordinator.ReadingOptions] = [
      .withoutChanges, .resolvesSymbolicLink, .immediatelyAvailableMetadataOnly, .forUploading,
    ]
    #expect(reading.map(\.rawValue) == [1, 2, 4, 8])
    let writing: [NSFileCoordinator.WritingOptions] = [
      .forDeleting, .forMoving, .forMerging, .forReplacing, .contentIndependentMetadataOnly,
    ]
    #expect(writing.map(\.rawValue) == [1, 2, 4, 8, 16])
  }

  @Test func `has the protocol's name`() {
    #expect(NSFileCoordinator.ReadingOptions([]).names == nil)
    #expect(
      NSFileCoordinator.ReadingOptions(rawValue: 15).names == [
        "withoutChanges", "resolvesSymbolicLink", "immediatelyAvailableMetadataOnly", "forUploading",
      ])
    #expect(NSFileCoordinator.ReadingOptions(rawValue: 1 << 20).names == nil)
  }
}

@Suite struct `A file URL` {
  @Test(arguments: [
    ("file:///a/b%20c", "/a/b c"), ("file:///a/%FF%fe", "/a/\u{FFFD}\u{FFFD}"), ("file:///%61", "/a"),
    ("file:///a%25b", "/a%b"), ("file:///caf%C3%A9", "/café"),
  ])
  func `is the path that the kernel would get`(text: String, path: String) throws {
    let bytes = try #require(URL(string: text)?.fileSystemBytes)
    #expect(String(decoding: bytes, as: UTF8.self) == path)
  }

  @Test func `keeps bytes that are not UTF-8`() throws {
    let bytes: [UInt8] = [0x2F, 0x61, 0x2F, 0xFF, 0x20, 0x25]
    let url = try #require(URL(fileSystemBytes: bytes))
    #expect(url.absoluteString == "file:///a/%FF%20%25")
    #expect(url.fileSystemBytes == bytes)
  }

  @Test func `may be relative to another`() throws {
    let base = URL(fileURLWithPath: "/a/b", isDirectory: true)
    #expect(URL(fileURLWithPath: "c.pdf", relativeTo: base).fileSystemBytes == Array("/a/b/c.pdf".utf8))
  }
}
