#!/usr/bin/env bash
# Builds the API reference: a static site of all modules, with the toolchain's docc.
#
#   Scripts/docs.sh
#
# Fails when a public declaration has no comment, when docc warns, and when a module's catalogue leaves one of its
# symbols out of its Topics. To read the site: python3 -m http.server -d .build-test/docs/site, and
# http://localhost:8000/documentation. Linux.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
# shellcheck source=Scripts/support/symbols.sh
source "$root/Scripts/support/symbols.sh"

no_arguments "$@"
needs Linux python3

site=$work/docs/site
modules=$(library_modules)
graphs=$work/symbols/docs
archives=$work/docs/archives
# Members that a module adds to another module's types are pages of their own.
symbol_graphs "$graphs" "$modules" -emit-extension-block-symbols
python3 "$root/Scripts/support/symbols.py" undocumented "$graphs" || fail "each of these needs a comment"

failures=0
rm -rf "$archives" "$site"
mkdir -p "$archives"
for module in $modules; do
    catalogue=$root/Modules/$module/$module.docc
    [ -d "$catalogue" ] || fail "there is no Modules/$module/$module.docc"
    docc convert "$catalogue" --additional-symbol-graph-dir "$graphs/$module" --warnings-as-errors \
        --fallback-display-name "$module" --fallback-bundle-identifier "netchainkit.$module" \
        --output-path "$archives/$module.doccarchive" >"$archives/$module.log" 2>&1 || {
        cat "$archives/$module.log" >&2
        say "$module: docc is not content"
        failures=$((failures + 1))
    }
done
[ "$failures" -eq 0 ] || fail "the documentation of $failures modules has warnings"

docc merge "$archives"/*.doccarchive --synthesized-landing-page-name NetChainKit --output-path "$site" >/dev/null
# shellcheck disable=SC2086 # a list of names
python3 "$root/Scripts/support/site.py" "$site" $modules

say "The API reference: $site"
