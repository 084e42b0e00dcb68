import ProviderControl
import ProviderModel
import Testing

private let mountpoint = "/mnt/p"

extension RuleCoding {
  /// A rule that is its name alone, on opens: what JSON says is the profile reader's business.
  static let named = RuleCoding(
    read: { json throws(RequestProblem) in
      guard case .object(let members) = try? LineCoding.message(JSONValue.self, from: json),
        case .text(let name) = members["name"]
      else { throw RequestProblem("a rule without a name") }
      return Rule(name: name, operations: [.open], effect: RuleEffect(disturbance: .stall))
    },
    write: { Array(#"{"name":"\#($0.name)"}"#.utf8) })
}

private func parsed(_ text: String) throws -> ParsedRequest {
  try LineCoding.message(RequestLine.self, from: Array(text.utf8)).parsed(
    mountpoint: mountpoint, rules: .named)
}

private let operations = OperationName.allCases.map(\.rawValue).joined(separator: ", ")

private func path(_ text: String) throws -> ItemPath { try #require(ItemPath(text)) }

@Suite struct `A request` {
  @Test func `of each host verb is understood`() throws {
    let known: [(String, HostCommand)] = [
      (#"{"id":1,"verb":"hello","app":"a"}"#, .hello(app: AppID("a"))),
      (#"{"id":1,"verb":"hello"}"#, .hello(app: nil)),
      (#"{"id":1,"verb":"provider"}"#, .provider),
      (#"{"id":1,"verb":"events"}"#, .events(follow: false, since: nil)),
      (#"{"id":1,"verb":"events","follow":true,"since":4}"#, .events(follow: true, since: 4)),
      (#"{"id":1,"verb":"unmount"}"#, .unmount),
      (#"{"id":1,"verb":"clock"}"#, .clock(.show)),
      (#"{"id":1,"verb":"clock","action":"pause"}"#, .clock(.pause)),
      (#"{"id":1,"verb":"clock","action":"resume"}"#, .clock(.resume)),
      (#"{"id":1,"verb":"clock","action":"advanceToNext"}"#, .clock(.advanceToNext)),
      (#"{"id":1,"verb":"clock","action":"advance","value":"1.5s"}"#, .clock(.advance(.milliseconds(1500)))),
      (#"{"id":1,"verb":"clock","action":"scale","value":"60"}"#, .clock(.scale(60))),
    ]
    for (text, command) in known { #expect(try parsed(text) == .host(command)) }
  }

  @Test func `of each model verb is understood`() throws {
    let a = try path("a")
    let b = try path("d/b")
    let root = ItemPath()
    func remote(_ change: RemoteChange) -> Command { .remote(change, at: FileTime()) }
    let known: [(String, Command)] = [
      (#"{"id":1,"verb":"status"}"#, .status([])),
      (#"{"id":1,"verb":"status","path":"."}"#, .status([root])),
      (#"{"id":1,"verb":"pick","path":"a","app":"x"}"#, .pick([a], app: AppID("x"))),
      (#"{"id":1,"verb":"pick","paths":["a","/mnt/p/d/b","/mnt/p"]}"#, .pick([a, b, root], app: nil)),
      (#"{"id":1,"verb":"start","path":"a"}"#, .start(a, covers: .process)),
      (#"{"id":1,"verb":"start","path":"a","covers":"descendants"}"#, .start(a, covers: .descendants)),
      (#"{"id":1,"verb":"stop","path":"a"}"#, .stop(a)),
      (#"{"id":1,"verb":"download","path":"a"}"#, .download([a])),
      (#"{"id":1,"verb":"evict","paths":["a"]}"#, .evict([a])),
      (#"{"id":1,"verb":"revoke","path":"a"}"#, .revoke([a], app: nil, byUser: false, reads: false)),
      (
        #"{"id":1,"verb":"revoke","path":"a","app":"x","byUser":true,"reads":true}"#,
        .revoke([a], app: AppID("x"), byUser: true, reads: true)
      ),
      (#"{"id":1,"verb":"restore","path":"a"}"#, .restore([a], app: nil)),
      (#"{"id":1,"verb":"hold","operation":"open","path":"a"}"#, .hold(.open, a, at: nil, name: nil)),
      (
        #"{"id":1,"verb":"hold","operation":"read","path":"a","at":"40%","name":"h"}"#,
        .hold(.read, a, at: .millionths(400_000), name: "h")
      ),
      (
        #"{"id":1,"verb":"hold","operation":"download","path":"a","at":"65536"}"#,
        .hold(.download, a, at: .bytes(65536), name: nil)
      ),
      (#"{"id":1,"verb":"holds"}"#, .holds),
      (#"{"id":1,"verb":"release","name":"h"}"#, .release("h", error: nil)),
      (#"{"id":1,"verb":"release","name":"h","error":"EIO"}"#, .release("h", error: .EIO)),
      (#"{"id":1,"verb":"top"}"#, .top(root, limit: 100)),
      (#"{"id":1,"verb":"top","path":"d","limit":5}"#, .top(try path("d"), limit: 5)),
      (#"{"id":1,"verb":"wait","condition":"hold:h"}"#, .wait(.hold("h"))),
      (#"{"id":1,"verb":"wait","condition":"state:d/b=local"}"#, .wait(.state(b, .local))),
      (#"{"id":1,"verb":"wait","condition":"event:evicted"}"#, .wait(.event("evicted"))),
      (
        #"{"id":1,"verb":"coordinate","purpose":"p","intents":[{"path":"a","kind":"read"},"#
          + #"{"path":"d/b","kind":"write","options":["forMoving"]}]}"#,
        .coordinate(
          [Intent(path: a, kind: .read), Intent(path: b, kind: .write, options: [.forMoving])], purpose: "p")
      ),
      (#"{"id":1,"verb":"finish","claim":9}"#, .finish(ClaimID(9))),
      (#"{"id":1,"verb":"cancel","request":3}"#, .cancel(request: 3)),
      (
        #"{"id":1,"verb":"explain","path":"a","operation":"read","app":"x","at":"40%"}"#,
        .explain(a, .read, app: AppID("x"), at: .millionths(400_000))
      ),
      (#"{"id":1,"verb":"provider","condition":"signed-out"}"#, .setCondition(.signedOut, for: nil)),
      (
        #"{"id":1,"verb":"provider","condition":"offline","for":"5s"}"#,
        .setCondition(.offline, for: .seconds(5))
      ),
      (#"{"id":1,"verb":"device","action":"lock"}"#, .setDeviceLock(true)),
      (#"{"id":1,"verb":"device","action":"unlock"}"#, .setDeviceLock(false)),
      (#"{"id":1,"verb":"app","action":"suspend","app":"x"}"#, .signal(AppID("x"), .suspend)),
      (#"{"id":1,"verb":"evict","pressure":"10kB"}"#, .relieve(10_000)),
      (
        #"{"id":1,"verb":"remote","action":"write","path":"a","text":"é","append":true}"#,
        remote(.write(a, NewContent(.text(Array("é".utf8)), appends: true), keepsModified: false))
      ),
      (
        #"{"id":1,"verb":"remote","action":"write","path":"a","from":{"path_b64":"L/8="},"keepModified":true}"#,
        remote(.write(a, NewContent(.file([0x2F, 0xFF])), keepsModified: true))
      ),
      (
        #"{"id":1,"verb":"remote","action":"write","path":"a","size":"1KiB","seed":5,"onReplace":true}"#,
        remote(.prepare(a, NewContent(.synthetic(size: 1024, seed: 5))))
      ),
      (#"{"id":1,"verb":"remote","action":"move","path":"a","to":"/mnt/p/d/b"}"#, remote(.move(a, to: b))),
      (
        #"{"id":1,"verb":"remote","action":"rename","path":"d/b","name":"a"}"#,
        remote(.rename(b, try #require(Name("a"))))
      ),
      (#"{"id":1,"verb":"remote","action":"delete","path":"a"}"#, remote(.delete(a))),
      (#"{"id":1,"verb":"remote","action":"mkdir","path":"d/b"}"#, remote(.makeDirectory(b))),
      (#"{"id":1,"verb":"remote","action":"conflict","path":"a"}"#, remote(.conflict(a, nil))),
      (
        #"{"id":1,"verb":"remote","action":"conflict","path":"a","size":"0"}"#,
        remote(.conflict(a, NewContent(.synthetic(size: 0, seed: 1))))
      ),
      (#"{"id":1,"verb":"rule"}"#, .rules),
      (#"{"id":1,"verb":"rule","action":"clear"}"#, .clearRules),
      (#"{"id":1,"verb":"rule","action":"remove","name":"r"}"#, .removeRule("r")),
      (
        #"{"id":1,"verb":"rule","action":"add","rule":{"name":"r"}}"#,
        .addRule(Rule(name: "r", operations: [.open], effect: RuleEffect(disturbance: .stall)))
      ),
    ]
    for (text, command) in known { #expect(try parsed(text) == .model(command)) }
    let verbs = Set(
      known.map { $0.0 }.compactMap { try? LineCoding.message(RequestLine.self, from: Array($0.utf8)).verb })
    let host: Set = ["hello", "provider", "events", "unmount", "clock"]
    #expect(verbs.union(host) == Set(Verb.all), "every verb has a case above")
  }

  @Test(arguments: [
    (#""verb":"strat","path":"a""#, "unknown verb \"strat\"; the nearest is \"start\""),
    (#""verb":"pick""#, "pick needs \"path\" or \"paths\""),
    (#""verb":"pick","paths":[]"#, "pick needs \"path\" or \"paths\""),
    (#""verb":"start","paths":["a","b"]"#, "start takes one path"),
    (
      #""verb":"start","path":"a","covers":"all""#,
      "start: \"covers\" cannot be \"all\"; it is one of process, descendants"
    ),
    (#""verb":"stop","path":"../a""#, "../a cannot be a path here: no \"..\", and 255 bytes a name at most"),
    (#""verb":"stop","path":"/mnt/pq""#, "/mnt/pq is not below this provider's mountpoint /mnt/p"),
    (#""verb":"hold","path":"a""#, "hold needs \"operation\""),
    (
      #""verb":"hold","path":"a","operation":"write""#,
      "hold: \"operation\" cannot be \"write\"; it is one of \(operations)"
    ),
    (
      #""verb":"hold","path":"a","operation":"read","at":"half""#,
      "\"at\" is a share of the file like \"40%\" or a byte like \"65536\", not \"half\""
    ),
    (#""verb":"release""#, "release needs \"name\""),
    (#""verb":"top","limit":0"#, "top: \"limit\" is from 1 to 1000, not 0"),
    (#""verb":"top","limit":1001"#, "top: \"limit\" is from 1 to 1000, not 1001"),
    (#""verb":"wait""#, "wait needs \"condition\""),
    (
      #""verb":"wait","condition":"hold:""#,
      "a condition is hold:NAME, state:PATH=dataless|downloading|local|stale or event:NAME, not \"hold:\""
    ),
    (
      #""verb":"wait","condition":"state:a=wet""#,
      "a condition is hold:NAME, state:PATH=dataless|downloading|local|stale or event:NAME, not \"state:a=wet\""
    ),
    (#""verb":"coordinate""#, "coordinate needs \"intents\""),
    (#""verb":"coordinate","intents":[]"#, "coordinate needs at least one intent"),
    (
      #""verb":"coordinate","intents":[{"path":"a","kind":"look"}]"#,
      "an intent's \"kind\" is \"read\" or \"write\", not \"look\""
    ),
    (
      #""verb":"coordinate","intents":[{"path":"a","kind":"read","options":["fast"]}]"#,
      "unknown coordination option \"fast\""
    ),
    (#""verb":"finish""#, "finish needs \"claim\""),
    (
      #""verb":"provider","condition":"asleep""#,
      "provider: \"condition\" cannot be \"asleep\"; it is one of online, offline, signed-out, disabled, crashed, "
        + "throttled, out-of-quota, root-gone"
    ),
    (
      #""verb":"provider","condition":"offline","for":"0s""#,
      "provider: \"for\" is a length like \"800ms\", \"60s\" or \"2m\", not \"0s\""
    ),
    (#""verb":"provider","for":"5s""#, "provider: \"for\" needs a \"condition\""),
    (
      #""verb":"provider","condition":"online","for":"5s""#,
      "provider: online has no end, so \"for\" says nothing"
    ),
    (#""verb":"device""#, "device needs \"action\""),
    (#""verb":"device","action":"melt""#, "device: \"action\" cannot be \"melt\"; it is one of lock, unlock"),
    (#""verb":"app","action":"kill""#, "app needs \"app\""),
    (
      #""verb":"app","app":"x","action":"feed""#,
      "app: \"action\" cannot be \"feed\"; it is one of suspend, resume, kill"
    ),
    (#""verb":"cancel""#, "cancel needs \"request\""),
    (
      #""verb":"evict","pressure":"much""#,
      "\"pressure\" is a number of bytes like \"65536\" or \"10MB\", not \"much\""
    ),
    (
      #""verb":"evict","pressure":"1MB","path":"a""#,
      "evict takes \"pressure\" or paths: pressure chooses the items itself"
    ),
    (#""verb":"remote","path":"a""#, "remote needs \"action\""),
    (#""verb":"remote","action":"wrte","path":"a""#, "there is no remote \"wrte\"; the nearest is \"write\""),
    (
      #""verb":"remote","action":"write","path":"a""#,
      "remote write needs a content: \"text\", \"from\" or \"size\""
    ),
    (
      #""verb":"remote","action":"write","path":"a","text":"x","size":"1""#,
      "a content is \"text\", \"from\" or \"size\", one of them"
    ),
    (#""verb":"remote","action":"write","path":"a","text":"x","seed":1"#, "\"seed\" belongs to \"size\""),
    (
      #""verb":"remote","action":"write","path":"a","from":"x""#, "\"from\" is an absolute path, not \"x\""
    ),
    (#""verb":"remote","action":"write","path":"a","size":"17GiB""#, "\"size\" is at most 16GiB"),
    (
      #""verb":"remote","action":"write","path":"a","text":"","onReplace":true,"keepModified":true"#,
      "remote write: \"keepModified\" and \"onReplace\" exclude each other"
    ),
    (#""verb":"remote","action":"move","path":"a""#, "remote needs \"to\""),
    (
      #""verb":"remote","action":"rename","path":"a","name":"b/c""#,
      "\"b/c\" cannot be a name: 1 to 255 bytes, no slash, not \".\" or \"..\"; to change the folder, move it"
    ),
    (
      #""verb":"remote","action":"conflict","path":"a","text":"x","append":true"#,
      "remote conflict takes a whole content"
    ),
    (#""verb":"clock","action":"advance""#, "clock needs \"value\""),
    (
      #""verb":"clock","action":"advance","value":"soon""#,
      "clock advance takes a length like \"800ms\", \"60s\" or \"2m\", not \"soon\""
    ),
    (
      #""verb":"clock","action":"scale","value":"0""#,
      "clock scale takes a whole number from 1 to 1000000, not \"0\""
    ),
    (
      #""verb":"clock","action":"stop""#,
      "clock: \"action\" is show, advance, advanceToNext, scale, pause or resume, not \"stop\""
    ),
  ])
  func `that is wrong says how`(fields: String, message: String) {
    let error = #expect(throws: RequestProblem.self) { try parsed(#"{"id":1,"# + fields + "}") }
    #expect(error?.message == message)
  }

  @Test func `for an event that does not exist lists those that do`() {
    let error = #expect(throws: RequestProblem.self) {
      try parsed(#"{"id":1,"verb":"wait","condition":"event:rain"}"#)
    }
    #expect(error?.message.hasPrefix("there is no event \"rain\"; there are started, operation, ") == true)
  }

  @Test func `may name a path that is not UTF-8`() throws {
    var request = RequestLine(id: 1, verb: "stop")
    request.path = WirePath(bytes: [0xFF])
    let name = try #require(Name([0xFF]))
    #expect(try request.parsed(mountpoint: mountpoint, rules: .named) == .model(.stop(ItemPath([name]))))
  }
}
