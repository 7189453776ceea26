#!/usr/bin/env bash
# Runs NetChainDemo, built in release, as a user would: all twelve steps against its own server, a plain GET
# to a server where nobody listens, which must fail, and one to nginx where Scripts/real-servers.sh has
# started it (NETCHAIN_NGINX_URL).
#
#   Scripts/check-demo.sh
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"

program=$(build_program NetChainDemo --package-path "$root" -c release --product NetChainDemo)
# The servers are on this machine, where no proxy of the environment can help.
export no_proxy=127.0.0.1

# expect STATUS LAST-LINE ARGUMENT…: how the demo ends, and what its last line begins with.
expect() {
    local status=0 expected=$1 last=$2
    shift 2
    output=$("$program" "$@" 2>&1 </dev/null) || status=$?
    case $(tail -n 1 <<<"$output") in
    "$last"*) [ "$status" -ne "$expected" ] || return 0 ;;
    esac
    fail "'NetChainDemo $*' ended with status $status, not with $expected and '$last …':
$output"
}

rm -rf "$work/demo"
mkdir -p "$work/demo"
expect 0 'NetChainDemo: 12 of 12 steps passed in ' --out "$work/demo"
[ -n "$(ls -A "$work/demo")" ] || fail "the demo wrote nothing into --out"
expect 1 'NetChainDemo: 0 of 1 steps passed in ' --base-url http://127.0.0.1:1/
if [ -n "${NETCHAIN_NGINX_URL:-}" ]; then
    expect 0 'NetChainDemo: 1 of 1 steps passed in ' --base-url "$NETCHAIN_NGINX_URL/echo?from=demo"
    grep -q 'from=demo' <<<"$output" || fail "the demo doesn't show nginx's answer:
$output"
    say "The demo runs, against its own server and against nginx"
else
    say "The demo runs against its own server; there is no nginx here"
fi
