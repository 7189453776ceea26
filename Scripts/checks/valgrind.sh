# shellcheck shell=bash disable=SC2154 # from common.sh
# The tests against hostile servers make no invalid access to memory. Needs valgrind.
#
#   Scripts/check.sh valgrind
#
# A test that exceeds its time limit, because everything is thirty times slower, is not a finding.
no_arguments "$@"
needs valgrind clang
case $work in *[:\ ]*) fail "LD_PRELOAD takes no path with a space or a colon" ;; esac

# The suites whose servers send invalid responses.
hostile='ChunkedBody|ContentDecoder|CurlDecoding|CurlDestination|CurlExpect|CurlFailure|CurlFileTrust|CurlFraming|CurlHandle|
    CurlRedirect|CurlResponse|CurlResume|CurlStreamedUpload|CurlTlsEnd|CurlUpload|ResponseFraming'

flags=("${strict[@]}" --scratch-path "$work/strict")
log=$work/logs/valgrind.log
mkdir -p "$work/logs"
swift build --build-tests "${flags[@]}" >"$log" 2>&1 || fail "the build failed: see $log"
clang -O1 -shared -fPIC -Wall -Wextra -Werror "$root/Scripts/support/valgrind_sigsuspend.c" -o "$work/sigsuspend.so"
program=$(swift build "${flags[@]}" --show-bin-path)/NetChainKitPackageTests.xctest
status=0
LD_PRELOAD=$work/sigsuspend.so valgrind --quiet --max-threads=5000 --error-exitcode=99 --num-callers=30 \
    --suppressions="$root/Scripts/support/valgrind.supp" "$program" --testing-library swift-testing --no-parallel \
    --filter "^UrlTransportTests\\.(${hostile//[[:space:]]/})Tests" >"$log" 2>&1 </dev/null || status=$?
grep -E '^[^ ]+ Test run with ' "$log" | tail -n 1 >&2 || fail "no test ran: see $log"
[ "$status" -ne 99 ] || fail "valgrind has findings: see $log"
