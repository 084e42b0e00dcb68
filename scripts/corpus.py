#!/usr/bin/env python3
"""Reads every file of a folder through a mounted provider and compares it with the original, byte for byte.

    corpus.py DIR            mounts DIR and checks it; then mounts a folder of awkward names and checks that

Each file is read in five ways (read, shared map, sendfile, Python's copy, Foundation's copy), each time from
dataless: it is evicted in between. If DIR holds a filenames.json (a list of objects with "name"), every name
in it that this system can create is listed and read too. Exits 1 when anything differs.
"""

import hashlib
import json
import mmap
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / ".build" / "release"


class Provider:
    """The control socket, as docs/control-protocol.md has it."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.number = 0

    def __call__(self, verb, **fields):
        self.number += 1
        self.socket.sendall(json.dumps({"id": self.number, "verb": verb, **fields}).encode() + b"\n")
        reply = json.loads(self.lines.readline())
        if not reply["ok"]:
            sys.exit(f"corpus: {verb}: {reply['error']['message']}")
        return reply


def digest(content):
    return hashlib.sha256(content).digest()


def by_read(path, size):
    with open(path, "rb") as file:
        return digest(file.read())


def by_map(path, size):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ) as content:
        return digest(content)


def by_sendfile(path, size):
    with open(path, "rb") as file, tempfile.TemporaryFile() as copy:
        offset = 0
        while (count := os.sendfile(copy.fileno(), file.fileno(), offset, 1 << 20)) > 0:
            offset += count
        copy.seek(0)
        return digest(copy.read())


def by_copy(path, size):
    with tempfile.TemporaryDirectory() as folder:
        return digest(Path(shutil.copyfile(path, os.path.join(folder, "copy"))).read_bytes())


def by_foundation(path, size):
    """Starts access itself, coordinates, and copies with FileManager."""
    with tempfile.TemporaryDirectory() as folder:
        command = [BUILD / "StageDocument", path]
        result = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "TMPDIR": folder}, check=False)
        if result.returncode != 0:
            return result.stderr.strip()
        copies = list(Path(folder).iterdir())
        return digest(copies[0].read_bytes()) if len(copies) == 1 else f"{len(copies)} copies"


WAYS = [by_read, by_map, by_sendfile, by_copy, by_foundation]


def is_text(path):
    try:
        os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def check(source):
    """Runs beside a mounted provider, which `fakeprovider run` has put into the environment."""
    mount = os.environ["FAKEPROVIDER_MOUNT"]
    provider = Provider(os.environ["FAKEPROVIDER_CONTROL"])
    provider("pick", path=".")
    provider("start", path=".")
    files, reads, different, without_foundation = 0, 0, [], 0
    listed = sorted(os.path.relpath(os.path.join(top, name), mount).encode(errors="surrogateescape")
                    for top, folders, names in os.walk(mount) for name in folders + names)
    wanted = sorted(os.path.relpath(os.path.join(top, name), source).encode(errors="surrogateescape")
                    for top, folders, names in os.walk(source) for name in folders + names)
    if listed != wanted:
        different.append(f"the listing: {len(listed)} names instead of {len(wanted)}")
    for name in wanted:
        original = os.path.join(os.fsencode(source), name)
        path = os.path.join(os.fsencode(mount), name)
        if not os.path.isfile(original) or os.path.islink(original):
            continue
        files += 1
        content = Path(os.fsdecode(original)).read_bytes()
        if os.stat(path).st_size != len(content):
            different.append(f"{name!r}: st_size")
        for way in WAYS:
            if way is by_map and not content:
                continue
            if way is by_foundation and not is_text(path):
                # Foundation cannot say a name that is not UTF-8.
                without_foundation += 1
                continue
            if content and os.getxattr(path, "user.fakeprovider.state") != b"dataless":
                different.append(f"{name!r} was not dataless before {way.__name__}")
            result = way(os.fsdecode(path), len(content))
            reads += 1
            if result != digest(content):
                different.append(f"{name!r} {way.__name__}: {result if isinstance(result, str) else 'other bytes'}")
            if content and os.stat(path).st_blocks == 0:
                different.append(f"{name!r} has no blocks after {way.__name__}")
            os.setxattr(path, "user.fakeprovider.do", b"evict")
    for line in different:
        print(f"corpus: {line}", file=sys.stderr)
    print(f"corpus: {files} files of {len(wanted)} names, {reads} reads by {len(WAYS)} ways, "
          f"{len(different)} different" + (f", {without_foundation} out of Foundation's reach" if without_foundation else ""))
    return 1 if different else 0


def run(source):
    command = [BUILD / "fakeprovider", "run", "--profile", "icloud-drive", "--clock", "scaled:10000", "--source",
               source, "--", sys.executable, __file__, "--check", source]
    return subprocess.run(command, check=False).returncode


def awkward(names_file):
    with tempfile.TemporaryDirectory() as folder:
        made, refused = 0, 0
        for entry in json.loads(Path(names_file).read_text()):
            try:
                Path(folder, entry["name"]).write_text(f"content of {made}\n")
                made += 1
            except (OSError, ValueError):
                refused += 1
        names = len(os.listdir(folder))
        print(f"corpus: {made} of {made + refused} awkward names can be made here, {names} of them different",
              flush=True)  # before what the next process prints
        return run(folder)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        return check(sys.argv[2])
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        print("usage: corpus.py DIR", file=sys.stderr)
        return 2
    source = os.path.realpath(sys.argv[1])
    result = run(source)
    names_file = os.path.join(source, "filenames.json")
    if os.path.exists(names_file):
        result = awkward(names_file) or result
    return result


if __name__ == "__main__":
    sys.exit(main())
