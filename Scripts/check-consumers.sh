#!/usr/bin/env bash
# Checks the package from outside, as packages that depend on it.
#
#   Scripts/check-consumers.sh
#
# - For every product: a package that depends on that product alone builds and runs
#   (Scripts/Consumers/OneProduct, the sources are in the folder named after the product).
# - A package that depends on NetChainKit and on swift-log builds and runs, with the module alias
#   that the README shows; so does one that depends on UrlTransport alone and on swift-log
#   (Scripts/Consumers/WithSwiftLog).
# - An application whose code is on the main actor by default builds and runs, and
#   one with targets of its own that are named Models and Logging (Scripts/Consumers/Application).
# - A package that depends on a tagged release in a git repository, by URL, builds in release and runs
#   (Scripts/Consumers/FromGit); on Linux with Swift's libraries linked into it. Prints its size. The
#   repository is made of what git tracks here, as it is in the working folder.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
# shellcheck source=Scripts/support/symbols.sh
source "$root/Scripts/support/symbols.sh"
no_arguments "$@"

consumers=$root/Scripts/Consumers
failures=0

# check NAME FOLDER EXECUTABLE: builds the package and runs it; says more only when that fails. All the
# consumers of one folder share a scratch path, so that the library is compiled once.
check() {
    local name=$1 package=$consumers/$2 scratch=$work/consumers/$2 output
    if output=$(swift build --package-path "$package" --scratch-path "$scratch" 2>&1) &&
        output=$("$scratch/debug/$3" 2>&1); then
        say "$name: builds and runs"
    else
        say "$name: FAILED"
        say "$output"
        failures=$((failures + 1))
    fi
}

# Every library product of the manifest has a consumer, so that a new one is not forgotten.
products=$(library_modules)
[ -n "$products" ] || fail "'swift package describe' shows no library product"
for product in $products; do
    if [ -d "$consumers/OneProduct/$product" ]; then
        NETCHAIN_PRODUCT=$product check "$product alone" OneProduct OneProduct
    else
        say "$product alone: FAILED, there is no Scripts/Consumers/OneProduct/$product"
        failures=$((failures + 1))
    fi
done
for product in NetChainKit UrlTransport; do
    NETCHAIN_PRODUCT=$product check "$product with swift-log" WithSwiftLog WithSwiftLog
done
check "An application on the main actor" Application MainActorDefault
check "An application with Models and Logging of its own" Application OwnModules

# release URL-FOLDER: a git repository with the tag 0.1.0.
release() {
    rm -rf "$1"
    mkdir -p "$1"
    # A checkout may belong to another user, as in CI's containers.
    git -c safe.directory="$root" -C "$root" ls-files -z | (cd "$root" && tar --null -T - -cf -) | tar -xf - -C "$1"
    git -C "$1" init -q
    git -C "$1" add -A
    git -C "$1" -c user.name=check -c user.email=check@localhost -c commit.gpgsign=false commit -qm 0.1.0
    git -C "$1" -c tag.gpgsign=false tag 0.1.0
}

# check_release: prints the program's size.
check_release() {
    local folder=$work/consumers/FromGit output program linkage=()
    # A copy, because SwiftPM writes the version that it took beside the manifest. What it remembers of the last
    # release, which had the same tag, goes.
    rm -rf "$folder/package" "$folder/cache" "$folder/security" "$folder/build"
    mkdir -p "$folder"
    cp -R "$consumers/FromGit" "$folder/package"
    release "$folder/NetChainKit" || return 1
    [ "$(uname -s)" != Linux ] || linkage=(--static-swift-stdlib)
    local build=(swift build -c release --package-path "$folder/package" --scratch-path "$folder/build"
        --cache-path "$folder/cache" --security-path "$folder/security" ${linkage[@]+"${linkage[@]}"})
    export NETCHAIN_URL=file://$folder/NetChainKit
    output=$("${build[@]}" 2>&1) || { say "$output" && return 1; }
    program=$folder/build/release/FromGit
    output=$("$program" 2>&1) || { say "$output" && return 1; }
    if [ "$(uname -s)" = Linux ] && ldd "$program" | grep -E 'libswift|libFoundation|lib_Foundation'; then
        say "Swift's libraries should be inside the program"
        return 1
    fi
    say "A release from git: builds and runs; the program${linkage[*]+ (${linkage[*]})} has $(wc -c <"$program" | tr -d ' ') bytes"
}
check_release || {
    say "A release from git: FAILED"
    failures=$((failures + 1))
}

[ "$failures" -eq 0 ] || fail "$failures consumers failed"
