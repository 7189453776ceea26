# shellcheck shell=bash disable=SC2154 # from common.sh
# The allocations of a small GET stay below fixed bounds. Linux with glibc.
#
#   Scripts/check.sh allocations
#
# Allocations, unlike time, are the same on a busy machine. Each request after the first ones is counted, in release. A
# preloaded library counts all allocations, those of libcurl apart. The bounds are the measured counts and two to spare;
# callbacks have five, because libdispatch allocates more or less by timing.
no_arguments "$@"
needs Linux clang

program=$(build_program AllocationCount --product AllocationCount -c release \
    --package-path "$root/Scripts/checks" --scratch-path "$work/check-programs")
counter=$work/check-programs/counter.so
clang -O1 -shared -fPIC -Wall -Wextra -Werror "$root/Scripts/checks/allocations.c" -o "$counter"

file=$work/check-programs/url
rm -f "$file"
# The server exits when its input, a pipe from this process, is closed.
exec 9> >("$program" serve >"$file" 2>/dev/null)
for ((tries = 0; tries < 100; tries++)); do
    [ -s "$file" ] && break
    sleep 0.1
done
url=$(cat "$file")
[ -n "$url" ] || fail "the server did not start"

# count MODE NUMBER: 'LIBCURL OTHERS' of the whole process.
count() {
    LD_PRELOAD=$counter "$program" "$1" "$url" "$2" 2>&1 >/dev/null | tail -n 1
}

# measure MODE BOUND TITLE
missed=no
measure() {
    local few many libcurls others
    few=$(count "$1" 500)
    many=$(count "$1" 2500)
    if [ "$(wc -w <<<"$few $many")" -ne 4 ]; then fail "nothing was counted: $few $many"; fi
    # Rounded up, so that an allocation of one request in twenty counts as one. Rarer ones, a growing table for
    # instance, vary from run to run.
    libcurls=$(((${many% *} - ${few% *} + 1900) / 2000))
    others=$(((${many#* } - ${few#* } + 1900) / 2000))
    printf '%s: %d allocations a request (at most %d), and %d within libcurl\n' "$3" "$others" "$2" "$libcurls"
    [ "$others" -le "$2" ] || missed=yes
}

measure sender 15 "the sender alone"
measure limits 15 "the sender within limits"
measure client 39 "a request of a client"
measure await 25 "a kept chain"
measure callbacks 64 "a kept chain with callbacks"
measure response 25 "a kept chain, the response beside the model"
measure comments 0 "a comment of an event stream, parsed"
[ "$missed" = no ] || fail "a request allocates more than it may"
