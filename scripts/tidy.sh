#!/usr/bin/env bash
# The house rules that a formatter does not know. Says each breach with its file and line; exit 1 if any.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

breaches=0
# Reads lines of grep; every one is a breach of the rule named.
breach() {
  local line
  while IFS= read -r line; do
    printf 'tidy: %s: %s\n' "$1" "$line" >&2
    breaches=$((breaches + 1))
  done
}

import='^[[:space:]]*(@[A-Za-z_]+(\([A-Za-z_]*\))?[[:space:]]+)*((public|package|internal|fileprivate|private)[[:space:]]+)?import[[:space:]]+'

# libfuse stays behind one fence: nothing but the mount knows it.
breach "only Sources/ProviderFS imports CFuse" < <(
  grep -rnE --include='*.swift' "${import}CFuse" Sources Tests Examples Benchmarks | grep -v '^Sources/ProviderFS/' || true)

# The model touches nothing, so it imports nothing (but the normal forms that the standard library hides).
breach "Sources/ProviderModel imports nothing" < <(
  grep -rnE --include='*.swift' "$import" Sources/ProviderModel |
    grep -vE ':@_spi\(_Unicode\) import Swift$' || true)

# A test that sleeps is slow when it passes and wrong when the machine is busy.
breach "tests do not sleep" < <(
  grep -rnE --include='*.swift' '(^|[^A-Za-z_])(u|nano|clock_nano)?sleep\(' Tests |
    grep -vE '^[^:]+:[0-9]+:[[:space:]]*//' || true)

# A file over 400 lines holds more than one idea.
breach "at most 400 lines a file" < <(
  find Sources Tests Examples Benchmarks scripts Samples -type f \
    \( -name '*.swift' -o -name '*.c' -o -name '*.h' -o -name '*.sh' -o -name '*.bash' -o -name '*.py' \) \
    -exec wc -l {} + | awk '$1 > 400 && $2 != "total"')

# Somebody's own folders mean nothing on another machine. (newcomer.sh makes a machine of its own.)
breach "no paths of one machine" < <(
  grep -rnIE '(/home/[a-z]|/root/|/Users/[A-Za-z]|/work/[a-z]|/opt/swift)' \
    --exclude=tidy.sh --exclude=newcomer.sh Sources Tests Examples Benchmarks scripts Samples provider-profiles docs .ci \
    Package.swift Makefile ./*.md || true)

if ((breaches > 0)); then
  printf 'tidy: %s in all\n' "$breaches" >&2
  exit 1
fi
