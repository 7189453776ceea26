# shellcheck shell=bash disable=SC2154 # from common.sh
# The compiler says what is wrong about calls that a new user gets wrong.
#
#   Scripts/check.sh messages
#
# Builds NetChainKit and type-checks Scripts/checks/CompilerMessages.swift. The line after `// error: TEXT` has an error
# with this text; all other lines have none.
no_arguments "$@"

file=Scripts/checks/CompilerMessages.swift
output=$(swift build --target NetChainKit 2>&1 </dev/null) || fail "the build failed:
$output"
options=(-swift-version 6 -parse-as-library -I "$(swift build --show-bin-path </dev/null)/Modules")
for map in Modules/*/module.modulemap; do options+=(-Xcc "-fmodule-map-file=$map"); done
output=$(swiftc -typecheck "${options[@]}" "$file" 2>&1 </dev/null) || true

# "LINE TEXT", one for each error.
errors=$(sed -n "s|^[^ ]*$(basename "$file"):\([0-9]*\):[0-9]*: error: |\1 |p" <<<"$output")
[ -n "$errors" ] || fail "no error at all:
$output"

wrong=0
expected=' '
while IFS=: read -r line code; do
    line=$((line + 1)) text=${code#*// error: }
    expected+="$line "
    grep -qF -- "$text" <<<"$(sed -n "s/^$line //p" <<<"$errors")" || {
        say "$file:$line: error expected: $text"
        wrong=$((wrong + 1))
    }
done < <(grep -n '^ *// error: ' "$file")
while read -r line text; do
    [[ $expected == *" $line "* ]] || {
        say "$file:$line: error: $text"
        wrong=$((wrong + 1))
    }
done <<<"$errors"
[ "$wrong" -eq 0 ] || fail "$wrong messages differ from what the file says"
