import Glibc
import ProviderModel
import Synchronization

/// The source files that are open for handles.
///
/// The kernel sends a handle's RELEASE after its last read was answered, so a descriptor is never closed under
/// a read.
final class OpenFiles: Sendable {
  private struct Entry {
    var handle = HandleID(0)
    var descriptor: Int32 = -1
  }

  /// By the handle's place, which another handle may have taken before a close of this one is carried out.
  private let entries = Mutex<[Entry]>([])

  subscript(_ handle: HandleID) -> Int32? {
    entries.withLock { entries in
      handle.index < entries.count && entries[handle.index].handle == handle
        ? entries[handle.index].descriptor : nil
    }
  }

  func add(_ descriptor: Int32, for handle: HandleID) {
    let displaced = entries.withLock { entries -> Int32 in
      while entries.count <= handle.index { entries.append(Entry()) }
      defer { entries[handle.index] = Entry(handle: handle, descriptor: descriptor) }
      return entries[handle.index].descriptor
    }
    // The one before it in this place is closed by now, as far as the model is concerned.
    if displaced >= 0 { Glibc.close(displaced) }
  }

  func close(_ handle: HandleID) {
    let descriptor = entries.withLock { entries -> Int32 in
      guard handle.index < entries.count, entries[handle.index].handle == handle else { return -1 }
      defer { entries[handle.index] = Entry() }
      return entries[handle.index].descriptor
    }
    if descriptor >= 0 { Glibc.close(descriptor) }
  }
}

extension HandleID {
  /// Handles are numbered by their place in the model's table.
  fileprivate var index: Int { Int(UInt32(truncatingIfNeeded: rawValue)) }
}
