import Foundation

enum Python {
  /// The system's own where there is one: version managers put slow scripts into PATH.
  static let executable = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3"

  /// What the children's scripts share. It is the client of docs/control-protocol.md.
  static let prelude = #"""
    import errno, json, mmap, os, shutil, signal, socket, sys, threading
    mount = os.environ["FAKEPROVIDER_MOUNT"]
    source = os.environ.get("SOURCE")

    class Provider:
        def __init__(self, app=None):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(os.environ["FAKEPROVIDER_CONTROL"])
            self.lines = self.socket.makefile("rwb")
            self.id = 0
            if app: self.call("hello", app=app)

        def call(self, verb, **fields):
            self.id += 1
            self.lines.write(json.dumps({"id": self.id, "verb": verb, **fields}).encode() + b"\n")
            self.lines.flush()
            return json.loads(self.lines.readline())

    def access(*paths, covers="process", app=None):
        """Has the items picked and starts access to them."""
        provider = Provider(app)
        for path in paths:
            provider.call("pick", path=path, **({"app": app} if app else {}))
            assert provider.call("start", path=path, covers=covers)["started"], path
        return provider

    def at(path): return mount + "/" + path

    def read(path, count=None):
        with open(at(path), "rb", buffering=0) as file:
            return file.read() if count is None else file.read(count)

    def original(path):
        with open(source + "/" + path, "rb") as file: return file.read()

    def error(body):
        """The errno's name that body fails with."""
        try: body()
        except OSError as problem: return errno.errorcode[problem.errno]
        return "none"

    def say(*words): print(*words, flush=True)
    def told(): sys.stdin.readline()

    """#
}
