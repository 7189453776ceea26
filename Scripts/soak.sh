#!/usr/bin/env bash
# Sends requests through whole chains for some minutes, to a server that goes wrong in two dozen ways, and cancels one
# in eight, all drawn by a seed.
#
#   Scripts/soak.sh --streams [--seconds N] [--seed S] [--sanitize thread|address]
#   Scripts/soak.sh [--seconds N] [--seed S] [--sanitize thread|address] [--jumping-clock]
#
#   --streams        reads server-sent events, lines and JSON elements instead, from a server that cuts, stalls,
#                    restarts and lies: no event is lost or repeated, no cut export passes for a whole one, and
#                    memory stays flat
#   --seconds N      180 by default
#   --seed S         a number that stands for the draw; another each time, and printed
#   --sanitize X     under Thread Sanitizer or Address Sanitizer (which finds leaks too)
#   --jumping-clock  the wall clock jumps by hours ahead and behind, twenty times a second, and tokens expire by it
#
# Prints what was sent, answered, failed by kind and canceled. Status 1 where a request was lost, completed twice, got
# the response of another, or ended in a way that its fault doesn't explain, and where tokens were refreshed more often
# than they expired. Linux.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

seconds=180
seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
sanitize=''
jumping_clock=no
product=Soak
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=${2:-} && shift ;;
    --seed) seed=${2:-} && shift ;;
    --sanitize) sanitize=${2:-none} && shift ;;
    --jumping-clock) jumping_clock=yes ;;
    --streams) product=StreamSoak ;;
    --help | -h) show_help && exit 0 ;;
    *) fail "unknown argument '$1' (see --help)" ;;
    esac
    shift || fail "a value is missing (see --help)"
done
[[ $seconds =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ ]] || fail "--seconds and --seed take whole numbers"
[[ $sanitize =~ ^(thread|address)?$ ]] || fail "--sanitize takes 'thread' or 'address'"
needs Linux
[ "$product $jumping_clock" != 'StreamSoak yes' ] || fail "--streams and --jumping-clock don't go together"

# The scratch path of the examples, so that the library is compiled once for all of them.
scratch=$work/examples
flags=()
if [ -n "$sanitize" ]; then
    scratch=$work/soak-$sanitize
    sanitizer_flags "$sanitize" "$scratch"
    sanitizer_options "$sanitize"
    flags=("${sanitizing[@]}")
fi
program=$(build_program "$product" --product "$product" --package-path "$root/Scripts/lab" --scratch-path "$scratch" \
    ${flags[@]+"${flags[@]}"})

command=("$program" "$seconds" "$seed")
if [ "$jumping_clock" = yes ]; then
    needs clang
    clang -O1 -shared -fPIC -Wall -Wextra -Werror "$root/Scripts/lab/jumping_clock.c" -o "$scratch/jumping_clock.so"
    command=(env "LD_PRELOAD=$scratch/jumping_clock.so" "NETCHAIN_CLOCK_SEED=$seed" "${command[@]}" jumping-clock)
fi
status=0
"${command[@]}" || status=$?
[ "$status" -eq 0 ] || fail "the soak${sanitize:+ under $sanitize sanitizer} ended with status $status"
