import FakeServer
import Foundation
import Glibc
import ProviderControl
import ProviderHost
import ProviderModel
import Testing

@Suite(.serialized) struct `The process registry` {
  private static let features = [
    KernelFeatures(version: KernelVersion(6, 1)), try? KernelFeatures.current(environment: [:]),
  ].compactMap { $0 }

  private let registry: ProcessRegistry
  private let input = Pipe()
  private let ended = Mailbox<ProcessID>(limit: 1_000)

  init() throws {
    registry = try ProcessRegistry(features: Self.features[1])
    registry.start { [ended] process in ended.put(process) }
  }

  /// A shell with a child of its own; both end when they are killed.
  private func shell() throws -> (shell: Process, child: Int32) {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "sleep 1000 & echo $!; read line"]
    // Not told to end but by the end of its input: a test's threads block signals, and children inherit that.
    shell.standardInput = input
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    var text = ""
    while !text.hasSuffix("\n") {
      text += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }
    return (shell, try #require(Int32(text.dropLast())))
  }

  private func next() async throws -> ProcessID {
    try await blocking { [ended] in
      guard case .value(let process) = ended.take(until: .never) else { throw ConnectionProblem.closed }
      return process
    }
  }

  @Test func `knows this process, and it stays the same one`() throws {
    let process = try #require(registry.process(getpid()))
    #expect(process.number == getpid())
    #expect(registry.process(getpid()) == process)
    #expect(registry.app(of: process)?.name == ProcessFiles.executable(of: getpid()))
    registry.setApp(AppID("named"), of: process)
    #expect(registry.app(of: process) == AppID("named"))
    registry.setApp(AppID("other"), of: ProcessID(number: getpid(), serial: 99))
    #expect(registry.app(of: process) == AppID("named"))
  }

  @Test(arguments: [0, -1, Int32.max])
  func `knows nobody by a number that is none`(number: Int32) {
    #expect(registry.process(number) == nil)
    #expect(registry.process(ofThread: number) == nil)
  }

  @Test(arguments: features)
  func `finds the process of another thread, by the kernel or by proc`(features: KernelFeatures) throws {
    let registry = try ProcessRegistry(features: features)
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap {
      Int32($0)
    }
    let other = try #require(threads.first { $0 != getpid() })
    #expect(registry.process(ofThread: other)?.number == getpid())
    // A thread is no process.
    #expect(registry.process(other) == nil)
  }

  @Test func `reports the end of a process once, and knows it no more`() async throws {
    let (shell, child) = try shell()
    let process = try #require(registry.process(shell.processIdentifier))
    kill(shell.processIdentifier, SIGKILL)
    kill(child, SIGKILL)
    #expect(try await next() == process)
    shell.waitUntilExit()
    #expect(registry.process(shell.processIdentifier) == nil)
    // Whoever has the number later is another.
    #expect(registry.app(of: process)?.name != "named")
  }

  @Test func `knows the ancestors that it has met`() async throws {
    let (shell, child) = try shell()
    let process = try #require(registry.process(child))
    #expect(registry.ancestors(of: process).isEmpty)
    let parent = try #require(registry.process(shell.processIdentifier))
    #expect(registry.ancestors(of: process) == [parent])
    let ours = try #require(registry.process(getpid()))
    #expect(registry.ancestors(of: process) == [parent, ours])
    registry.signal(parent, SIGKILL)
    #expect(Set([try await next(), try await next()]) == [process, parent])
    shell.waitUntilExit()
  }

  @Test func `kills a process with what it has started`() async throws {
    let (shell, child) = try shell()
    let watched = try #require(registry.process(child))
    let process = try #require(registry.process(shell.processIdentifier))
    registry.signal(process, SIGKILL)
    #expect(Set([try await next(), try await next()]) == [watched, process])
    shell.waitUntilExit()
    #expect(shell.terminationReason == .uncaughtSignal)
  }

  @Test func `kills nobody in the place of one that has ended`() async throws {
    let (shell, child) = try shell()
    let watched = try #require(registry.process(child))
    // Their number, but a process that was there before them.
    registry.signal(ProcessID(number: shell.processIdentifier, serial: 99), SIGKILL)
    #expect(shell.isRunning)
    kill(child, SIGKILL)
    #expect(try await next() == watched)
    try input.fileHandleForWriting.close()
    shell.waitUntilExit()
    // It had an orderly end.
    #expect(shell.terminationReason == .exit)
  }
}
