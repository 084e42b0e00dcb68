import Glibc
import ProviderControl

/// remote: what another device does to the server's content.
enum Remote {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    arguments.carryOut {
      let request = try request(arguments)
      let paths =
        request.action == "move" ? Array(arguments.positionals.dropFirst()) : [arguments.positionals[1]]
      let groups = try Providers.groups(of: paths)
      guard let group = groups.first, groups.count == 1 else {
        throw VerbFailure("an item cannot be moved from one provider to another")
      }
      var located = request
      located.path = group.wirePaths.first
      if request.action == "move" { located.to = group.wirePaths.last }
      let connection = try ProviderConnection(to: group.mount)
      guard var line = try connection.call(located, about: group).remote else {
        return FakeProvider.Exit.done
      }
      Console.err(words(line, action: request.action ?? ""))
      line.path = connection.mount.absolutePath(of: line.path)
      if arguments.has("--json") {
        Console.json(["remote": line])
      } else if line.id != nil {
        Console.out(Render.harmless(line.path.text) + "\n")
      }
      return FakeProvider.Exit.done
    }
  }

  /// All but the paths in the provider, which only it knows.
  static func request(_ arguments: ParsedArguments) throws(VerbFailure) -> RequestLine {
    var request = RequestLine(verb: "remote")
    let action = arguments.positionals.first?.text ?? ""
    request.action = action
    let last = arguments.positionals.dropFirst(2).first
    switch (action, last) {
    case ("move", nil): throw .usage("move needs where to: remote move PATH TO")
    case ("rename", nil): throw .usage("rename needs the new name: remote rename PATH NAME")
    case ("rename", let name?):
      guard let text = String(validating: name.bytes, as: UTF8.self) else {
        throw .usage("the new name is not UTF-8; use remote move, which takes any bytes")
      }
      request.name = text
    case ("move", .some), (_, nil): break
    case (_, .some): throw .usage("\(action) takes one PATH")
    }
    try takeContent(arguments, action, &request)
    return request
  }

  private static func takeContent(
    _ arguments: ParsedArguments, _ action: String, _ request: inout RequestLine
  ) throws(VerbFailure) {
    let contents = ["--from", "--text", "--append", "--append-from", "--size"].filter {
      arguments.values[$0] != nil
    }
    let given = contents + ["--seed"].filter { arguments.values[$0] != nil }
    for option in given + ["--keep-mtime", "--on-replace"].filter(arguments.has) {
      let takes =
        action == "write" || action == "conflict" && given.contains(option) && !option.hasPrefix("--append")
      if !takes { throw .usage("\(option) is not for \(action)") }
    }
    if action == "write", contents.isEmpty {
      throw .usage("write needs a content: --from FILE, --text T, --append T, --append-from FILE or --size N")
    }
    let file = (arguments.values["--from"] ?? arguments.values["--append-from"])?.first
    if let file { request.from = try resolved(file) }
    request.text = arguments.text("--text") ?? arguments.text("--append")
    request.append =
      arguments.values["--append"] != nil || arguments.values["--append-from"] != nil ? true : nil
    request.size = arguments.text("--size")
    if let seed = arguments.text("--seed") {
      guard let number = UInt64(seed) else { throw .usage("--seed takes a whole number, not \"\(seed)\"") }
      request.seed = number
    }
    if arguments.has("--keep-mtime") { request.keepModified = true }
    if arguments.has("--on-replace") { request.onReplace = true }
  }

  /// The provider opens it, and knows nothing of this process's working directory.
  private static func resolved(_ file: Argument) throws(VerbFailure) -> WirePath {
    guard let path = realpath(file.bytes.map(CChar.init(bitPattern:)) + [0], nil) else {
      throw VerbFailure("\(Render.harmless(file.text)) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { free(path) }
    return WirePath(bytes: UnsafeRawBufferPointer(start: path, count: strlen(path)).map { $0 })
  }

  static func words(_ line: RemoteLine, action: String) -> String {
    let name = Render.harmless(line.path.text)
    if let after = line.after { return "\(action) of \(name) applies after \(after)\n" }
    guard let errno = line.unseen else { return "" }
    return "whoever watches the mount was not told (\(errno)); the change is in force nevertheless\n"
  }
}
