import Foundation
import ProviderTesting
import Testing

/// An app's function that stages a picked document, as a program of its own.
enum StagingProgram: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case swift5 = "stage-swift5"
  case swift6 = "stage-swift6"
  case mainActor = "stage-mainactor"
  case example = "StageDocument"

  var testDescription: String { rawValue }

  /// The others leave what FileManager.copyItem leaves when a read fails half-way: the first half.
  var removesPartialCopies: Bool { self == .example }

  var path: String { BuiltProgram.path(rawValue) }
}

/// SwiftPM puts a package's executables beside its test bundle, and the bundle is what runs.
enum BuiltProgram {
  static func path(_ name: String) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
  }
}

struct StagingTrouble: Error, CustomStringConvertible {
  let description: String
}

/// A temporary folder, removed with this object.
final class StagingFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/stage-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ data: Data) throws {
    let url = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  /// The size of each file, by its name.
  func sizes() throws -> [String: Int] {
    var sizes: [String: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      sizes[name] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")).count
    }
    return sizes
  }
}

/// A provider with one document, and a place for an app's copies of it.
struct StagingPlace: Sendable {
  static let item: ItemPath = "Für später/An evening.pdf"
  /// Different everywhere, so that a piece in the wrong place is seen.
  static let content = Data(
    (0..<250_000).flatMap { index in
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: index &* 2_654_435_761), Array.init)
    })

  let provider: RunningProvider
  /// The app's TMPDIR.
  let copies: StagingFolder

  /// Runs `body` with a provider and a place of its own.
  static func with(
    profile: String = "instant", _ body: (StagingPlace) async throws -> Void
  ) async throws {
    let source = try StagingFolder()
    try source.write(item.description, content)
    let copies = try StagingFolder()
    try await withProvider(profile: profile, source: .folder(source.path)) { provider in
      try await body(StagingPlace(provider: provider, copies: copies))
    }
  }

  var path: String { "\(provider.path)/\(Self.item)" }

  func start(_ program: StagingProgram) throws -> ChildProcess {
    try ChildProcess([program.path, path], environment: ["TMPDIR": copies.path, "FAKEPROVIDER_APP": nil])
  }

  func run(_ program: StagingProgram) async throws -> StagingResult {
    try await result(of: start(program))
  }

  /// Waits for the program's end.
  func result(of process: ChildProcess) async throws -> StagingResult {
    try await blocking {
      let output = process.restOfOutput(timeout: .seconds(60))
      guard let output, let end = process.waitForEnd(timeout: .seconds(60)) else {
        process.send(signal: 9)
        throw StagingTrouble(description: "the app hangs: \(process.errorText)")
      }
      return StagingResult(
        process: process.pid, code: end.code, output: String(decoding: output, as: UTF8.self),
        errors: process.errorText)
    }
  }

  // MARK: What must be

  /// That the program failed so, e.g. with "NSCocoaErrorDomain 513 (NSPOSIXErrorDomain 1)".
  func expect(
    _ result: StagingResult, failedWith error: String, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(result.code == 1 && result.output == "", sourceLocation: location)
    #expect(result.errors.hasPrefix("\(path): \(error): "), "\(result.errors)", sourceLocation: location)
  }

  func expectWholeCopy(
    _ result: StagingResult, at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(result.code == 0 && result.errors == "", "\(result.errors)", sourceLocation: location)
    let start = "staged \(copies.path)/"
    let end = " (\(Self.content.count) bytes)\n"
    #expect(result.output.hasPrefix(start), "\(result.output)", sourceLocation: location)
    #expect(result.output.hasSuffix(end), "\(result.output)", sourceLocation: location)
    let name = String(result.output.dropFirst(start.count).dropLast(end.count))
    #expect(name.hasSuffix(".pdf") && !name.contains("evening"), sourceLocation: location)
    let copy = try Data(contentsOf: URL(fileURLWithPath: "\(copies.path)/\(name)"))
    // Not in the expectation, which would print a million bytes.
    let isWhole = copy == Self.content
    #expect(isWhole, sourceLocation: location)
    #expect(try copies.sizes().count == 1, sourceLocation: location)
  }

  /// That nothing is left of a copy whose read failed, or at most what had arrived where the program does not
  /// look after that.
  func expectNoCopy(
    _ program: StagingProgram, at location: SourceLocation = #_sourceLocation
  ) throws {
    let sizes = try copies.sizes()
    if program.removesPartialCopies {
      #expect(sizes.isEmpty, sourceLocation: location)
    } else {
      #expect(sizes.count == 1, sourceLocation: location)
      #expect(sizes.values.allSatisfy { $0 < Self.content.count }, sourceLocation: location)
    }
  }

  /// That neither a scope nor a claim is left.
  func expectNothingHeld(at location: SourceLocation = #_sourceLocation) async throws {
    #expect(try await provider.status(of: Self.item).scopes == [], sourceLocation: location)
    #expect(try await provider.claims(on: Self.item) == [], sourceLocation: location)
  }

  /// What the journal says of the program and its document, in order: names of events, and of the operations
  /// "open" alone.
  func story(of process: Int32) async throws -> [String] {
    let names = [
      "scopeStarted", "scopeRefused", "scopeStopped", "claimGranted", "claimFinished", "claimFailed",
    ]
    return try await provider.journal().compactMap { event in
      if event.name.hasPrefix("download") { return event.name }
      guard event.process == process else { return nil }
      if event.name == "operation", event.operation == "open" { return event.errno ?? "open" }
      return names.contains(event.name) ? event.name : nil
    }
  }
}

struct StagingResult: Sendable {
  var process: Int32
  var code: Int32
  var output: String
  var errors: String
}
