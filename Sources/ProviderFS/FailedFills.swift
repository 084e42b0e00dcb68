import ProviderModel
import Synchronization

/// Reads for the page cache that failed, until the kernel has asked again.
///
/// sendfile (which is how FileManager copies) and maps have the kernel read ahead. What fails there is told to
/// nobody: the kernel asks once more for the page that is wanted, and only that answer reaches the program.
/// To the model the first one was the answer, so the second has to be the same.
/// - Source: the kernel's mm/filemap.c, filemap_get_pages and filemap_update_page.
final class FailedFills: Sendable {
  /// What a read asks for.
  struct Fill: Sendable {
    var handle: HandleID
    var range: Range<Int64>
  }

  private struct State {
    var underWay: [RequestID: Fill] = [:]
    var failed: [(fill: Fill, error: ErrnoName)] = []
  }

  /// A leaf.
  private let state = Mutex(State())

  func begin(_ id: RequestID, _ fill: Fill) { state.withLock { $0.underWay[id] = fill } }

  /// To be told before the kernel is: it asks again at once.
  /// - Parameter error: nil when it went well.
  func end(_ id: RequestID, _ error: ProviderError?) {
    state.withLock { state in
      guard let fill = state.underWay.removeValue(forKey: id) else { return }
      switch error {
      // Nobody asks again after these, or whoever does is told the same by the model.
      case nil, .interrupted, .stopping, .accessNotGranted, .accessRevoked, .callerNotVisible, .tooManyScopes,
        .noSuchItem, .notADirectory, .isADirectory, .notASymbolicLink, .readOnly, .sourceChanged, .canceled,
        .busy, .badHandle, .noSuchAttribute, .resultTooLarge, .notSupported, .invalid:
        break
      case .released(let name), .source(let name): state.failed.append((fill, name))
      case .provider(let name): state.failed.append((fill, name.errno))
      }
    }
  }

  /// The error of a failed fill that `fill` asks for again, once.
  func takeError(for fill: Fill) -> ErrnoName? {
    state.withLock { state in
      let index = state.failed.firstIndex {
        $0.fill.handle == fill.handle && $0.fill.range.overlaps(fill.range)
      }
      return index.map { state.failed.remove(at: $0).error }
    }
  }

  func forget(_ handle: HandleID) {
    state.withLock { state in state.failed.removeAll { $0.fill.handle == handle } }
  }
}
