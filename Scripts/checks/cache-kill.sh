# shellcheck shell=bash disable=SC2154 # from common.sh
# No damaged entry of a cache's folder is served after kill -9 in the middle of writing. Linux.
#
#   Scripts/check.sh cache-kill [KILLS [OPTION…]]
#
#   KILLS    how often a process is killed, 100 by default; the tests kill 3
#   OPTION   for `swift test`, as --skip-build
#
# A process stores, updates and removes responses in four tasks until it kills itself, after 5 to 100 ms. After each kill
# all entries are read and compared with what was stored. Prints the measurements.
needs Linux
kills=${1:-100}
shift || true
[[ $kills =~ ^[1-9][0-9]*$ ]] || fail "'$kills' is no number of kills"

output=$(NETCHAIN_CACHE_KILLS=$kills swift test "$@" --disable-xctest --filter '^HttpCachingTests\.FolderStoreKillTests' 2>&1) ||
    fail "a damaged entry was served, or a process was not killed:
$output"
grep '^cache kills: ' <<<"$output" || fail "no test ran:
$output"
