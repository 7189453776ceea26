# shellcheck shell=bash disable=SC2154 # from common.sh
# NetChainDemo, as the tests have built it, passes all steps, and fails without a server.
#
#   Scripts/check.sh demo
#
# Without a server means a GET to a port that nothing listens on. Where Scripts/real-servers.sh has started nginx
# (NETCHAIN_NGINX_URL), one GET goes to it.
no_arguments "$@"

program=$(build_program NetChainDemo "${strict[@]}" --scratch-path "$work/strict" --product NetChainDemo)
# The servers are on this machine, which a proxy of the environment can't reach.
export no_proxy=127.0.0.1

# expect STATUS LAST-LINE ARGUMENT…: the demo's status, and the beginning of its last line.
expect() {
    local status=0 expected=$1 last=$2
    shift 2
    output=$("$program" "$@" 2>&1 </dev/null) || status=$?
    case $(tail -n 1 <<<"$output") in
    "$last"*) [ "$status" -ne "$expected" ] || return 0 ;;
    esac
    fail "'NetChainDemo $*' exited with status $status, not with $expected and '$last …':
$output"
}

rm -rf "$work/demo"
mkdir -p "$work/demo"
expect 0 'NetChainDemo: 12 of 12 steps passed in ' --out "$work/demo"
[ -n "$(ls -A "$work/demo")" ] || fail "the demo wrote nothing into --out"
expect 1 'NetChainDemo: 0 of 1 steps passed in ' --base-url http://127.0.0.1:1/
if [ -n "${NETCHAIN_NGINX_URL:-}" ]; then
    expect 0 'NetChainDemo: 1 of 1 steps passed in ' --base-url "$NETCHAIN_NGINX_URL/echo?from=demo"
    grep -q 'from=demo' <<<"$output" || fail "the demo doesn't show nginx's response:
$output"
    say "The demo runs, against its own server and against nginx"
else
    say "The demo runs against its own server; there is no nginx here"
fi
