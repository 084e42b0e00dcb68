#!/usr/bin/env bash
# watchdog.sh FOLDER MINUTES COMMAND…
#
# Runs COMMAND and watches it from outside: a process that waits for a wedged mount cannot even be killed, so
# no time limit inside the tests can help them. A mount of fakeprovider below FOLDER that has not answered a
# statfs for a minute is aborted; after MINUTES so are all, and COMMAND is ended. Exits as COMMAND does, or 124.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/mounts.bash
source ./mounts.bash
cd "$OLDPWD"

folder=$1 minutes=$2
shift 2

probe_every=10 # seconds
# Seconds; no test stops a provider for that long.
wedged_after=${FAKEPROVIDER_WEDGED_AFTER:-60}
probes=$(mktemp -d)

# A process group of its own, so that its children end with it.
set -m
"$@" </dev/null &
group=$!
set +m

end_group() {
  kill -TERM -- "-$group" 2>/dev/null || return 0
  local left=10
  while ((left-- > 0)); do
    kill -0 -- "-$group" 2>/dev/null || return 0
    sleep 1
  done
  kill -KILL -- "-$group" 2>/dev/null || true
}

abort_all() {
  local id mountpoint
  while read -r id mountpoint; do
    printf 'watchdog: aborting the mount at %b\n' "$mountpoint" >&2
    abort_mount "$mountpoint"
  done < <(provider_mounts "$folder")
}

interrupted() {
  trap - INT TERM
  abort_all
  end_group
  exit 130
}
trap interrupted INT TERM
trap 'rm -rf -- "$probes"' EXIT

# One probe a mount at a time: a file appears when it has come back.
declare -A asked_at=() answered_at=()
probe_mounts() {
  local id mountpoint path
  while read -r id mountpoint; do
    if [[ -n ${asked_at[$id]-} ]]; then
      if [[ -e $probes/$id ]]; then
        rm -f -- "$probes/$id"
        unset "asked_at[$id]"
        answered_at[$id]=$SECONDS
      elif ((SECONDS - asked_at[$id] >= wedged_after)); then
        printf 'watchdog: the mount at %b has not answered for %s s; aborting it\n' \
          "$mountpoint" "$wedged_after" >&2
        abort_mount "$mountpoint"
        # Should it still be there, it gets another probe, and another minute.
        asked_at[$id]=$SECONDS
      fi
    elif ((SECONDS - ${answered_at[$id]-0} >= probe_every)); then
      printf -v path '%b' "$mountpoint"
      asked_at[$id]=$SECONDS
      { stat -f -- "$path" >/dev/null 2>&1 || true; : >"$probes/$id"; } 2>/dev/null &
    fi
  done < <(provider_mounts "$folder")
}

while kill -0 "$group" 2>/dev/null; do
  if ((SECONDS >= minutes * 60)); then
    printf 'watchdog: not done after %s minutes; ending it\n' "$minutes" >&2
    abort_all
    end_group
    exit 124
  fi
  probe_mounts
  sleep 1
done
wait "$group"
