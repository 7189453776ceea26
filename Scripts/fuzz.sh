#!/usr/bin/env bash
# Fuzzes Json's parser, decoder and encoder with libFuzzer and Address Sanitizer. Linux, or an open-source toolchain.
#
#   Scripts/fuzz.sh [SECONDS]
#
#   SECONDS   60 by default
#
# What is found lies in Scripts/Fuzz/.build/findings.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

seconds=60
case ${1:-} in
*[!0-9]*) no_arguments "$@" ;;
?*) seconds=$1 && shift ;;
esac
no_arguments "$@"
[ "$seconds" -gt 0 ] || fail "SECONDS is a whole number greater than zero (see --help)"

build="$root/Scripts/Fuzz/.build"
mkdir -p "$build/corpus" "$build/findings"

mapfile -t sources < <(find "$root/Modules/Models/Json" -name '*.swift' | sort)
swiftc -O -swift-version 6 -parse-as-library -module-name JsonFuzz -package-name NetChainKit \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
    -sanitize=fuzzer,address -o "$build/json-fuzz" "${sources[@]}" "$root/Scripts/Fuzz/JsonFuzz.swift"

# A start with every kind of token; the fuzzer goes on from here.
if [[ -z $(ls -A "$build/corpus") ]]; then
    printf '%s' '{"int":1,"small":-8,"unsigned":18446744073709551615,"wide":1e2,"double":-0.5e-3,"text":"\u00e9\ud83d\ude00\n","flag":true}' >"$build/corpus/scalars"
    printf '%s' '{"list":[{"level":"low"},{"shape":{"circle":{"radius":1}}}],"table":{"a":[1,2]},"byInt":{"1":"x"},"json":[null,{}]}' >"$build/corpus/nested"
    printf '%s' '{"date":1,"data":"AAEC","url":"https://a/b","uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","decimal":1.25,"optionals":["a",null]}' >"$build/corpus/types"
    printf '%s' '[ [1.5, 2e10], {"a":1,"a":2}, "é€😀", false ]' >"$build/corpus/array"
fi

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
"\"shape\":{\"group\":["
"\"json\":"
TOKENS

cd "$build"
./json-fuzz -max_total_time="$seconds" -max_len=4096 -timeout=10 -dict=tokens -artifact_prefix=findings/ -print_final_stats=1 corpus
