#!/usr/bin/env bash
# test.sh [MINUTES]: runs all tests, built already, and then looks for what they left behind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/mounts.bash
source scripts/mounts.bash

minutes=${1:-30}
build=$(pwd -P)/.build
read -r -a flags <<<"${SWIFT_FLAGS:?run it by make test, which sets the flags}"

if [[ ! -c /dev/fuse ]]; then
  cat >&2 <<'END'
test: /dev/fuse is missing, and without it nothing can be mounted; the tests would prove nothing.
test:   on a machine of your own:  sudo modprobe fuse
test:   in a container:            start it with --device /dev/fuse --cap-add SYS_ADMIN
END
  exit 1
fi
if ! : 2>/dev/null <>/dev/fuse; then
  cat >&2 <<'END'
test: /dev/fuse cannot be opened by this user, so nothing can be mounted.
test:   sudo chmod 666 /dev/fuse     (fakeprovider doctor says more)
END
  exit 1
fi

# Sockets and temporary files of this run in a folder of its own: what it leaves there is its own fault, and
# providers that run elsewhere are not touched. Short, since a socket's path has at most 107 bytes.
folder=$(mktemp -d /tmp/fp.XXXXXX)
chmod 711 "$folder"
mkdir -m 1777 "$folder/tmp"
mkdir -m 700 "$folder/run"
export TMPDIR=$folder/tmp XDG_RUNTIME_DIR=$folder/run
log=$folder/log

# Processes of this build, each as number:start, so that a reused number is another process.
provider_processes() {
  local process executable stat
  for process in /proc/[0-9]*; do
    executable=$(readlink "$process/exe" 2>/dev/null) || continue
    [[ $executable == "$build"/*/fakeprovider || $executable == "$build"/*/"fakeprovider (deleted)" ]] ||
      continue
    stat=$(cat "$process/stat" 2>/dev/null) || continue
    # The name in parentheses may hold anything; the start is the 20th field after it.
    read -r -a stat <<<"${stat##*) }"
    printf '%s:%s\n' "${process#/proc/}" "${stat[19]-}"
  done
}

before=$(provider_processes)
status=0
: >"$log"
# Not through a pipe: a provider that is left behind would keep it open, and this script would wait for it.
# The viewer reads to the end once the marker's process has ended.
sleep infinity &
marker=$!
tail -n +1 -f --pid="$marker" "$log" &
viewer=$!
scripts/watchdog.sh "$folder" "$minutes" swift test "${flags[@]}" --skip-build >"$log" 2>&1 || status=$?
kill "$marker"
wait "$marker" "$viewer" 2>/dev/null || true

# ---- What is left?

left=()
while read -r id mountpoint; do
  left+=("the mount at $(printf '%b' "$mountpoint") (number $id)")
  abort_mount "$mountpoint"
done < <(provider_mounts "$folder")
while read -r process; do
  if [[ -n $process && $'\n'$before$'\n' != *$'\n'"$process"$'\n'* ]]; then
    left+=("the process ${process%%:*}: $(tr '\0' ' ' <"/proc/${process%%:*}/cmdline" 2>/dev/null || true)")
  fi
done < <(provider_processes)
while IFS= read -r -d '' socket; do
  left+=("the socket $socket")
done < <(find "$folder" -xdev -type s -print0)

echo
awk '/^[^ ]+ Suite ".*" (passed|failed) after/ {
  time = $0; sub(/.* after /, "", time); sub(/ seconds.*/, "", time)
  name = $0; sub(/^[^ ]+ Suite "/, "", name); sub(/" (passed|failed) after.*/, "", name)
  if (time >= 1) printf "%6.2f minutes  %s\n", time / 60, name
}' "$log" | sort -rn
printf 'test: %d.%d minutes in all\n' $((SECONDS / 60)) $((SECONDS % 60 / 6))

rm -rf --one-file-system -- "$folder" || true
if ((${#left[@]} > 0)); then
  printf 'test: left behind: %s\n' "${left[@]}" >&2
  ((status != 0)) || status=1
fi
if ((status == 0)); then echo "test: passed, nothing left behind"; else echo "test: failed" >&2; fi
exit "$status"
