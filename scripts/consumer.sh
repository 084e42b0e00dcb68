#!/usr/bin/env bash
# consumer.sh: builds a package that depends on ScopedAccess alone, with libfuse's headers hidden, and runs it.
# Root hides them in a mount namespace of its own; others build with the headers where they are, and say so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d "${TMPDIR:-/tmp}/consumer.XXXXXX")
trap 'rm -rf -- "$scratch"' EXIT

build() {
  swift build --package-path Tests/Consumer --scratch-path "$scratch" 2>&1
}
export -f build
export scratch

if ((EUID == 0)); then
  unshare --mount bash -euo pipefail -c '
    for folder in /usr/include/fuse3 /usr/local/include/fuse3; do
      if [[ -d $folder ]]; then mount -t tmpfs -o ro none "$folder"; fi
    done
    for library in /usr/lib/*/libfuse3.so /usr/lib/libfuse3.so; do
      if [[ -e $library ]]; then mount --bind /dev/null "$library"; fi
    done
    build' >"$scratch.log" || { cat "$scratch.log" >&2; rm -f "$scratch.log"; exit 1; }
else
  echo "consumer: not root, so libfuse's headers cannot be hidden; building with them in sight" >&2
  build >"$scratch.log" || { cat "$scratch.log" >&2; rm -f "$scratch.log"; exit 1; }
fi
rm -f "$scratch.log"

said=$("$scratch/debug/Consumer")
expected="started false, read mine, problem none"
if [[ $said != "$expected" ]]; then
  echo "consumer: it said \"$said\" instead of \"$expected\"" >&2
  exit 1
fi
if ldd "$scratch/debug/Consumer" | grep -q libfuse; then
  echo "consumer: it links libfuse" >&2
  exit 1
fi
echo "consumer: a package that depends on ScopedAccess alone builds without libfuse, and runs"
