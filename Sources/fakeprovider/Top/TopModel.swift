import ProviderControl
import ProviderModel

/// What `top` knows and what its user is about to do. Changed by what the provider says and by keys; it does
/// nothing itself: keys become actions for whoever talks to the provider.
struct TopModel: Hashable, Sendable {
  struct Snapshot: Hashable, Sendable {
    var overview: OverviewLine
    var clock: ClockLine
  }

  /// A row by what it is about, so that the selection stays on it while others come and go.
  enum RowID: Hashable, Sendable {
    case item(WirePath)
    /// With nobody at it.
    case hold(String)
    case waiter(OverviewLine.Waiting)
    case scope(process: Int32, WirePath)
    case claim(UInt64)
    case rule(String)
  }

  /// What keys are taken for.
  enum Mode: Hashable, Sendable {
    case list
    case help
    /// Which operation to hold.
    case choosing(WirePath)
    case prompt(Question, text: String)
  }

  /// What is asked for in the bottom line.
  enum Question: Hashable, Sendable {
    case point(of: String, WirePath)
    case error(hold: String)
    case releaseAll
    case advance
  }

  var mountpoint: String
  var provider: ProviderLine
  var snapshot: Snapshot?
  /// The provider has not answered for so long, in seconds.
  var silence: Int?
  var folder = WirePath(bytes: Array(".".utf8))
  var selection: RowID?
  var mode = Mode.list
  /// What came of the last action.
  var message = ""

  init(mountpoint: String, provider: ProviderLine) {
    self.mountpoint = mountpoint
    self.provider = provider
  }

  // MARK: What the provider says

  mutating func take(_ new: Snapshot) {
    let before = rows
    let index = before.firstIndex { $0.id == selection } ?? 0
    let hold = selectedRow?.hold
    snapshot = new
    silence = nil
    let now = rows
    if now.contains(where: { $0.id == selection }) { return }
    // What was selected is gone: whoever is at the same hold now, or its neighbor, takes its place.
    let same = hold.flatMap { hold in now.first { $0.hold == hold } }
    selection = same?.id ?? (now.isEmpty ? nil : now[min(index, now.count - 1)].id)
  }

  mutating func take(_ result: Result<ReplyLine, VerbFailure>, of request: RequestLine) {
    switch result {
    case .success(let reply): message = TopModel.words(for: request, reply)
    case .failure(let failure): message = failure.message
    }
  }

  private static func words(for request: RequestLine, _ reply: ReplyLine) -> String {
    let path = request.path?.text ?? ""
    switch request.verb {
    case "hold":
      let point = request.at.map { " at \($0)" } ?? ""
      return "the next \(request.operation ?? "") of \(path) stops\(point), at the hold \(reply.name ?? "")"
    case "release":
      let count = Render.count(reply.released ?? 0, "operation")
      return "\(request.name ?? ""): \(count) \(request.error.map { "failed with \($0)" } ?? "let go")"
    case "revoke":
      let ended = reply.revoked ?? RevocationLine()
      return
        "\(path): \(Render.count(ended.grants, "grant")) and \(Render.count(ended.scopes, "scope")) ended"
    case "evict": return "\(path) is dataless again"
    case "download": return "\(path) is local"
    case "clock":
      return "it is \(Render.seconds(reply.clock?.nowNanoseconds ?? 0)) of provider time now"
    default: return ""
    }
  }

  // MARK: Rows

  var rows: [TopRow] { sections.flatMap(\.rows) }

  var selectedRow: TopRow? { rows.first { $0.id == selection } }

  mutating func moveSelection(by step: Int) {
    let rows = rows
    guard !rows.isEmpty else { return }
    let index = rows.firstIndex { $0.id == selection } ?? 0
    selection = rows[min(max(index + step, 0), rows.count - 1)].id
  }
}

/// One line of a section.
struct TopRow: Hashable, Sendable {
  var id: TopModel.RowID
  var cells: [String]
  /// The item that it is about.
  var path: WirePath?
  var isFolder = false
  var hold: String?
}

/// Rows of one kind, with their columns.
struct TopSection: Hashable, Sendable {
  var title: String
  var columns: [TopColumn]
  var rows: [TopRow]
  /// How many there are, also those that the provider left out.
  var total: Int
}

/// The first column of a section takes what the others leave.
struct TopColumn: Hashable, Sendable {
  var title: String
  var width: Int
  var isRight = false
}
