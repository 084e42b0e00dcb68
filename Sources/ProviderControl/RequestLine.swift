package import ProviderModel

/// One request: a JSON object on a line. docs/control-protocol.md lists what each verb takes.
///
/// One flat shape for all verbs, so that a client in any language builds a dictionary and sends it; what a
/// verb does not take is ignored.
package struct RequestLine: Codable, Hashable, Sendable {
  /// The client's number for this request; the reply carries it.
  package var id: Int
  package var verb: String
  package var path: WirePath?
  package var paths: [WirePath]?
  package var app: String?
  package var covers: String?
  package var byUser: Bool?
  package var reads: Bool?
  package var operation: String?
  package var at: String?
  package var name: String?
  package var error: String?
  package var condition: String?
  package var action: String?
  package var value: String?
  package var `for`: String?
  package var follow: Bool?
  package var since: UInt64?
  package var intents: [IntentLine]?
  package var purpose: String?
  package var claim: UInt64?
  package var request: Int?
  package var rule: JSONValue?
  package var to: WirePath?
  /// Of the client's machine, absolute.
  package var from: WirePath?
  package var text: String?
  package var append: Bool?
  package var size: String?
  package var seed: UInt64?
  package var keepModified: Bool?
  package var onReplace: Bool?
  package var pressure: String?
  package var limit: Int?

  package init(id: Int = 0, verb: String) {
    self.id = id
    self.verb = verb
  }
}

package struct IntentLine: Codable, Hashable, Sendable {
  package var path: WirePath
  /// "read" or "write".
  package var kind: String
  package var options: [String]?
  package init(path: WirePath, kind: String, options: [String]? = nil) {
    self.path = path
    self.kind = kind
    self.options = options
  }
}

/// What the host itself does, beside what it hands to the model.
package enum HostCommand: Hashable, Sendable {
  case hello(app: AppID?)
  case provider
  case clock(ClockCommand)
  case events(follow: Bool, since: UInt64?)
  case unmount
}

package enum ClockCommand: Hashable, Sendable {
  case show
  case advance(Span)
  case advanceToNext
  case scale(Int64)
  case pause
  case resume
}

package enum ParsedRequest: Hashable, Sendable {
  case model(Command)
  case host(HostCommand)
}

/// Why a request line cannot be understood, in words for who sent it.
package struct RequestProblem: Error, Hashable, Sendable {
  package let message: String
  package init(_ message: String) { self.message = message }
}
