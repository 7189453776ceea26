#!/usr/bin/env bash
# Builds the packages of Docs/Examples and runs each: a program with --demo, against a server of its
# own on this machine, a package of tests by its tests.
#
#   Scripts/check-examples.sh [NAME…]
#
# They share a scratch path, so that the library is compiled once; the one with module aliases shares that of
# check-consumers.sh. A warning about an example's own sources fails it.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
case ${1:-} in
--help | -h) show_help && exit 0 ;;
esac

names=("$@")
[ ${#names[@]} -gt 0 ] || for folder in "$root"/Docs/Examples/*/; do names+=("$(basename "$folder")"); done

# run NAME: builds and runs one example, and prints all that it has to say.
run() {
    local package=$root/Docs/Examples/$1 scratch=$work/examples output
    grep -q moduleAliases "$package/Package.swift" && scratch=$work/consumers/WithSwiftLog
    [ -f "$package/README.md" ] || { echo "there is no Docs/Examples/$1/README.md" && return 1; }
    if [ -d "$package/Tests" ]; then
        output=$(swift test --package-path "$package" --scratch-path "$scratch" --disable-xctest 2>&1) || {
            printf '%s\n' "$output"
            return 1
        }
        grep -E 'Test run with [1-9][0-9]* tests? .* passed' <<<"$output" || { echo "no test ran" && return 1; }
    else
        output=$(swift build --package-path "$package" --scratch-path "$scratch" 2>&1) || {
            printf '%s\n' "$output"
            return 1
        }
        "$scratch/debug/$1" --demo || return 1
    fi
    ! grep -F "$package" <<<"$output" | grep -F 'warning: '
}

failures=0
for name in "${names[@]}"; do
    [ -f "$root/Docs/Examples/$name/Package.swift" ] || fail "there is no example '$name'"
    if output=$(run "$name" 2>&1); then
        say "$name: builds and runs"
    else
        say "$name: FAILED"
        say "$output"
        failures=$((failures + 1))
    fi
done
[ "$failures" -eq 0 ] || fail "$failures examples failed"
