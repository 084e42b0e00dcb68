import CFuse
import ProviderHost
import ProviderModel
import Synchronization

/// The one thread that talks to the kernel's caches: it may have to wait for the kernel's own locks, so nobody
/// who answers requests may do it.
final class KernelCache: Sendable {
  enum Invalidation: Hashable, Sendable {
    case attributes(NodeID)
    case pages(NodeID, Slot)
  }

  private let stale = Mutex<[Invalidation]>([])
  private let wakeUp: WakeUp

  init() throws(SystemError) { wakeUp = try WakeUp() }

  /// - Parameter dropped: called when an item's pages have gone.
  func start(_ session: OpaquePointer, _ dropped: @escaping @Sendable (Slot) -> Void) {
    // Sound: libfuse's notify calls may come from any thread, and a session lives as long as the process.
    nonisolated(unsafe) let session = session
    Threads.start("kernel caches") { [self] in
      while true {
        wakeUp.wait()
        let due = stale.withLock { stale in
          defer { stale = [] }
          return stale
        }
        // A node that the kernel does not know is fine.
        for invalidation in due {
          switch invalidation {
          case .attributes(let node): _ = cfuse_invalidate_node(session, node.rawValue, -1, 0)
          case .pages(let node, let slot):
            _ = cfuse_invalidate_node(session, node.rawValue, 0, 0)
            dropped(slot)
          }
        }
      }
    }
  }

  func invalidate(_ invalidation: Invalidation) {
    stale.withLock { stale in
      if stale.last != invalidation { stale.append(invalidation) }
    }
    wakeUp.signal()
  }
}
