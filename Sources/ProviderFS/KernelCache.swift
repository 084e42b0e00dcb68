import CFuse
import ProviderHost
import ProviderModel
import Synchronization

/// The one thread that talks to the kernel's caches: it may have to wait for the kernel's own locks, so nobody
/// who answers requests may do it.
final class KernelCache: Sendable {
  private let nodes = Mutex<[NodeID]>([])
  private let wakeUp: WakeUp

  init() throws(SystemError) { wakeUp = try WakeUp() }

  func start(_ session: OpaquePointer) {
    // Sound: libfuse's notify calls may come from any thread, and a session lives as long as the process.
    nonisolated(unsafe) let session = session
    Threads.start("kernel caches") { [self] in
      while true {
        wakeUp.wait()
        let stale = nodes.withLock { nodes in
          defer { nodes = [] }
          return nodes
        }
        // Attributes and all pages. A node that the kernel does not know is fine.
        for node in stale { _ = cfuse_invalidate_node(session, node.rawValue, 0, 0) }
      }
    }
  }

  func invalidate(_ node: NodeID) {
    nodes.withLock { nodes in
      if nodes.last != node { nodes.append(node) }
    }
    wakeUp.signal()
  }
}
