# shellcheck shell=bash disable=SC2154 # from common.sh
# The public API is that of the baseline in Scripts/api-baseline. Linux.
#
#   Scripts/check.sh api            shows what differs
#   Scripts/check.sh api --update   writes the baseline
#
# The baseline is a text, sorted, with a declaration a line. A removed line is a breaking change, unless it returns with
# more defaults; a new line is an addition. What changed since a release: git diff 0.1.0 -- Scripts/api-baseline.
# The baseline is that of Linux and of the newest Swift that CI builds with.
update=${1:-}
[ "$update" = --update ] || no_arguments "$@"
needs Linux python3
# shellcheck source=Scripts/support/symbols.sh
source "$root/Scripts/support/symbols.sh"

baseline=$root/Scripts/api-baseline
current=$work/api
modules=$(library_modules)
symbol_graphs "$work/symbols/api" "$modules"
rm -rf "$current"
python3 "$root/Scripts/support/symbols.py" api "$work/symbols/api" "$current"

if [ -n "$update" ]; then
    rm -rf "$baseline"
    cp -R "$current" "$baseline"
elif ! difference=$(diff -ruN -U 0 "$baseline" "$current"); then
    grep -E '^[-+]' <<<"$difference" | sed -E "s|^(---\|\+\+\+) .*/([A-Za-z]+\.txt).*|\1 \2|"
    removed=$(grep -cE '^-[^-]' <<<"$difference" || true)
    added=$(grep -cE '^\+[^+]' <<<"$difference" || true)
    fail "the public API differs from the baseline: $removed lines removed (breaking), $added added. If that is intended:
describe it in CHANGELOG.md, and write the baseline with Scripts/check.sh api --update."
fi
say "$(cat "$baseline"/*.txt | wc -l) lines of public API in the baseline, for $(wc -w <<<"$modules") modules"
