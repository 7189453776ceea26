#!/usr/bin/env bash
# Fuzzes what parses bytes from outside, with libFuzzer and Address Sanitizer. Each target checks properties. Linux.
#
#   Scripts/fuzz.sh [--seconds N] [TARGET…]
#
#   --seconds N   for each target; 60 by default
#   TARGET        a name of Tests/FuzzTests/Properties/FuzzTargets.swift; all by default
#
# What is found lies in .build-test/fuzz/findings.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

seconds=60
case ${1:-} in
--seconds) seconds=${2:-0} && shift $(($# > 1 ? 2 : 1)) ;;
--*) no_arguments "$@" ;;
esac
[ "$seconds" -gt 0 ] || fail "--seconds takes a whole number greater than zero (see --help)"
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(
    grep -oE '"[a-z-]+": fuzz' "$root/Tests/FuzzTests/Properties/FuzzTargets.swift" | cut -d '"' -f 2)

build=$work/fuzz
mkdir -p "$build/findings" "$build/corpus/json" "$build/corpus/fast-models"

common=(-O -swift-version 6 -parse-as-library -package-name NetChainKit -enable-testing
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility -sanitize=fuzzer,address
    -I "$build" -I "$root/Modules/CNetChainCurl" -I "$root/Modules/CNetChainCompression")
objects=()
for module in NodeCore Logging Models HttpMessages UrlTransport ResponseProcessing HttpArchive EventStreams HttpCaching; do
    objects+=("$build/$module.o")
    # A module is compiled when it, or one before it, has changed.
    if [ -z "${changed:-}" ] && [ -f "$build/$module.o" ] &&
        [ -z "$(find "$root/Modules/$module" -newer "$build/$module.o" -print -quit)" ]; then
        continue
    fi
    changed=1
    say "compiling $module"
    mapfile -t sources < <(find "$root/Modules/$module" -name '*.swift' | sort)
    swiftc "${common[@]}" -wmo -module-name "$module" -emit-module -emit-module-path "$build/$module.swiftmodule" \
        -c -o "$build/$module.o" "${sources[@]}"
done
swiftc "${common[@]}" -module-name Fuzz -o "$build/fuzz" "$root/Scripts/lab/Fuzz.swift" \
    "$root"/Tests/FuzzTests/Properties/*.swift "${objects[@]}"

# A start with every kind of token; the fuzzer goes on from here.
if [[ -z $(ls -A "$build/corpus/json") ]]; then
    printf '%s' '{"int":1,"small":-8,"unsigned":18446744073709551615,"wide":1e2,"double":-0.5e-3,"text":"\u00e9\ud83d\ude00\n","flag":true}' >"$build/corpus/json/scalars"
    printf '%s' '{"list":[{"level":"low"},{"shape":{"circle":{"radius":1}}}],"table":{"a":[1,2]},"byInt":{"1":"x"},"json":[null,{}]}' >"$build/corpus/json/nested"
    printf '%s' '{"date":1,"data":"AAEC","url":"https://a/b","uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","decimal":1.25,"optionals":["a",null]}' >"$build/corpus/json/types"
    printf '%s' '[ [1.5, 2e10], {"a":1,"a":2}, "é€😀", false ]' >"$build/corpus/json/array"
fi
[[ -n $(ls -A "$build/corpus/fast-models") ]] || cp "$build"/corpus/json/* "$build/corpus/fast-models"

cat >"$build/tokens" <<'TOKENS'
"{"
"}"
"["
"]"
","
":"
"\""
"\\u"
"\\ud83d\\ude00"
"null"
"true"
"false"
"1e5"
"-0"
"\"int\":"
"\"list\":["
"{\"list\":["
"]}"
"\x1e"
"\x0a"
"\xef\xbb\xbf"
"\"shape\":{\"group\":["
"\"json\":"
"password="
"Bearer "
"Digest realm=\"\""
"<a>; rel=\"next\""
"; title*=UTF-8''"
"--netchain"
"Content-Disposition: form-data; name="
"bytes 0-9/10"
"Sun, 06 Nov 1994 08:49:37 GMT"
"2026-03-01T12:00:00"
"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
"\\r\\n"
"\\x00"
"://"
"%2F"
TOKENS

cd "$build"
failed=()
for target in "${targets[@]}"; do
    say "fuzzing $target for $seconds s"
    mkdir -p "corpus/$target"
    FUZZ_TARGET=$target ./fuzz -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -dict=tokens \
        -artifact_prefix="findings/$target-" -print_final_stats=1 "corpus/$target" || failed+=("$target")
done
[ ${#failed[@]} -eq 0 ] || fail "failed: ${failed[*]}"
