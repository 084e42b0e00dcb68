#!/usr/bin/env bash
# profiles.sh: writes what is made from the table of a profile's keys: its schema, and its reference in docs. Built
# already; make profiles does both.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fakeprovider=.build/release/fakeprovider
# shellcheck disable=SC2016
marker='<!-- The rest is written by `make profiles`, from the table of keys. -->'
page=docs/profiles.md

"$fakeprovider" profile schema >provider-profiles/schema.json
grep -qxF -- "$marker" "$page" || { echo "profiles: $page has lost its line \"$marker\"" >&2; exit 1; }
written=$(awk -v marker="$marker" '{ print } $0 == marker { exit }' "$page")
{
  printf '%s\n\n' "$written"
  "$fakeprovider" profile schema --reference
} >"$page.new"
mv "$page.new" "$page"
