#!/usr/bin/env bash
# Compares the public API of each module with the baseline in Scripts/api-baseline, a text with a
# declaration a line, sorted, that is committed with the change that makes it another.
#
#   Scripts/check-api.sh            shows what differs; status 1 when anything does
#   Scripts/check-api.sh --update   writes the baseline anew
#
# A line that goes away is a breaking change, unless it comes back with more defaults; a line that
# comes is an addition. What changed since a release: git diff 0.1.0 -- Scripts/api-baseline.
# The baseline is that of Linux and of the newest Swift that CI builds with.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
# shellcheck source=Scripts/support/symbols.sh
source "$root/Scripts/support/symbols.sh"

update=no
case ${1:-} in
--update) update=yes ;;
*) no_arguments "$@" ;;
esac
[ "$(uname -s)" = Linux ] || { say "The baseline is Linux's: nothing to check here" && exit 0; }
needs_python

baseline=$root/Scripts/api-baseline
current=$work/api
modules=$(library_modules)
[ -n "$modules" ] || fail "'swift package describe' shows no library product"
symbol_graphs "$work/symbols/api" "$modules"
rm -rf "$current"
python3 "$root/Scripts/support/symbols.py" api "$work/symbols/api" "$current"

if [ "$update" = yes ]; then
    rm -rf "$baseline"
    cp -R "$current" "$baseline"
    say "$(cat "$baseline"/*.txt | wc -l) lines for $(wc -w <<<"$modules") modules"
    exit 0
fi
if ! difference=$(diff -ruN -U 0 "$baseline" "$current"); then
    grep -E '^([-+]|@@)' <<<"$difference" | grep -v '^@@' | sed -E "s|^(---\|\+\+\+) .*/([A-Za-z]+\.txt).*|\1 \2|"
    gone=$(grep -cE '^-[^-]' <<<"$difference" || true)
    new=$(grep -cE '^\+[^+]' <<<"$difference" || true)
    fail "the public API is another than the baseline: $gone lines gone (breaking), $new new. If that is meant:
CHANGELOG.md tells of it, and Scripts/check-api.sh --update writes the baseline anew."
fi
say "$(cat "$baseline"/*.txt | wc -l) lines of public API, all as the baseline has them"
