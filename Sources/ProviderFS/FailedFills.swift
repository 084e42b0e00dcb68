import ProviderModel
import Synchronization

/// Reads for the page cache that failed, until the kernel has told the program.
///
/// sendfile (which is how FileManager copies) and maps have the kernel read ahead. What fails there is told to
/// nobody: the kernel asks once more for the page that is wanted. Where the same call has got some bytes
/// already, that failure is not told either, but asked for again, by the inner loop and by the outer one. To the
/// model the first failure was the answer, so those that follow have to be the same. Which of them the
/// program hears of cannot be seen from here: one that tries again by itself may meet the error some times more.
/// - Source: the kernel's mm/filemap.c, filemap_get_pages and filemap_splice_read (a read that is not the first
///   is tried once more by itself), and fs/splice.c, splice_direct_to_actor.
final class FailedFills: Sendable {
  /// What a read asks for.
  struct Fill: Sendable {
    var handle: HandleID
    var range: Range<Int64>
  }

  private struct State {
    var underWay: [RequestID: Fill] = [:]
    var failed: [Failure] = []
  }

  private struct Failure {
    var fill: Fill
    var error: ErrnoName
    var repeats = FailedFills.repeats
  }

  /// A page is asked for by the inner loop, the outer one, and the next call.
  private static let repeats = 3

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
      case .released(let name), .source(let name): state.failed.append(Failure(fill: fill, error: name))
      case .provider(let name): state.failed.append(Failure(fill: fill, error: name.errno))
      }
    }
  }

  /// The error of a failed fill that `fill` asks for again.
  func takeError(for fill: Fill) -> ErrnoName? {
    state.withLock { state in
      let index = state.failed.firstIndex {
        $0.fill.handle == fill.handle && $0.fill.range.overlaps(fill.range)
      }
      guard let index else { return nil }
      state.failed[index].repeats -= 1
      return state.failed[index].repeats == 0
        ? state.failed.remove(at: index).error : state.failed[index].error
    }
  }

  func forget(_ handle: HandleID) {
    state.withLock { state in state.failed.removeAll { $0.fill.handle == handle } }
  }
}
