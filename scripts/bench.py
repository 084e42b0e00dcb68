#!/usr/bin/env python3
"""Benchmarks: ratios of two ways in the same run, never limits in seconds.

    bench.py [clock | rules]      without a name: all of them

clock   real time that a 60 s stall, a ten-minute outage and a 25 s wait take, by scaled and manual provider time
rules   instructions of a lookup, stat, open, read and close of the model with 1,000 rules that do not match, as a ratio
        to those without rules; counted by valgrind's callgrind
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / ".build" / "release"
FAKEPROVIDER = BUILD / "fakeprovider"


class Provider:
    """The control socket, as docs/control-protocol.md has it."""

    def __init__(self, mountpoint):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            if line.split(" ")[4] == mountpoint:
                self.path = line.split(" fakeprovider:")[1].split(" ")[0]
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(self.path)
        self.lines = self.socket.makefile("rb")
        self.number = 0

    def __call__(self, verb, **fields):
        self.number += 1
        self.socket.sendall(json.dumps({"id": self.number, "verb": verb, **fields}).encode() + b"\n")
        reply = json.loads(self.lines.readline())
        if not reply["ok"]:
            sys.exit(f"bench: {verb}: {reply['error']['message']}")
        return reply


class Mounted:
    """A provider in the foreground, as a child of ours."""

    def __init__(self, folder, profile, *options):
        self.mountpoint = os.path.realpath(tempfile.mkdtemp(dir=folder))
        file = Path(folder, "profile.json")
        file.write_text(json.dumps({"schemaVersion": 1, "name": "bench", **profile}))
        self.process = subprocess.Popen(
            [FAKEPROVIDER, "mount", "--profile", file, "--source", Path(folder, "source"), *options,
             self.mountpoint], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not self.process.stdout.readline().startswith("ready"):
            sys.exit(f"bench: the provider did not start: {self.process.stderr.read()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([FAKEPROVIDER, "unmount", self.mountpoint], capture_output=True, check=False)
        self.process.wait()
        self.errors = self.process.stderr.read()


SCENES = [
    ("a 60 s stall", {"download": {"stalls": [{"at": "40%", "for": "60s"}]}}),
    ("a ten-minute outage", {
        "download": {"timeout": "never"},
        "rules": [{"name": "outage", "on": "download", "window": {"until": "10m"},
                   "effect": {"error": "serverUnreachable"}}]}),
    ("a 25 s wait", {"latency": {"open": "25s"}}),
]


def clock(folder):
    for name, profile in SCENES:
        for mode in ("scaled:1000", "manual"):
            profile = {"access": {"mode": "simulator"}, **profile}
            with Mounted(folder, profile, "--clock", mode) as mounted:
                provider = Provider(mounted.mountpoint)
                started = time.monotonic()
                reader = subprocess.Popen(["cat", f"{mounted.mountpoint}/f0"], stdout=subprocess.DEVNULL)
                while mode == "manual" and reader.poll() is None:
                    if "nextNanoseconds" in provider("clock")["clock"]:
                        provider("clock", action="advanceToNext")
                if reader.wait() != 0:
                    sys.exit(f"bench: {name}: the reader failed")
                took = time.monotonic() - started
                passed = provider("clock")["clock"]["nowNanoseconds"] / 1e9
                print(f"clock: {name}, {mode}: {took * 1000:.0f} ms for {passed:.0f} s of provider time")


def instructions(program, folder, rules, rounds):
    """Of the whole run."""
    counted = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, str(rules), str(rounds)],
        capture_output=True, text=True, check=False)
    if counted.returncode != 0:
        sys.exit(f"bench: valgrind failed: {counted.stderr}")
    for line in Path(folder, "out").read_text().splitlines():
        if line.startswith(("summary:", "totals:")):
            return int(line.split()[1])
    sys.exit("bench: callgrind has counted nothing")


def rules(folder):
    if shutil.which("valgrind") is None:
        sys.exit("bench: rules needs valgrind, which counts instructions: apt-get install valgrind")
    # Without what only a debugger reads, and what valgrind takes minutes for.
    program = Path(folder, "DecisionCost")
    subprocess.run(["strip", "--strip-debug", "-o", program, BUILD / "DecisionCost"], check=True)
    few, many, files = 2, 22, 100
    cost = {}
    for count in (0, 1000):
        # What comes before, the first listing included, is the same in both.
        begun = instructions(program, folder, count, few)
        cost[count] = (instructions(program, folder, count, many) - begun) / ((many - few) * files)
        print(f"rules: {cost[count]:.0f} instructions a file with {count} rules that do not match")
    print(f"rules: ratio {cost[1000] / cost[0]:.3f}")


def main():
    known = {"clock": clock, "rules": rules}
    wanted = sys.argv[1:] or list(known)
    for name in wanted:
        if name not in known:
            sys.exit(f"bench: there is no benchmark {name}; there are {', '.join(known)}")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        source.mkdir()
        for index in range(20):
            source.joinpath(f"f{index}").write_bytes(bytes(100_000))
        for name in wanted:
            known[name](folder)


if __name__ == "__main__":
    main()
