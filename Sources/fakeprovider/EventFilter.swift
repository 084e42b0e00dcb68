import ProviderControl
import ProviderModel

/// Which events `events` shows.
struct EventFilter: Hashable, Sendable {
  /// nil: all.
  var operations: Set<String>?
  var names: Set<String>?
  var path: Glob?
  var app: String?
  /// Leaves out what only looked around and met nothing out of the ordinary.
  var isCalm = false

  static let lookingAround = OperationName.allCases.filter(\.looksAround).map(\.rawValue)

  init() {}

  init(_ arguments: ParsedArguments) throws(VerbFailure) {
    operations = try Self.words(
      arguments.values["--operation"], of: "operation",
      known: OperationName.allCases.map(\.rawValue) + ChangeName.allCases.map(\.rawValue))
    names = try Self.words(
      arguments.values["--name"], of: "event", known: EventName.allCases.map(\.rawValue))
    if let text = arguments.text("--path") {
      do {
        path = try Expectation.glob(text)
      } catch {
        throw .usage(error.message)
      }
    }
    app = arguments.text("--app")
    isCalm = !arguments.has("--json") && !arguments.has("--all") && operations == nil
  }

  private static func words(
    _ given: [Argument]?, of what: String, known: [String]
  ) throws(VerbFailure) -> Set<String>? {
    guard let given else { return nil }
    let words = given.flatMap { $0.text.split(separator: ",").map(String.init) }
    if words.isEmpty { throw .usage("needs the name of an \(what)") }
    for word in words where !known.contains(word) {
      let nearest = Nearest.word(to: word, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
      throw .usage("there is no \(what) \"\(Render.harmless(word))\"" + nearest)
    }
    return Set(words)
  }

  func shows(_ event: EventLine) -> Bool {
    if let operations, !operations.contains(where: { isOf(event, $0) }) { return false }
    if let names, !names.contains(event.name) { return false }
    if let path, !event.isAbout(path) { return false }
    if let app, !isOf(event, app: app) { return false }
    return !isCalm || !isOrdinary(event)
  }

  private func isOf(_ event: EventLine, _ operation: String) -> Bool {
    switch operation {
    case "change": event.operation.map { OperationName(rawValue: $0) == nil || $0 == "change" } ?? false
    // A transfer has events of its own.
    case "download": event.operation == "download" || event.name.hasPrefix("download")
    default: event.operation == operation
    }
  }

  private func isOf(_ event: EventLine, app: String) -> Bool {
    event.app == app || event.app.map(Render.app) == app
  }

  private func isOrdinary(_ event: EventLine) -> Bool {
    guard event.name == "operation", let operation = event.operation, event.rule == nil,
      OperationName(rawValue: operation)?.looksAround == true
    else { return false }
    return event.error.map { ["noSuchItem", "noSuchAttribute", "resultTooLarge"].contains($0) } ?? true
  }
}
