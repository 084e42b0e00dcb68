#!/usr/bin/env bash
# Checks for what the project needs, and installs what is missing with apt-get.
# docs/dependencies.md says what each is for.
set -euo pipefail

say() { printf 'deps: %s\n' "$*"; }
fail() {
  printf 'deps: %s\n' "$@" >&2
  exit 1
}

# ---- Swift: from its own site, not from here.

swift_is_new_enough() {
  local words version major minor
  # It names its version among other words: "Swift version 6.3.1 (…)".
  words=$(swift --version 2>/dev/null) || return 1
  version=$(sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' <<<"$words" | head -n 1)
  [[ $version == *.* ]] || return 1
  major=${version%%.*} minor=${version#*.}
  ((major > 6 || (major == 6 && minor >= 2)))
}

install_swift='install Swift 6.2 or later from https://www.swift.org/install/'
if ! command -v swift >/dev/null; then
  fail "there is no swift on the PATH; $install_swift"
elif ! swift_is_new_enough; then
  fail "the swift on the PATH is older than 6.2, or does not run; $install_swift"
fi

# ---- The rest: looked for by what is used of it, so that another way of installing it does as well.

has_header() {
  local folder
  for folder in /usr/include /usr/local/include; do
    if [[ -e $folder/fuse3/$1 ]]; then return 0; fi
  done
  return 1
}

missing=()
has_header fuse_lowlevel.h || missing+=(libfuse3-dev)
command -v fusermount3 >/dev/null || missing+=(fuse3)
command -v python3 >/dev/null || missing+=(python3)
python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null || missing+=(python3-jsonschema)
command -v tmux >/dev/null || missing+=(tmux)

if ((${#missing[@]} > 0)); then
  if ! command -v apt-get >/dev/null; then
    fail "missing, by their names in Debian: ${missing[*]}" \
      "this system has no apt-get; install them with its own package manager:" \
      "  Fedora    sudo dnf install fuse3-devel fuse3 python3 python3-jsonschema tmux" \
      "  Arch      sudo pacman -S fuse3 python python-jsonschema tmux" \
      "  openSUSE  sudo zypper install fuse3-devel fuse3 python3 python3-jsonschema tmux" \
      "libfuse has to be 3.14 or later"
  fi
  as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "missing: ${missing[*]}; run as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "missing: ${missing[*]}"
  say "fetching the package lists: ${as_root[*]:+sudo }apt-get update"
  "${as_root[@]}" apt-get update -qq
  say "installing: ${as_root[*]:+sudo }apt-get install ${missing[*]}"
  # apt-get tells every step; only what went wrong is of interest.
  log=$(mktemp)
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 "${missing[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f -- "$log"
    fail "apt-get could not install ${missing[*]}"
  fi
  rm -f -- "$log"
  say "installed"
else
  say "nothing is missing"
fi

if [[ ! -e /dev/fuse ]]; then
  cat >&2 <<'END'
deps: /dev/fuse is missing, so nothing can be mounted here (building works).
deps:   on a machine of your own:  sudo modprobe fuse
deps:   in a container:            start it with --device /dev/fuse --cap-add SYS_ADMIN
END
fi
