# shellcheck shell=bash disable=SC2154 # from common.sh
# The demo runs on Debian 13 for arm64, emulated: half an hour.
#
#   Scripts/check.sh platforms-arm64
#
# It installs Debian as the check platforms does, and needs qemu-user-static as well.
no_arguments "$@"
# shellcheck source=Scripts/support/debian.sh
source "$root/Scripts/support/debian.sh"

debian_13 arm64
say "Debian 13 for arm64, its own Swift, emulated"
# The checkout's build folder holds programs for this machine.
inside "$debian" "" 'swift build -c release --product NetChainDemo --scratch-path /work/build
    /work/build/release/NetChainDemo' || fail "the demo failed"
