import FoundationEssentials
import ProviderControl

@testable import fakeprovider

/// What a provider could have said.
enum Told {
  static func decoded<Line: Decodable>(_ type: Line.Type, _ json: String) throws -> Line {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  static func item(_ path: String, _ copy: String, size: Int = 1_000, _ more: String = "") -> String {
    """
    {"path":"\(path)","id":7,"kind":"\(copy == "folder" ? "directory" : "file")","copy":"\(copy)",
     "upload":"clean","size":\(size),"version":1,"open":0,"scopes":[],"claims":[]\(more)}
    """
  }

  static func hold(_ name: String, _ path: String, parked: Int) -> String {
    #"{"name":"\#(name)","operation":"read","path":"\#(path)","at":"40%","parked":\#(parked)}"#
  }

  static func waiter(_ path: String, hold: String?, process: Int = 77) -> String {
    """
    {"operation":"read","path":"\(path)","app":"/usr/bin/cat","process":\(process),
     "reason":"\(hold == nil ? "content" : "hold")","hold":\(hold.map { "\"\($0)\"" } ?? "null"),
     "sinceNanoseconds":1500000000}
    """
  }

  static func scope(_ path: String) -> String {
    #"{"path":"\#(path)","app":"org.example","process":76,"count":1,"covers":"process"}"#
  }

  static func snapshot(
    items: [String] = [], holds: [String] = [], waiting: [String] = [], scopes: [String] = [],
    claims: [String] = [], rules: [String] = [], folder: String = ".", total: Int? = nil,
    clock: String = #"{"mode":"manual","scale":1,"paused":false,"nowNanoseconds":2000000000}"#
  ) throws -> TopModel.Snapshot {
    let lists = [
      ("items", items), ("holds", holds), ("waiting", waiting), ("scopes", scopes), ("claims", claims),
      ("rules", rules),
    ]
    let json = lists.map { #""\#($0)":[\#($1.joined(separator: ","))]"# }.joined(separator: ",")
    let counts = lists.map { #""\#($0)":\#($0 == "items" ? total ?? $1.count : $1.count)"# }.joined(
      separator: ",")
    let overview = try decoded(
      OverviewLine.self,
      #"{"nowNanoseconds":2000000000,"condition":"online","locked":false,"folder":"\#(folder)",\#(json),"counts":{"moving":0,\#(counts)}}"#
    )
    return TopModel.Snapshot(overview: overview, clock: try decoded(ClockLine.self, clock))
  }

  static func model(_ snapshot: TopModel.Snapshot? = nil) throws -> TopModel {
    var model = TopModel(
      mountpoint: "/tmp/cloud",
      provider: ProviderLine(
        mountpoint: "/tmp/cloud", socket: "s", pid: 1, profile: "slow-cloud", source: "x", mode: "device",
        seed: 1, version: "0", protocolVersion: 1, app: nil, condition: "online", locked: false))
    if let snapshot { model.take(snapshot) }
    return model
  }

  /// One of everything.
  static func full() throws -> TopModel.Snapshot {
    try snapshot(
      items: [
        item(
          "Grain Study.pdf", "downloading", size: 5_000_000,
          #","arrived":2000000,"phase":"held","bytesPerSecond":0"#),
        item("Letter.pdf", "local", size: 1_400), item("Recent", "folder"),
        item("旅行ガイド.txt", "dataless", size: 498),
        item("A name that is much too long for its column.pdf", "dataless"), item("a\\u001Bb", "dataless"),
      ],
      holds: [hold("forty", "Grain Study.pdf", parked: 1), hold("h2", "Letter.pdf", parked: 0)],
      waiting: [waiter("Grain Study.pdf", hold: "forty"), waiter("b.pdf", hold: nil)],
      scopes: [scope("Recent")],
      claims: [
        #"""
        {"id":3,"intents":[{"path":"Letter.pdf","kind":"write"},{"path":"x","kind":"read"}],"process":78,
         "phase":"granted","sinceNanoseconds":1000000000}
        """#
      ],
      rules: [#"{"name":"fails once","operations":["open","download"],"hits":12}"#],
      clock:
        #"{"mode":"manual","scale":1,"paused":false,"nowNanoseconds":2000000000,"nextNanoseconds":2800000000}"#
    )
  }
}

extension TopModel {
  /// The screen as text, without what is only padding.
  func screen(columns: Int = 80, rows: Int? = 24) -> [String] {
    TopScreen.lines(self, columns: columns, rows: rows).map { line in
      String(line.text.reversed().drop { $0 == " " }.reversed())
    }
  }

  @discardableResult
  mutating func press(_ text: String) -> [TopAction] {
    text.compactMap { press($0 == "\n" ? .enter : .character($0)) }
  }
}
