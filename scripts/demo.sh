#!/usr/bin/env bash
# STUB: the demo takes this place once mounting works.
set -euo pipefail
echo "demo: not yet" >&2
exit 1
