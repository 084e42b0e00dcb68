#!/usr/bin/env bash
# demo.sh: one import meets a provider. Every step says what is tried and what came of it, and the script fails
# if that is not what it should be. Built already; make demo does both.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bin=$(pwd -P)/.build/release
originals=$(pwd -P)/Samples/documents
PATH=$bin:$PATH
# Short, since its paths are shown.
folder=$(mktemp -d "${TMPDIR:-/tmp}/demo.XXXX")
cloud=$folder/cloud
mkdir "$cloud" "$folder/staged"
export TMPDIR=$folder/staged
# The app that is granted access: the executable that imports.
app=$(readlink -f "$bin/StageDocument")

if [[ -t 1 ]]; then bold=$'\e[1m' green=$'\e[32m' plain=$'\e[0m'; else bold='' green='' plain=''; fi
number=0

step() { number=$((number + 1)); printf '\n%s%d. %s%s\n' "$bold" "$number" "$1" "$plain"; }
run() { printf '   $ %s\n' "${*//@/$cloud}"; }
shown() { sed 's|^|     |'; }
good() { printf '   %s✓%s %s\n' "$green" "$plain" "$1"; }
bad() {
  printf '   ✗ %s\n' "$1" >&2
  exit 1
}

finish() {
  local status=$?
  fakeprovider unmount "$cloud" >/dev/null 2>&1 || true
  rm -rf --one-file-system -- "$folder"
  if ((status != 0)); then echo "demo: failed; 'fakeprovider doctor' tells what this machine permits" >&2; fi
  exit "$status"
}
trap finish EXIT

# Runs the importer on a document; sets `outcome` to what it said.
import() {
  if outcome=$(StageDocument "$1" 2>&1); then imported=0; else imported=$?; fi
  printf '%s\n' "$outcome" | shown
}

expect() {
  [[ $outcome == *"$1"* ]] || bad "expected \"$1\""
  good "$2"
}

nothing_staged() {
  [[ -z $(ls -A "$TMPDIR") ]] || bad "a half copy was left behind"
}

letter=$cloud/Letter.pdf
study="$cloud/Grain Study.pdf"

step "A provider is mounted: an iCloud-Drive-like account with the sample documents"
run fakeprovider mount --profile icloud-drive --sample --background @
fakeprovider mount --profile icloud-drive --sample --background "$cloud" | shown

step "Nothing is downloaded: sizes are true, no block is used"
run stat -c "'%s bytes, %b blocks'" @/Letter.pdf
stat -c '%s bytes, %b blocks' "$letter" | shown
[[ $(stat -c %b "$letter") == 0 ]] || bad "the document has blocks"
fakeprovider status "$letter" | shown
good "dataless; and asking did not download it"

step "Without scoped access nobody gets at the content"
run cat @/Letter.pdf
if outcome=$(cat "$letter" 2>&1); then bad "cat could read it"; fi
printf '%s\n' "$outcome" | shown
expect "Operation not permitted" "EPERM, as in an app's sandbox"
run StageDocument @/Letter.pdf
import "$letter"
expect "NSCocoaErrorDomain 257" "the importer's guard: startAccessingSecurityScopedResource() was false"

step "The document picker grants access; the same importer now stages its copy"
run fakeprovider pick @/Letter.pdf --app StageDocument
fakeprovider pick "$letter" --app "$app" 2>&1 | shown
run StageDocument @/Letter.pdf
import "$letter"
expect "staged" "start, coordinated read (which downloads), copy, stop"
cmp "$TMPDIR"/*.pdf "$originals/Letter.pdf" || bad "the copy differs"
good "the staged copy equals the original, byte for byte"
rm -f "$TMPDIR"/*.pdf
fakeprovider status "$letter" | shown
[[ $(stat -c %b "$letter") != 0 ]] || bad "the document has no blocks"

step "A download with its progress"
run fakeprovider download "'@/Grain Study.pdf'"
if [[ -t 2 ]]; then fakeprovider download "$study"; else fakeprovider download "$study" 2>&1 | shown; fi
good "5 MB at the profile's speed"

step "Any program works, with its children, inside the scope of 'access'"
run fakeprovider access "'@/Grain Study.pdf'" -- sha256sum "'@/Grain Study.pdf'"
fakeprovider access "$study" -- sha256sum "$study" | shown
good "and only inside it"

step "Access is revoked while a download is held at 40 %"
fakeprovider evict "$study" >/dev/null 2>&1
fakeprovider pick "$study" --app "$app" >/dev/null 2>&1
run fakeprovider hold download "'@/Grain Study.pdf'" --at 40%
hold=$(fakeprovider hold download "$study" --at 40% --name forty 2>/dev/null)
StageDocument "$study" >"$folder/said" 2>&1 &
importer=$!
fakeprovider wait "hold:$hold" --provider "$cloud" --timeout 60s >/dev/null
fakeprovider status "$study" | shown
run fakeprovider revoke "'@/Grain Study.pdf'"
fakeprovider revoke "$study" 2>&1 | shown
fakeprovider release "$hold" --provider "$cloud" >/dev/null 2>&1
wait "$importer" || true
outcome=$(<"$folder/said")
printf '%s\n' "$outcome" | shown
expect "NSCocoaErrorDomain 513 (NSPOSIXErrorDomain 1)" "what the app saw: Cocoa 513 over EPERM, from copyItem"
nothing_staged

step "Access is revoked while a read is held at 40 %"
run fakeprovider restore "'@/Grain Study.pdf'"
fakeprovider restore "$study" >/dev/null 2>&1
hold=$(fakeprovider hold read "$study" --at 40% --name again 2>/dev/null)
StageDocument "$study" >"$folder/said" 2>&1 &
importer=$!
fakeprovider wait "hold:$hold" --provider "$cloud" --timeout 60s >/dev/null
run fakeprovider revoke "'@/Grain Study.pdf'"
fakeprovider revoke "$study" 2>&1 | shown
fakeprovider release "$hold" --provider "$cloud" >/dev/null 2>&1
wait "$importer" || true
outcome=$(<"$folder/said")
printf '%s\n' "$outcome" | shown
expect "staged" "a descriptor that is open goes on, as on a device"
cmp "$TMPDIR"/*.pdf "$originals/Grain Study.pdf" || bad "the copy differs"
good "and the copy is whole"
rm -f "$TMPDIR"/*.pdf

step "What happened, as the provider saw it"
run fakeprovider events
fakeprovider events --provider "$cloud" >"$folder/events"
grep -E '  (scope|claim|hold)[A-Z][a-z]+ |  (granted|revoked|restored|held) ' "$folder/events" | tail -n 16 |
  cut -c1-150 | sed 's/ *$//' | shown

step "The end: nothing is left, and the originals were never touched"
run fakeprovider unmount @
fakeprovider unmount "$cloud" 2>&1 | shown
[[ -z $(ls -A "$cloud") ]] || bad "the mount is still there"
good "unmounted"
printf '\nTry it by hand: the README has five minutes of it.\n'
