# Sourced by test.sh and watchdog.sh: what fakeprovider leaves in the mount table.

# Prints a line for each mount of fakeprovider below a folder, by its mountpoint or its control socket:
# the mount's number, and the mountpoint with the kernel's escapes (\040 for a space).
provider_mounts() {
  local folder=$1 id mountpoint source fields
  while read -r -a fields; do
    id=${fields[0]} mountpoint=${fields[4]}
    # Optional fields come before the lone dash; the type and the source after it.
    local at=6
    while ((at < ${#fields[@]})) && [[ ${fields[at]} != - ]]; do at=$((at + 1)); done
    [[ ${fields[at + 1]-} == fuse.fakeprovider ]] || continue
    source=${fields[at + 2]-}
    if [[ $mountpoint == "$folder"/* || $source == "fakeprovider:$folder"/* ]]; then
      printf '%s %s\n' "$id" "$mountpoint"
    fi
  done </proc/self/mountinfo
}

# Ends a mount that nobody answers for: aborting the connection frees whoever waits for it, detaching takes
# it out of the tree. Aborting says "busy" and works all the same.
abort_mount() {
  local mountpoint
  printf -v mountpoint '%b' "$1"
  if ((EUID == 0)); then
    umount -f -- "$mountpoint" 2>/dev/null || true
    umount -l -- "$mountpoint" 2>/dev/null || true
  else
    fusermount3 -u -z -- "$mountpoint" 2>/dev/null || true
  fi
}
