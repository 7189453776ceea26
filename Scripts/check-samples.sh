#!/usr/bin/env bash
# Compiles every Swift sample of README.md and Docs/, runs those that are tests, and evaluates every
# manifest in them.
#
#   Scripts/check-samples.sh [PAGE…]
#
#   PAGE   a page's name or path, Chains or Docs/Chains.md; all of them without any
#
# Scripts/support/samples.py turns the pages into a package (in .build-test/samples) that depends on
# this one by path, and its help says what a page can ask for: a sample that is skipped, code that
# the reader doesn't see. The compiler's errors name the page and the line.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

cd "$root"
all_pages=README
for page in Docs/*.md; do all_pages+=" $(basename "$page" .md)"; done
choose_pages "$all_pages" "$@"
needs_python

package=$work/samples
python3 Scripts/support/samples.py "$package" "${pages[@]}"

for manifest in "$package"/Manifests/*/; do
    [ -e "$manifest" ] || continue
    output=$(swift package --package-path "$manifest" dump-package 2>&1) || {
        printf '%s\n' "$output"
        fail "a manifest is wrong: the sample at $(cat "$manifest/origin")"
    }
done

output=$(swift build --package-path "$package" --build-tests 2>&1) || {
    # The samples' own errors are enough, where there are any.
    grep -E '^[^ ]+\.md:[0-9]+:[0-9]+: error: ' <<<"$output" | sort -u || printf '%s\n' "$output"
    fail "a sample doesn't compile"
}
if grep -q testTarget "$package/Package.swift"; then
    output=$(swift test --package-path "$package" --skip-build --disable-xctest 2>&1) || {
        printf '%s\n' "$output"
        fail "a sample that is a test fails"
    }
fi
