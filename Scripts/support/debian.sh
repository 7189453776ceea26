# shellcheck shell=bash disable=SC2154 # from common.sh
# Debian 13 in a folder of .build-test, for the checks platforms and platforms-arm64; sourced after common.sh.

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

# debian_13 ARCHITECTURE: puts Debian 13 with its Swift and libcurl into $debian, once.
debian_13() {
    debian=$work/platforms/debian-13-$1
    [ ! -e "$debian/installed" ] || return 0
    needs debootstrap
    say "Installing Debian 13 for $1 in ${debian#"$root/"}"
    # An interrupted run may have left a part.
    ${as_root[@]+"${as_root[@]}"} rm -rf --one-file-system "$debian" || fail "$debian can't be removed"
    mkdir -p "$(dirname "$debian")"
    apart debootstrap --force-check-gpg --arch="$1" --variant=minbase trixie "$debian" \
        "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$debian.log" 2>&1 || fail "debootstrap failed: see $debian.log"
    inside "$debian" "" 'apt-get update -qq && apt-get install -y --no-install-recommends swiftlang git procps curl \
        openssl pkg-config libcurl4-openssl-dev zlib1g-dev libbrotli-dev libzstd-dev' >>"$debian.log" 2>&1 ||
        fail "the packages could not be installed: see $debian.log"
    ${as_root[@]+"${as_root[@]}"} touch "$debian/installed" || fail "$debian can't be written to"
}

# apart COMMAND…: runs the command as root in a mount namespace, so that its mounts end with it. It is killed when this
# script exits.
child=''
trap '[ -z "$child" ] || kill "$child" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
apart() {
    local status=0
    ${as_root[@]+"${as_root[@]}"} unshare --mount --propagation private --fork --kill-child "$@" </dev/null &
    child=$!
    wait "$child" || status=$?
    child=''
    return "$status"
}

# inside DEBIAN TOOLCHAIN COMMAND: runs the command in that system, in a mount of the repository, with this machine's
# toolchain in the folder TOOLCHAIN, or with the system's own if that is empty.
inside() {
    # shellcheck disable=SC2016 # the inner shell expands it
    apart bash -euc '
        debian=$1 root=$2 toolchain=$3 path=/usr/sbin:/usr/bin:/sbin:/bin
        mkdir -p "$debian/src" "$debian/work" "$debian/toolchain"
        cp /etc/resolv.conf "$debian/etc/resolv.conf"
        mount -t proc proc "$debian/proc"
        mount --rbind /dev "$debian/dev"
        mount --bind "$root" "$debian/src"
        if [ -n "$toolchain" ]; then
            mount --bind "$toolchain" "$debian/toolchain"
            path=/toolchain/usr/bin:$path
        fi
        exec chroot "$debian" /usr/bin/env -i PATH="$path" HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            NETCHAIN_WORK="/work${toolchain:+/toolchain}" bash -euc "cd /src && $4"
    ' inside "$1" "$root" "$2" "$3"
}
