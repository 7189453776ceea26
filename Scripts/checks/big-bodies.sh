# shellcheck shell=bash disable=SC2154 # from common.sh
# Memory doesn't grow with the size of an uploaded or downloaded body. Linux.
#
#   Scripts/check.sh big-bodies [MIB [OPTION…]]
#
#   MIB      the size of each body, 256 by default; the documented promise is tested with 2048
#   OPTION   for `swift test`, as --skip-build
#
# Uploads from a file, of a form with a file and from a sequence, and downloads to a file and as a stream, each in a
# dedicated process. The peak memory of the process (VmHWM) may grow by less than 16 MiB. Prints the measurements.
needs Linux
size=${1:-256}
shift || true
[[ $size =~ ^[1-9][0-9]*$ ]] || fail "the size '$size' is no number of MiB"

output=$(NETCHAIN_BIG_BODY_MIB=$size swift test "$@" --disable-xctest --filter '^UrlTransportTests\.BigBodyTests' 2>&1) ||
    fail "a body needs too much memory, or did not arrive:
$output"
grep '^big bodies: ' <<<"$output" || fail "no test ran:
$output"
