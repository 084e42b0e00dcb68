/// Starts `fakeprovider mount` as a process of its own.
enum ProviderLauncher {
  static func background(_ arguments: ParsedArguments) -> Int32 {
    Console.err("not yet\n")
    return FakeProvider.Exit.notImplemented
  }
}
