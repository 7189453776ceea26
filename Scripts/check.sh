#!/usr/bin/env bash
# Checks of NetChainKit that take longer, or need more of the machine, than Scripts/test.sh may.
#
#   Scripts/check.sh NAME…
#
#   platforms        all tests on Debian 13 (libcurl 8.14), with its Swift (6.0.3) and with the Swift of this machine
#   platforms-arm64  the demo on Debian 13 for arm64, emulated: half an hour
#   language         no phrase of a fixed list in the folders whose language has been revised, and American spelling
#   valgrind         the tests against hostile servers under valgrind: no access to memory that is not the process's
#
# The platforms put Debian 13 into a folder of .build-test with debootstrap (3.5 GB), and need root or sudo,
# debootstrap, and for arm64 qemu-user-static. Their mounts end with them. DEBIAN_MIRROR is where the packages come from.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

# debian_13 ARCHITECTURE: puts Debian 13 with its Swift and libcurl into $debian, once.
debian_13() {
    debian=$work/platforms/debian-13-$1
    [ ! -e "$debian/installed" ] || return 0
    command -v debootstrap >/dev/null || fail "debootstrap is needed: apt-get install debootstrap"
    say "Installing Debian 13 for $1 in ${debian#"$root/"}"
    # What an interrupted run has left.
    ${as_root[@]+"${as_root[@]}"} rm -rf --one-file-system "$debian" || fail "$debian can't be removed"
    mkdir -p "$(dirname "$debian")"
    apart debootstrap --force-check-gpg --arch="$1" --variant=minbase trixie "$debian" \
        "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$debian.log" 2>&1 || fail "debootstrap failed: see $debian.log"
    inside "$debian" "" 'apt-get update -qq && apt-get install -y --no-install-recommends swiftlang git procps curl \
        openssl pkg-config libcurl4-openssl-dev zlib1g-dev libbrotli-dev libzstd-dev' >>"$debian.log" 2>&1 ||
        fail "the packages could not be installed: see $debian.log"
    ${as_root[@]+"${as_root[@]}"} touch "$debian/installed" || fail "$debian can't be written to"
}

# apart COMMAND…: runs the command as root with mounts of its own, which end with it. It ends with this script.
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

# inside DEBIAN TOOLCHAIN COMMAND: runs the command in the repository as that system sees it, with the toolchain of this
# machine that lies in TOOLCHAIN, or the system's own.
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

# The folder above usr/lib/swift of the Swift in PATH. It must be Swift's alone: the other system's own files stay.
toolchain() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)\/usr\/lib\/swift".*/\1/p')
    [ -n "$resources" ] || fail "this machine's Swift is not in a folder of its own, as /opt/swift: put a toolchain there"
    printf '%s\n' "$resources"
}

check_platforms() {
    local status=0 newest
    newest=$(toolchain) || return 1
    debian_13 "$(dpkg --print-architecture)"
    say "Debian 13, its own Swift"
    inside "$debian" "" 'Scripts/test.sh --tests --no-servers' || status=1
    say "Debian 13, the Swift of this machine"
    inside "$debian" "$newest" 'Scripts/test.sh --tests --no-servers' || status=1
    return "$status"
}

check_platforms-arm64() {
    debian_13 arm64
    say "Debian 13 for arm64, its own Swift, emulated"
    # The checkout's own build folder is for this machine.
    inside "$debian" "" 'swift build -c release --product NetChainDemo --scratch-path /work/build
        /work/build/release/NetChainDemo'
}

# Phrases that are wrong wherever they are. Their replacements: release; in progress; without progress; queue; immutable
# state; is called, reports; resumed; Boolean; recreated; completes; becomes idle; the actor's name.
wrong_phrases='[Ll]et(s|ting)? go\b|\bunder way\b|\bin vain\b|\b(stand|wait)(s|ed|ing)? in line\b|\blet only\b|\b(is|are|was|were) told\b|\bgone on with\b|\btruth value|\b(made|begins?) anew\b|\b(come|came|bring)s? to (its|their) end\b|\bcomes? free\b|\b[Ww]hoever\b|\bcancell(ed|ing)\b|\bbehaviour|\b[Cc]olour|\b[Ff]avour|\b[Hh]onour|\b[Rr]ecognis'
# Not revised yet, because open work rewrites them.
unrevised='Modules/UrlTransport/Curl/'

check_language() {
    local files found
    files=$(find README.md CONTRIBUTING.md SECURITY.md Docs Modules -name .build -prune -o -name '*.md' -print -o -name '*.swift' -print |
        grep -vE "^($unrevised)" | sort) || fail "there is nothing to check"
    found=$(tr '\n' '\0' <<<"$files" | xargs -0 grep -nE "$wrong_phrases" || [ $? -eq 123 ]) || fail "grep failed"
    [ -z "$found" ] || fail "these phrases are replaced as Scripts/check.sh says:
$found"
}

# The suites in which a server sends what it should not.
hostile='ChunkedBody|ContentDecoder|CurlDecoding|CurlDestination|CurlExpect|CurlFailure|CurlFileTrust|CurlFraming|CurlHandle|
    CurlRedirect|CurlResponse|CurlResume|CurlStreamedUpload|CurlTlsEnd|CurlUpload|ResponseFraming'

# Tests that fail by their time limits, because all is thirty times slower, are no findings here.
check_valgrind() {
    command -v valgrind >/dev/null || fail "valgrind is needed: apt-get install valgrind"
    local flags=("${strict[@]}" --scratch-path "$work/strict") log=$work/logs/valgrind.log status=0 program
    mkdir -p "$work/logs"
    swift build --build-tests "${flags[@]}" >"$log" 2>&1 || fail "the build failed: see $log"
    case $work in *[:\ ]*) fail "LD_PRELOAD takes no path with a space or a colon" ;; esac
    clang -O1 -shared -fPIC -Wall -Wextra -Werror "$root/Scripts/support/valgrind_sigsuspend.c" -o "$work/sigsuspend.so" ||
        fail "the preloaded library can't be built"
    program=$(swift build "${flags[@]}" --show-bin-path)/NetChainKitPackageTests.xctest
    LD_PRELOAD=$work/sigsuspend.so valgrind --quiet --max-threads=5000 --error-exitcode=99 --num-callers=30 \
        --suppressions="$root/Scripts/support/valgrind.supp" "$program" --testing-library swift-testing --no-parallel \
        --filter "^UrlTransportTests\\.(${hostile//[[:space:]]/})Tests" >"$log" 2>&1 </dev/null || status=$?
    grep -E '^[^ ]+ Test run with ' "$log" | tail -n 1 >&2 || fail "no test ran: see $log"
    [ "$status" -ne 99 ] || fail "valgrind has findings: see $log"
}

[ $# -gt 0 ] || { show_help && exit 2; }
[ "$1" != --help ] && [ "$1" != -h ] || { show_help && exit 0; }
for name in "$@"; do
    declare -F "check_$name" >/dev/null || fail "there is no check '$name' (see --help)"
done
cd "$root"
for name in "$@"; do
    "check_$name" || fail "$name failed"
    say "$name passed"
done
