import ProviderHost

enum Version {
  static func run(_ arguments: ParsedArguments) -> Int32 {
    if arguments.has("--json") {
      Console.json(["version": Release.version])
    } else {
      Console.out("fakeprovider \(Release.version)\n")
    }
    return FakeProvider.Exit.done
  }
}
