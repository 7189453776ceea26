#!/usr/bin/env bash
# Checks that memory doesn't grow with a body: uploads from a file, of a form with a file and from a
# sequence, and downloads to a file and as a stream, each of the same size, in a process of their own. The most memory that the
# process ever had (VmHWM) may grow by less than 16 MiB. Linux.
#
#   Scripts/check-big-bodies.sh [MIB [OPTION…]]
#
#   MIB      the size of each body, 256 without it; 2048 is what the promise is about
#   OPTION   for `swift test`, as --skip-build
#
# Prints the figures.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
case ${1:-} in --help | -h) show_help && exit 0 ;; esac
size=${1:-256}
shift || true
[[ $size =~ ^[1-9][0-9]*$ ]] || fail "the size '$size' is no number of MiB"

cd "$root"
output=$(NETCHAIN_BIG_BODY_MIB=$size swift test "$@" --disable-xctest --filter '^UrlTransportTests\.BigBodyTests' 2>&1) ||
    fail "a body is too big for memory, or did not arrive:
$output"
figures=$(grep '^big bodies: ' <<<"$output") || fail "no test ran:
$output"
sed 's/^big bodies: //' <<<"$figures"
