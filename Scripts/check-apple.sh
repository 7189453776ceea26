#!/usr/bin/env bash
# Type-checks, on Linux, the branches for Combine and for the system's log, which no Linux build
# compiles, against the stubs of Scripts/AppleStubs.
#
#   Scripts/check-apple.sh
#
# It finds what is no Swift, or does not fit the package's own types; whether the stubs are like
# Apple's modules only a Mac can tell. Needs the strict build of Scripts/test.sh, and makes it where it
# is missing.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"
[ "$(uname -s)" = Linux ] || { say "A Mac has the modules themselves: nothing to check here" && exit 0; }

stubs=$work/apple-stubs
built=$work/strict/debug/Modules
mkdir -p "$stubs"
output=$(swift build --package-path "$root" "${strict[@]}" --scratch-path "$work/strict" --target Logging 2>&1) ||
    fail "the build failed:
$output"
for module in Combine os; do
    swiftc -parse-as-library -emit-module -module-name "$module" -swift-version 6 \
        "$root/Scripts/AppleStubs/$module.swift" -o "$stubs/$module.swiftmodule"
done

# type_check MODULE STUB: the module's sources beside the stub.
type_check() {
    local module=$1 stub=$2 sources identity
    # SwiftPM's name for the package, to which `package` declarations belong: the folder's.
    identity=$(basename "$root" | tr '[:upper:]' '[:lower:]' | tr -c 'a-z0-9_\n' _)
    mapfile -t sources < <(find "$root/Modules/$module" -name '*.swift' | sort)
    # Without the stub the branch would be left out, and nothing checked.
    printf '#if !canImport(%s)\n#error("the stub was not found")\n#endif\n' "$stub" >"$stubs/Probe.swift"
    swiftc -typecheck -warnings-as-errors -swift-version 6 -enable-upcoming-feature ExistentialAny \
        -enable-upcoming-feature MemberImportVisibility -package-name "$identity" -module-name "$module" \
        -I "$stubs" -I "$built" "${sources[@]}" "$stubs/Probe.swift" || fail "$module does not fit the stub of $stub"
    say "$module: its branch for $stub fits the stub"
}
type_check NodeCore Combine
type_check Logging os
