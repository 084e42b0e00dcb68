import Glibc
import ProviderControl
import ProviderProfiles

/// rule: what disturbs operations, at run time.
enum RuleVerb {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let request = try request(arguments)
      let connection = try ProviderConnection(to: try Providers.chosen(arguments))
      let lines = try connection.call(request).rules
      if arguments.has("--json") {
        Console.json(["rules": lines ?? []])
      } else if request.action == "list" {
        lines?.isEmpty == false ? Console.out(table(lines ?? [])) : Console.err("no rule is set\n")
      }
      return FakeProvider.Exit.done
    }
  }

  static func request(_ arguments: ParsedArguments) throws(VerbFailure) -> RequestLine {
    var request = RequestLine(verb: "rule")
    let action = arguments.positionals.first?.text ?? "list"
    let value = arguments.positionals.dropFirst().first
    request.action = action
    switch (action, value) {
    case ("add", let json?): request.rule = try rule(json)
    case ("add", nil): throw .usage("add needs the rule as JSON, or - to read it from standard input")
    case ("remove", let name?): request.name = name.text
    case ("remove", nil): throw .usage("remove needs the rule's name; 'rule list' has them")
    case (_, .some): throw .usage("\(action) takes nothing more")
    case (_, nil): break
    }
    return request
  }

  /// Read here as well, so that a mistake is told with its line and column.
  private static func rule(_ argument: Argument) throws(VerbFailure) -> JSONValue {
    let bytes = argument.bytes == [0x2D] ? try standardInput() : argument.bytes
    do {
      _ = try ProfileReader.readRule(bytes, file: "rule")
      return try LineCoding.message(JSONValue.self, from: bytes)
    } catch let problems as ProfileProblems {
      throw .usage(problems.description)
    } catch {
      throw .usage("the rule is not JSON: \(error)")
    }
  }

  private static func standardInput() throws(VerbFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= LineCoding.limit_bytes {
      let count = read(STDIN_FILENO, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw VerbFailure("standard input cannot be read: \(String(cString: strerror(errno)))") }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
    throw .usage("a rule has at most \(LineCoding.limit_bytes) bytes")
  }

  static func table(_ rules: [RuleLine]) -> String {
    Render.table(
      ["RULE", "ON", "PATH", "ASKED", "HITS", "EFFECT"],
      rules.map { line in
        [
          Render.harmless(line.rule["name"]?.plain ?? ""), line.rule["on"]?.plain ?? "",
          Render.harmless(line.rule["path"]?.plain ?? "every item"), "\(line.considered)", "\(line.hits)",
          Render.harmless(line.rule["effect"]?.plain ?? ""),
        ]
      }, right: [3, 4])
  }
}

extension JSONValue {
  fileprivate subscript(_ key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// For a table: without braces and quotes.
  fileprivate var plain: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): "\(value)"
    case .fraction(let value): "\(value)"
    case .text(let text): text
    case .array(let values): values.map(\.plain).joined(separator: ",")
    case .object(let members):
      members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.plain)" }.joined(separator: " ")
    }
  }
}
