import Foundation
import Glibc
import ProviderModel
import Testing

@testable import ProviderHost

@Suite struct `A caller of a moment ago` {
  private let recent = RecentCallers()
  private let process = ProcessID(number: 10, serial: 3)
  private var caller: RecentCallers.Caller { RecentCallers.Caller(process: process, app: AppID("/bin/a")) }
  private let memory = RecentCallers.memory_nanoseconds

  @Test func `is known for as long as it goes on asking`() {
    recent.remember(caller, thread: 12, at: 0)
    for step in 1...1_000 as ClosedRange<Int64> {
      #expect(recent.caller(ofThread: 12, at: step * (memory - 1))?.process == process)
    }
    #expect(recent.caller(ofThread: 12, at: 1_000 * (memory - 1) + memory) == nil)
  }

  @Test func `is not taken for another thread in the same place`() {
    recent.remember(caller, thread: 12, at: 0)
    #expect(recent.caller(ofThread: 12 + 256, at: 1) == nil)
    recent.remember(caller, thread: 12 + 256, at: 1)
    #expect(recent.caller(ofThread: 12, at: 2) == nil)
  }

  @Test func `is asked for anew when its process says which app it is`() {
    recent.remember(caller, thread: 12, at: 0)
    recent.remember(
      RecentCallers.Caller(process: ProcessID(number: 11, serial: 4), app: nil), thread: 11, at: 0)
    recent.forget(process)
    #expect(recent.caller(ofThread: 12, at: 1) == nil)
    #expect(recent.caller(ofThread: 11, at: 1) != nil)
  }

  @Test func `is nobody where no thread is seen`() throws {
    let registry = try ProcessRegistry(features: try KernelFeatures.current(environment: [:]))
    #expect(registry.recentCaller(ofThread: 0) == nil)
    // "PROCESS/task/THREAD"
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    let thread = try #require(link.split(separator: "/").last.flatMap { Int32($0) })
    let known = try #require(registry.recentCaller(ofThread: thread))
    #expect(known.process.number == getpid())
    #expect(known.app == registry.app(of: known.process))
    registry.setApp(AppID("org.example"), of: known.process)
    #expect(registry.recentCaller(ofThread: thread)?.app == AppID("org.example"))
  }
}
