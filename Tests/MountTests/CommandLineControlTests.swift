import Foundation
import ProviderTesting
import Testing

@Suite struct `Messages that make no sense` {
  @Test func `hurt nobody but who sends them`() async throws {
    try await withBench { bench in
      try await bench.mount()
      let script = #"""
        import json, os, socket, struct, sys, threading
        control, path = sys.argv[1:]

        def connected():
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(60)
            connection.connect(control)
            return connection

        def ask(connection, message):
            connection.sendall(message + b"\n")
            return json.loads(connection.makefile("rb").readline())

        # Somebody else works all the while.
        stop, asked, wrong = threading.Event(), 0, []
        def work():
            global asked
            connection = connected()
            lines = connection.makefile("rb")
            while not stop.is_set() or asked < 10:
                asked += 1
                message = {"id": asked, "verb": "status", "path": path}
                connection.sendall(json.dumps(message).encode() + b"\n")
                reply = json.loads(lines.readline())
                if reply["id"] != asked or not reply["ok"]: wrong.append(reply)
        worker = threading.Thread(target=work)
        worker.start()

        messages = [
            b"", b"hello", b"[]", b"null", b"3", b'"verb"', b"{", b"{}", b'{"id": 1}', b'{"verb": "status"}',
            b'{"id": "one", "verb": "status"}', b'{"id": 1, "verb": 7}', b'{"id": 1, "verb": "stat"}',
            b'{"id": 1e400, "verb": "list"}', b'{"id": 99999999999999999999999, "verb": "holds"}',
            b'{"id": -1, "verb": "status", "path": "../../etc/passwd"}', b'{"id": 1, "verb": "status", "path": 5}',
            b'{"id": 1, "verb": "evict", "paths": [[]]}', b'{"id": 1, "verb": "wait", "condition": "hold"}',
            b'{"id": 1, "verb": "clock", "action": "advance", "value": "99999999999h"}',
            b'{"id": 1, "verb": "hold", "operation": "read", "path": "a.pdf", "at": "-1%"}',
            b'{"id": 1, "verb": "pick", "path": "' + b"x" * 300 + b'"}',
            b'{"id": 1, "verb": "pick", "path": "\\u0000"}', b'{"id": 1, "verb": "pick", "path": "\\ud800"}',
            b'{"id": 1, "verb": "\xff\xfe"}', b"\x00\x01\x02", b"[" * 100_000,
            b'{"id": 1, "verb": "status", "path": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}",
            b'{"id": 1, "verb": "cancel", "request": 77}', b'{"id": 1, "verb": "finish", "claim": 77}',
        ]
        one = connected()
        for message in messages:
            reply = ask(one, message)
            if reply["ok"] or "code" not in reply["error"]: sys.exit(f"{message[:60]}: {reply}")
        # The connection goes on.
        if not ask(one, b'{"id": 5, "verb": "holds"}')["ok"]: sys.exit("no longer served")

        # A line beyond the limit ends its connection.
        huge = connected()
        try:
            for _ in range(64): huge.sendall(b"x" * 65_536)
            huge.sendall(b"\n")
            while huge.recv(65_536): pass
        except OSError: pass
        # Halves of lines, by connections that go away or stay; some reset by what they never read.
        left = [connected() for _ in range(100)]
        for connection in left: connection.sendall(b'{"id": 1, "verb": "sta')
        for connection in left[:50]: connection.close()
        for _ in range(50):
            connection = connected()
            connection.sendall(b'{"id": 1, "verb": "events"}\n' * 20)
            connection.close()
        # One that reads nothing must not hold up the others.
        deaf = connected()
        deaf.settimeout(1)
        try:
            for _ in range(2_000): deaf.sendall(b'{"id": 1, "verb": "status", "path": "a.pdf"}\n' * 20)
        except OSError: pass
        if not ask(connected(), b'{"id": 5, "verb": "holds"}')["ok"]: sys.exit("not served")
        stop.set()
        worker.join()
        if wrong or asked < 10: sys.exit(f"{asked} asked, wrong: {wrong[:3]}")
        print("done")
        """#
      let socket = try bench.provider().socket
      let said = try await bench.run(["python3", "-c", script, socket, bench.file("a.pdf")])
      #expect(said.code == 0 && said.output == "done\n", "\(said)")
      let file = bench.file("b.txt")
      #expect(try await bench.fakeprovider("access", file, "--", "cat", file).output == "bee\n")
    }
  }
}
