import Dispatch
import Foundation
import Glibc
import ScopedAccess
import Synchronization

/// What the app has at hand. Any thread; the lock is a leaf.
final class App: Sendable {
  private struct State {
    var gates: [String: DispatchSemaphore] = [:]
    var coordinators: [String: NSFileCoordinator] = [:]
    var descriptors: [String: Int32] = [:]
  }

  private struct Unfinished: Error {}

  private let state = Mutex(State())

  /// - Returns: false for what is no command.
  func run(_ words: [String]) -> Bool {
    switch (words.first, words.count) {
    case ("start", 2): say("started", "\(url(words[1]).startAccessingSecurityScopedResource())")
    case ("stop", 2):
      url(words[1]).stopAccessingSecurityScopedResource()
      say("stopped")
    case ("load", 2): load(words[1])
    case ("open", 3): open(words[1], words[2])
    case ("pread", 2): thread { [self] in pread(words[1]) }
    case ("sendfile", 2): thread { [self] in sendfile(words[1]) }
    case ("map", 2): thread { [self] in map(words[1]) }
    case ("child", 2): child(words[1])
    case ("go", 2): gate(words[1]).signal()
    case ("purpose", 3): coordinator(words[1]).purposeIdentifier = words[2]
    case ("cancel", 2):
      coordinator(words[1]).cancel()
      say("canceled")
    case ("read", 4): thread { [self] in read(words[1], words[2], words[3], []) }
    case ("metadata", 4):
      thread { [self] in read(words[1], words[2], words[3], .immediatelyAvailableMetadataOnly) }
    case ("nest", 5): thread { [self] in nest(words[1], outer: words[2], inner: words[3], words[4]) }
    case ("scope", 3): thread { [self] in scope(words[1], words[2]) }
    case ("token", 3): thread { [self] in token(words[1], words[2]) }
    case ("scopeAsync", 3): Task { [self] in await scopeAsync(words[1], words[2]) }
    default: return false
    }
    return true
  }

  // MARK: Plain access

  private func load(_ path: String) {
    do {
      say("loaded", "\(try Data(contentsOf: url(path)).count)")
    } catch {
      say("failed", describe(error))
    }
  }

  private func open(_ key: String, _ path: String) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return say(key, "failed", errnoName(errno)) }
    state.withLock { $0.descriptors[key] = descriptor }
    say(key, "opened")
  }

  private func pread(_ key: String) {
    guard let descriptor = state.withLock({ $0.descriptors[key] }) else { return say(key, "is not open") }
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = Glibc.pread(descriptor, &bytes, bytes.count, 0)
    if count < 0 { say(key, "failed", errnoName(errno)) } else { say(key, "\(count)") }
  }

  /// All of it, as FileManager copies.
  private func sendfile(_ key: String) {
    guard let descriptor = state.withLock({ $0.descriptors[key] }) else { return say(key, "is not open") }
    let sink = Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(sink) }
    var offset = 0
    while true {
      let count = Glibc.sendfile(sink, descriptor, &offset, 4096)
      if count < 0 { return say(key, "failed", errnoName(errno)) }
      if count == 0 { return say(key, "\(offset)") }
    }
  }

  /// Touches each page, as who maps a file does.
  private func map(_ key: String) {
    guard let descriptor = state.withLock({ $0.descriptors[key] }) else { return say(key, "is not open") }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      return say(key, "failed", errnoName(errno))
    }
    defer { munmap(start, size) }
    let bytes = UnsafeRawBufferPointer(start: start, count: size)
    let sum = stride(from: 0, to: size, by: 4096).reduce(0) { $0 + Int(bytes[$1]) }
    say(key, "sum \(sum)")
  }

  private func child(_ path: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cat")
    process.arguments = [path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
      process.waitUntilExit()
      say("child", "\(process.terminationStatus)")
    } catch {
      say("failed", describe(error))
    }
  }

  // MARK: Coordination

  private func read(
    _ key: String, _ name: String, _ path: String, _ options: NSFileCoordinator.ReadingOptions
  ) {
    var error: NSError?
    coordinator(name).coordinate(readingItemAt: url(path), options: options, error: &error) { _ in
      say(key, "granted")
      gate(key).wait()
    }
    say(key, error.map { "failed \(describe($0))" } ?? "done")
  }

  private func nest(_ key: String, outer: String, inner: String, _ path: String) {
    coordinator(outer).coordinate(readingItemAt: url(path), error: nil) { url in
      say(key, "outer")
      gate(key).wait()
      var error: NSError?
      coordinator(inner).coordinate(readingItemAt: url, error: &error) { _ in say(key, "inner") }
      if let error { say(key, "failed", describe(error)) }
    }
    say(key, "done")
  }

  // MARK: Scopes

  private func scope(_ key: String, _ path: String) {
    do {
      try url(path).withSecurityScope { token in
        say(key, "inside", "\(token.isActive)")
        gate(key).wait()
        throw Unfinished()
      }
    } catch {
      say(key, "threw", "\(error is Unfinished)")
    }
  }

  private func scopeAsync(_ key: String, _ path: String) async {
    await url(path).withSecurityScope { token in
      say(key, "inside", "\(token.isActive)")
      let gate = gate(key)
      await withCheckedContinuation { continuation in
        thread {
          gate.wait()
          continuation.resume()
        }
      }
    }
    say(key, "outside")
  }

  private func token(_ key: String, _ path: String) {
    let token = AccessToken(startingAccessTo: url(path))
    say(key, "active", "\(token.isActive)")
    gate(key).wait()
    token.stop()
    say(key, "stopped")
  }

  // MARK: -

  private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

  private func thread(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }

  private func gate(_ key: String) -> DispatchSemaphore {
    state.withLock { state in
      let gate = state.gates[key] ?? DispatchSemaphore(value: 0)
      state.gates[key] = gate
      return gate
    }
  }

  /// "-" is a new one each time.
  private func coordinator(_ name: String) -> NSFileCoordinator {
    if name == "-" { return NSFileCoordinator() }
    return state.withLock { state in
      let coordinator = state.coordinators[name] ?? NSFileCoordinator()
      state.coordinators[name] = coordinator
      return coordinator
    }
  }
}
