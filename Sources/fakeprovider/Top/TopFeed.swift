import Glibc
import ProviderControl
import ProviderHost
import Synchronization

/// Asks the provider, on threads of its own, so that the terminal never waits for it. Lock order: `news` is a leaf.
final class TopFeed: Sendable {
  enum News: Sendable {
    case snapshot(TopModel.Snapshot)
    case result(RequestLine, Result<ReplyLine, VerbFailure>)
    /// No answer for so many seconds.
    case silence(Int)
    case refused(String)
    case ended
  }

  private static let interval_ms: Int32 = 250
  private static let patience = Duration.seconds(2)

  let wakeUp: WakeUp
  private let connection: ProviderConnection
  private let news = Mutex<[News]>([])
  private let folder: Mutex<WirePath>
  /// Asks at once.
  private let hurry: WakeUp

  init(_ connection: ProviderConnection, folder: WirePath) throws(SystemError) {
    self.connection = connection
    self.folder = Mutex(folder)
    wakeUp = try WakeUp()
    hurry = try WakeUp()
  }

  func start() { Threads.start("top") { [self] in ask() } }

  func take() -> [News] {
    news.withLock { news in
      defer { news = [] }
      return news
    }
  }

  func look(into folder: WirePath) {
    self.folder.withLock { $0 = folder }
    hurry.signal()
  }

  /// Sends requests, one after the other; what comes of each is news.
  func send(_ requests: [RequestLine]) {
    Threads.start("top request") { [self] in
      for request in requests {
        do {
          tell(.result(request, .success(try connection.client.call(request))))
        } catch let problem as ConnectionProblem {
          tell(.result(request, .failure(VerbFailure(connection.lost(problem)))))
        } catch {
          tell(.result(request, .failure(VerbFailure(any: error))))
        }
      }
      hurry.signal()
    }
  }

  /// What goes on now; asked once.
  static func snapshot(
    _ connection: ProviderConnection, folder: WirePath, patience: Duration? = nil
  ) throws -> TopModel.Snapshot {
    var request = RequestLine(verb: "top")
    request.path = folder
    let overview = try connection.client.call(request, timeout: patience).top
    let clock = try connection.client.call(RequestLine(verb: "clock"), timeout: patience).clock
    guard let overview, let clock else {
      throw ConnectionProblem.malformed("an answer without what was asked")
    }
    return TopModel.Snapshot(overview: overview, clock: clock)
  }

  // MARK: -

  private func tell(_ item: News) {
    news.withLock { $0.append(item) }
    wakeUp.signal()
  }

  private func ask() {
    let clock = ContinuousClock()
    var answered = clock.now
    while true {
      do {
        let snapshot = try TopFeed.snapshot(
          connection, folder: folder.withLock { $0 }, patience: TopFeed.patience)
        answered = clock.now
        tell(.snapshot(snapshot))
      } catch ConnectionProblem.timedOut {
        tell(.silence(Int((clock.now - answered).components.seconds)))
        continue
      } catch let refusal as ErrorLine {
        answered = clock.now
        tell(.refused(VerbFailure(refusal).message))
      } catch {
        return tell(.ended)
      }
      var waiting = pollfd(fd: hurry.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, TopFeed.interval_ms) > 0 { hurry.wait() }
    }
  }
}
