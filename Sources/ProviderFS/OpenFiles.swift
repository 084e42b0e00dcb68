import Glibc
import ProviderModel
import Synchronization

/// The source files that are open for handles.
///
/// The kernel sends a handle's RELEASE after its last read was answered, so a descriptor is never closed under
/// a read.
final class OpenFiles: Sendable {
  private let descriptors = Mutex<[Int32]>([])

  subscript(_ handle: HandleID) -> Int32? {
    descriptors.withLock { all in
      let index = handle.index
      return index < all.count && all[index] >= 0 ? all[index] : nil
    }
  }

  func add(_ descriptor: Int32, for handle: HandleID) {
    descriptors.withLock { all in
      while all.count <= handle.index { all.append(-1) }
      all[handle.index] = descriptor
    }
  }

  func close(_ handle: HandleID) {
    let descriptor = descriptors.withLock { all -> Int32 in
      guard handle.index < all.count else { return -1 }
      defer { all[handle.index] = -1 }
      return all[handle.index]
    }
    if descriptor >= 0 { Glibc.close(descriptor) }
  }
}

extension HandleID {
  /// Handles are numbered by their place in the model's table.
  fileprivate var index: Int { Int(UInt32(truncatingIfNeeded: rawValue)) }
}
