#!/usr/bin/env bash
# newcomer.sh [COMMAND…]: follows the README as a stranger would, on a Debian with nothing but make, git and what
# Swift itself needs. Root only; needs debootstrap, a network and some GB. Not part of make test.
# Without words it runs the README's two commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ((EUID != 0)); then echo "newcomer: needs root (debootstrap, chroot, mounts)" >&2; exit 1; fi
if ! command -v debootstrap >/dev/null; then
  echo "newcomer: debootstrap is missing: apt-get install debootstrap" >&2
  exit 1
fi
swift=$(readlink -f "$(command -v swift)")
toolchain=${swift%/usr/bin/*}
if (($# > 0)); then commands=("$*"); else commands=("make demo" "make test"); fi

root=$(mktemp -d /var/tmp/newcomer.XXXXXX)
trap 'rm -rf --one-file-system -- "$root"' EXIT
# What swift.org lists for Debian 12, beside make and git.
packages=make,git,ca-certificates,binutils,libc6-dev,libgcc-12-dev,libstdc++-12-dev,libcurl4,libedit2
packages+=,libncurses6,libpython3.11,libsqlite3-0,libxml2,libz3-4,pkg-config,tzdata,unzip,zlib1g-dev,gnupg2
debootstrap --variant=minbase --include="$packages" bookworm "$root" >/dev/null
git clone --quiet . "$root/root/ProviderFS"
mkdir -p "$root/opt/swift"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# As every installer does; fusermount3 cannot unmount without it.
ln -sf /proc/self/mounts "$root/etc/mtab"

for command in "${commands[@]}"; do
  echo "newcomer: $command"
  # The mounts live in a namespace of their own and are gone with it.
  unshare --mount bash -euo pipefail -c '
    root=$1
    # A root that is a mount of its own, as every machine has: tests make namespaces in it.
    mount --bind "$root" "$root"
    mount --make-rprivate "$root"
    cd "$root"
    mount --bind "$2" "$root/opt/swift"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/opt/swift/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      bash -c "cd /root/ProviderFS && $3"' newcomer "$root" "$toolchain" "$command"
done
echo "newcomer: the two commands work on a fresh machine"
