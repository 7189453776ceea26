# shellcheck shell=bash disable=SC2154 # from common.sh
# The Swift samples of README.md and Docs/ compile, and those that are tests pass.
#
#   Scripts/check.sh samples [PAGE…]
#
#   PAGE   a page's path, as Docs/Chains.md; README.md and Docs/*.md by default
#
# Every manifest in the pages is evaluated. Scripts/checks/samples.py turns the pages into a package in
# .build-test/samples. Its help lists what a page can ask for: a sample that is skipped, code that the reader doesn't
# see. The compiler's errors name the page and the line.
needs python3
pages=("$@")
[ $# -gt 0 ] || pages=(README.md Docs/*.md)
for page in "${pages[@]}"; do [ -f "$page" ] || fail "there is no page '$page'"; done

package=$work/samples
python3 Scripts/checks/samples.py "$package" "${pages[@]}"

for manifest in "$package"/Manifests/*/; do
    [ -e "$manifest" ] || continue
    output=$(swift package --package-path "$manifest" dump-package 2>&1) || {
        printf '%s\n' "$output"
        fail "a manifest is wrong: the sample at $(cat "$manifest/origin")"
    }
done

# The scratch path of the examples, so that the library is compiled once for both.
shared=("${planned_anew[@]}" --package-path "$package" --scratch-path "$work/examples")
output=$(swift build "${shared[@]}" --build-tests 2>&1) || {
    # The samples' own errors are enough, where there are any.
    grep -E '^[^ ]+\.md:[0-9]+:[0-9]+: error: ' <<<"$output" | sort -u || printf '%s\n' "$output"
    fail "a sample doesn't compile"
}
if grep -q testTarget "$package/Package.swift"; then
    output=$(swift test "${shared[@]}" --skip-build --disable-xctest 2>&1) || {
        printf '%s\n' "$output"
        fail "a sample that is a test fails"
    }
fi
