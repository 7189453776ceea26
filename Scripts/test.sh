#!/usr/bin/env bash
# Tests NetChainKit: installs missing dependencies, lints, builds without warnings, runs each module's tests with nginx
# and httpbin, through tinyproxy and microsocks, and the checks of Scripts/check.sh that take minutes, not hours.
#
#   Scripts/test.sh [--quick] [--tests | --checks] [--module NAME] [--no-servers] [--sanitize thread|address]
#
#   --quick        only the format, the checks layers, language and links, the build and the tests
#   --tests        only the build and the tests of all modules
#   --checks       everything but the tests
#   --module NAME  only the build and the tests of one module (NodeCore, UrlTransport, …)
#   --no-servers   no nginx and no httpbin: the tests that need them are skipped
#   --sanitize X   only the tests, under Thread Sanitizer or Address Sanitizer (on Linux it finds leaks, too)
#
# Failures are shown in full; their logs stay in .build-test/logs. The last line, 'N passed, N failed, N skipped',
# counts tests and checks together. Status 1 when anything failed.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

quick=no
tests=yes
checks=yes
module=''
servers=yes
sanitize=''
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --tests) checks=no ;;
    --checks) tests=no ;;
    --no-servers) servers=no ;;
    --module) module=${2:-} && shift ;;
    --sanitize) sanitize=${2:-} && shift ;;
    --help | -h) show_help && exit 0 ;;
    *) fail "unknown argument '$1' (see --help)" ;;
    esac
    shift || fail "a value is missing (see --help)"
done
case $sanitize in
'' | thread | address) ;;
*) fail "--sanitize takes 'thread' or 'address'" ;;
esac
[ -z "$module" ] || [ -d "$root/Tests/${module}Tests" ] || fail "there is no Tests/${module}Tests"

cd "$root"
passed=0
failed=0
skipped=0
failures=''
logs=$work/logs/${sanitize:-debug}
servers_folder=$work/servers-${sanitize:-debug}
mkdir -p "$logs"

# --- running ---------------------------------------------------------------------------------------

# tree PID: the process and all that descend from it.
tree() {
    local pid
    for pid in $(children_of "$1"); do tree "$pid"; done
    printf '%s\n' "$1"
}

# end_tree PID: asks the whole tree to end, and kills what is left after three seconds.
end_tree() {
    local pids waited
    pids=$(tree "$1")
    # shellcheck disable=SC2086 # a list of numbers
    for ((waited = 0; waited < 30; waited++)); do
        kill -TERM $pids 2>/dev/null || return 0
        sleep 0.1
    done
    # shellcheck disable=SC2086
    kill -KILL $pids 2>/dev/null || true
}

child=''
watchdog=''
clean_up() {
    [ -z "$watchdog" ] || end_tree "$watchdog"
    [ -z "$child" ] || end_tree "$child"
    if [ "$servers" = started ]; then Scripts/real-servers.sh stop "$servers_folder"; fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# logged LOG COMMAND…: in the background, so that a signal to this script ends the wait at once, and for at most 15
# minutes.
logged() {
    local log=$1 status=0
    shift
    "$@" >"$log" 2>&1 </dev/null &
    child=$!
    (
        sleep 900 || exit 0
        printf '\nStopped after 15 minutes.\n' >>"$log"
        end_tree "$child"
    ) >/dev/null 2>&1 </dev/null &
    watchdog=$!
    wait "$child" || status=$?
    child=''
    end_tree "$watchdog"
    wait "$watchdog" 2>/dev/null || true
    watchdog=''
    return "$status"
}

failure() {
    failures="$failures
  $1: $2"
    printf '✘ %s (%s)\n' "$1" "$2"
    cat "$2"
}

# check TITLE COMMAND…: leaves the command's status in `status`; 77 is a skipped check, with the reason in the last line.
check() {
    local title=$1 log=$logs/${1//[, ]/-}.log start=$SECONDS
    shift
    status=0
    logged "$log" "$@" || status=$?
    case $status in
    0) passed=$((passed + 1)) && printf '✔ %s (%d s)\n' "$title" $((SECONDS - start)) ;;
    77) skipped=$((skipped + 1)) && printf '– %s: skipped, %s\n' "$title" "$(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)) && failure "$title" "$log" ;;
    esac
}

# --- building --------------------------------------------------------------------------------------

if [ -n "$sanitize" ]; then
    scratch=$root/.build-$sanitize
    sanitizer_flags "$sanitize" "$scratch"
    flags=("${sanitizing[@]}")
else
    scratch=$work/strict
    flags=("${strict[@]}")
fi
flags+=(--scratch-path "$scratch")
# Thread Sanitizer is slow with the hundreds of threads of all tests at a time, so that time limits end them.
order=()
[ "$sanitize" != thread ] || order=(--no-parallel)

# Warnings of the compiler are errors; SwiftPM's own (an unhandled file, a missing pkg-config file) are
# found in what it prints. That it leaves out a folder of headers that a system's libcurl.pc names is none.
build() {
    swift build --build-tests "${flags[@]}" 2>&1 | tee "$logs/build-output.log" || return 1
    [ -n "$sanitize" ] || ! grep -E '(^|: )warning: ' "$logs/build-output.log" | grep -v 'prohibited flag(s): -isystem'
}

