#!/usr/bin/env bash
# Checks the package from outside, as packages that depend on it.
#
#   Scripts/check-consumers.sh
#
# - For every product: a package that depends on that product alone builds and runs
#   (Scripts/Consumers/OneProduct, the sources are in the folder named after the product).
# - A package that depends on NetChainKit and on swift-log builds and runs, with the module alias
#   that the README shows (Scripts/Consumers/WithSwiftLog).
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
check "NetChainKit with swift-log" WithSwiftLog WithSwiftLog

[ "$failures" -eq 0 ] || fail "$failures consumers failed"
