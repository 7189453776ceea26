# shellcheck shell=bash disable=SC2154 # from common.sh
# The compiler says what is wrong about calls that a new user gets wrong.
#
#   Scripts/check.sh messages
#
# Builds NetChainKit and NetChainTestKit, and type-checks Scripts/checks/CompilerMessages.swift, and
# CompilerMessagesOnMainActor.swift as an application that defaults to the main actor. A line with `// error: TEXT` or
# `// warning: TEXT` has such a message with this text; all other lines have none.
no_arguments "$@"

build=(swift build "${strict[@]}" --scratch-path "$work/strict")
for target in NetChainKit NetChainTestKit; do
    output=$("${build[@]}" --target "$target" 2>&1 </dev/null) || fail "the build failed:
$output"
done
options=(-swift-version 6 -parse-as-library -I "$("${build[@]}" --show-bin-path </dev/null)/Modules")
for map in Modules/*/module.modulemap; do options+=(-Xcc "-fmodule-map-file=$map"); done
wrong=0

# check FILE OPTION…: compares the messages of a file with what it says.
check() {
    local file=$1 output messages expected=' ' line code text
    output=$(swiftc -typecheck "${options[@]}" "${@:2}" "$file" 2>&1 </dev/null) || true

    # "LINE error: TEXT", one for each message.
    messages=$(sed -nE "s|^[^ ]*$(basename "$file"):([0-9]+):[0-9]+: ((error\|warning): )|\1 \2|p" <<<"$output")
    [ -n "$messages" ] || fail "no message at all:
$output"
    while IFS=: read -r line code; do
        text=${code##*// }
        expected+="$line "
        sed -n "s/^$line //p" <<<"$messages" | grep -E "^${text%%: *}: " | grep -qF -- "${text#*: }" || {
            say "$file:$line: expected: $text"
            wrong=$((wrong + 1))
        }
    done < <(grep -nE '  // (error|warning): ' "$file")
    while read -r line text; do
        [[ $expected == *" $line "* ]] || {
            say "$file:$line: $text"
            wrong=$((wrong + 1))
        }
    done <<<"$messages"
}

check Scripts/checks/CompilerMessages.swift
check Scripts/checks/CompilerMessagesOnMainActor.swift -default-isolation MainActor
[ "$wrong" -eq 0 ] || fail "$wrong messages differ from what the files say"
