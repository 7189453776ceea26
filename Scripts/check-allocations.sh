#!/usr/bin/env bash
# Counts what a small GET allocates on top of libcurl, and fails past a bound: allocations, unlike time, are the same on
# a busy machine.
#
#   Scripts/check-allocations.sh
#
# Counted are the allocations of a request after the first ones, in release: with the sender alone, through the default
# chain with a typed model and callbacks, the same awaited, and with the answer's status and headers beside the model. A
# counter that is preloaded sees them all and has libcurl take its memory elsewhere, so that libcurl's own are counted
# apart. The model's own strings and arrays are among the chain's: two. The aim is 28 for the chain. It is
# missed since each libcurl handle performs one transfer, and by two more since the JSON decoder's containers are
# allocated. The bounds are what is reached, and one to spare. Linux with glibc.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"
[ "$(uname -s)" = Linux ] || fail "it counts with glibc's means, so it needs Linux"

program=$(build_program AllocationCount --package-path "$root/Scripts/AllocationCount" \
    --scratch-path "$work/allocations" -c release)
counter=$work/allocations/counter.so
clang -O1 -shared -fPIC -Wall -Wextra -Werror "$root/Scripts/support/allocations.c" -o "$counter"

rm -f "$work/allocations/url"
# The server ends with its input, which is this script's end of a pipe.
exec {hold}> >("$program" serve >"$work/allocations/url" 2>/dev/null)
trap 'exec {hold}>&-' EXIT
for ((tries = 0; tries < 100; tries++)); do
    [ -s "$work/allocations/url" ] && break
    sleep 0.1
done
url=$(cat "$work/allocations/url")
[ -n "$url" ] || fail "the server did not start"

# count MODE NUMBER: 'LIBCURL OTHERS', the program's start included.
count() {
    LD_PRELOAD=$counter "$program" "$1" "$url" "$2" 2>&1 >/dev/null | tail -n 1
}

# check MODE BOUND WORDS
missed=no
check() {
    local few many libcurls others
    few=$(count "$1" 500)
    many=$(count "$1" 2500)
    if [ "$(wc -w <<<"$few $many")" -ne 4 ]; then fail "nothing was counted: $few $many"; fi
    # Rounded up, so that what one request in twenty allocates counts as one; what is rarer is the process's, a table
    # that grows for instance, and would make the figure another in each run.
    libcurls=$(((${many% *} - ${few% *} + 1900) / 2000))
    others=$(((${many#* } - ${few#* } + 1900) / 2000))
    printf '%s: %d allocations a request (at most %d), and %d within libcurl\n' "$3" "$others" "$2" "$libcurls"
    [ "$others" -le "$2" ] || missed=yes
}

check sender 18 "the sender alone"
check chain 38 "the default chain"
check await 43 "the default chain, awaited"
check response 38 "the default chain, the answer beside the model"
[ "$missed" = no ] || fail "a request allocates more than it may"