# --- testing ---------------------------------------------------------------------------------------

# So that the log of a run that was stopped tells the test that hung.
line_buffered=()
if command -v stdbuf >/dev/null; then line_buffered=(stdbuf --output=L); fi

# test_target NAME: the tests of one target, all of Swift Testing.
test_target() {
    local target=$1 log=$logs/$1.log status=0 summary total not_run broken
    local command=(${line_buffered[@]+"${line_buffered[@]}"} swift test --skip-build "${flags[@]}" --disable-xctest)
    # Only whole stacks show that a leak is URLSession's. They are too slow for the other tests, and for several at a time.
    [ "$sanitize $target" != 'address UrlSessionTransportTests' ] ||
        command=(env "ASAN_OPTIONS=$ASAN_OPTIONS:fast_unwind_on_malloc=0" "${command[@]}" --no-parallel)
    logged "$log" "${command[@]}" ${order[@]+"${order[@]}"} --filter "^$target\\." || status=$?
    summary=$(grep -E '^[^ ]+ Test run with [0-9]+ tests? ' "$log" | tail -n 1 || true)
    total=$(sed -nE 's/.*Test run with ([0-9]+) tests? .*/\1/p' <<<"$summary")
    not_run=$(grep -cE '^[^ ]+ Test .* skipped(: ".*"|\.)?$' "$log" || true)
    broken=$(grep -E '^[^ ]+ Test .* failed after .* with [0-9]+ issues?( .*)?\.$' "$log" |
        grep -vc '^[^ ]* Test run with ' || true)
    if [ "$status" -eq 0 ] && [ "${total:-0}" -eq 0 ]; then
        status=1
        printf '\n%s has no tests that ran\n' "$target" >>"$log"
    fi
    if [ "$status" -ne 0 ]; then
        # A crash or a hang leaves no summary: it counts as one.
        [ "$broken" -gt 0 ] || broken=1
        [ "${total:-0}" -ge $((broken + not_run)) ] || total=$((broken + not_run))
        failure "$target" "$log"
    else
        printf '%s — %s\n' "$summary" "$target"
        # Why tests were skipped, each reason once.
        sed -nE 's/^[^ ]+ Test .* skipped: "(.*)"$/\1/p' "$log" | sort | uniq -c | sed -E 's/^ *([0-9]+) /    \1 skipped: /'
    fi
    passed=$((passed + total - broken - not_run))
    failed=$((failed + broken))
    skipped=$((skipped + not_run))
}

start_servers() {
    [ "$servers" = yes ] || return 0
    local start=$SECONDS
    servers=started
    if logged "$logs/servers.log" Scripts/real-servers.sh start "$servers_folder"; then
        # shellcheck disable=SC1091 # made by real-servers.sh
        source "$servers_folder/environment"
        # A server that is not there, and why.
        grep -v '^export ' "$logs/servers.log" || true
        printf '✔ real servers (%d s)\n' $((SECONDS - start))
    else
        failed=$((failed + 1))
        failure "real servers" "$logs/servers.log"
    fi
}

# --- all of it -------------------------------------------------------------------------------------

Scripts/install-dependencies.sh --for "$([ "$servers" = yes ] && echo test || echo demo)"

[ -z "$sanitize" ] || sanitizer_options "$sanitize"
[ -z "$module$sanitize" ] || checks=no

if [ "$checks" = yes ]; then
    check "format lint" swift format lint --strict --parallel --recursive Package.swift Modules Tests Scripts Docs/Examples
    check "layers" Scripts/check.sh layers
    check "language" Scripts/check.sh language
    check "links" Scripts/check.sh links
fi
check "build${sanitize:+ with $sanitize sanitizer}" build
if [ "$status" -eq 0 ] && [ "$tests" = yes ]; then
    start_servers
    for folder in Tests/${module:-*}Tests/; do
        test_target "$(basename "$folder")"
    done
fi
if [ "$checks" = yes ] && [ "$quick" = no ]; then
    check "big bodies" Scripts/check.sh big-bodies 256 --skip-build "${flags[@]}"
    check "cache after kill -9" Scripts/check.sh cache-kill 100 --skip-build "${flags[@]}"
    check "samples" Scripts/check.sh samples
    check "compiler messages" Scripts/check.sh messages
    check "public API" Scripts/check.sh api
    # The programs of the checks allocations and locks: a build for release uses one core, and so do the next checks for
    # most of their time. Those two show its errors.
    swift build -c release --package-path Scripts/checks --scratch-path "$work/check-programs" >/dev/null 2>&1 </dev/null &
    programs=$!
    check "API reference" Scripts/docs.sh
    check "Apple branches against stubs" Scripts/check.sh apple
    check "examples" Scripts/check.sh examples
    wait "$programs" || true
    check "soak, 20 s" Scripts/soak.sh --seconds 20
    check "soak with a jumping clock, 10 s" Scripts/soak.sh --seconds 10 --jumping-clock
    check "consumers" Scripts/check.sh consumers
    check "linkage" Scripts/check.sh linkage
    check "demo" Scripts/check.sh demo
    check "allocations" Scripts/check.sh allocations
    check "locks" Scripts/check.sh locks
fi

printf '\nIn %d s.' "$SECONDS"
[ -z "$failures" ] || printf ' Failed:%s' "$failures"
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
