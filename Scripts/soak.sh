#!/usr/bin/env bash
# Sends requests through whole chains for some minutes, to a server that goes wrong in two dozen ways
# (resets, cut and damaged bodies, delays, garbage, refused tokens, bodies and headers without an end,
# bombs, bytes that nobody asked for) and cancels one in eight, all drawn by a seed.
#
#   Scripts/soak.sh [--seconds N] [--seed S]
#
#   --seconds N   180 by default
#   --seed S      a number that stands for the draw; another each time, and printed
#
# Prints what was sent, answered, failed by kind and canceled. Status 1 where a request was lost, ended
# twice, got the answer of another, or ended in a way that its fault doesn't explain. Threads and the
# clock do the rest, so that a run is not the same to the last request, but its draws are. Linux.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

seconds=180
seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=${2:-} && shift ;;
    --seed) seed=${2:-} && shift ;;
    --help | -h) show_help && exit 0 ;;
    *) fail "unknown argument '$1' (see --help)" ;;
    esac
    shift || fail "a value is missing (see --help)"
done
[[ $seconds =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ ]] || fail "--seconds and --seed take whole numbers"

# The scratch path of the examples, so that the library is compiled once for all of them.
build=(swift build --package-path "$root/Scripts/Soak" --scratch-path "$work/examples")
output=$("${build[@]}" 2>&1) || fail "the build failed:
$output"
exec "$("${build[@]}" --show-bin-path)/Soak" "$seconds" "$seed"
