# shellcheck shell=bash disable=SC2154 # from common.sh
# The tests pass on Debian 13, with its Swift (6.0.3) and with the Swift of this machine.
#
#   Scripts/check.sh platforms
#
# debootstrap puts Debian 13 (libcurl 8.14) into a folder of .build-test (3.5 GB), from DEBIAN_MIRROR if that is set.
# It needs root or sudo. Its mounts end with the check.
no_arguments "$@"
# shellcheck source=Scripts/support/debian.sh
source "$root/Scripts/support/debian.sh"

# The folder above usr/lib/swift of the Swift in PATH. It must be a dedicated folder, because it is mounted as a whole.
toolchain=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)\/usr\/lib\/swift".*/\1/p')
[ -n "$toolchain" ] || fail "this machine's Swift is not in a folder of its own, as /opt/swift: put a toolchain there"

status=0
debian_13 "$(dpkg --print-architecture)"
say "Debian 13, its own Swift"
inside "$debian" "" 'Scripts/test.sh --tests --no-servers' || status=1
say "Debian 13, the Swift of this machine"
inside "$debian" "$toolchain" 'Scripts/test.sh --tests --no-servers' || status=1
[ "$status" -eq 0 ] || fail "a test failed"
