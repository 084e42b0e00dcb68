import Glibc
import ProviderModel
import Synchronization

/// Who asked just now, by thread. Finding out which process a thread belongs to and what it runs takes longer than
/// most requests, and who looks around makes thousands of them in a row.
///
/// A thread that asked a moment ago is still the same one, of the same process: neither can its number have come
/// round again meanwhile, nor can its program have been replaced by another that has begun to ask.
final class RecentCallers: Sendable {
  struct Caller {
    var process: ProcessID
    var app: AppID?
  }

  /// Longer than between two requests of a loop, shorter than execve(2) and the start of a program.
  static let memory_nanoseconds: Int64 = 100_000

  private struct Entry {
    var thread: Int32 = 0
    var asked: Int64 = 0
    var caller = Caller(process: ProcessID(number: 0, serial: 0))
  }

  /// Each thread has one place, which it shares with others.
  private static let places = 256
  private let entries = Mutex([Entry](repeating: Entry(), count: places))

  /// - Parameter now: monotonic.
  func caller(ofThread thread: Int32, at now: Int64) -> Caller? {
    entries.withLock { entries in
      let place = Int(thread) & (RecentCallers.places - 1)
      guard entries[place].thread == thread, now - entries[place].asked < RecentCallers.memory_nanoseconds
      else { return nil }
      entries[place].asked = now
      return entries[place].caller
    }
  }

  func remember(_ caller: Caller, thread: Int32, at now: Int64) {
    entries.withLock { entries in
      entries[Int(thread) & (RecentCallers.places - 1)] = Entry(thread: thread, asked: now, caller: caller)
    }
  }

  /// A process has said which app it is.
  func forget(_ process: ProcessID) {
    entries.withLock { entries in
      for place in entries.indices where entries[place].caller.process == process {
        entries[place].thread = 0
      }
    }
  }
}
