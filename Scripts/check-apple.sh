#!/usr/bin/env bash
# Type-checks, on Linux, all modules as they are on Apple platforms, and the example that has branches for them
# too: a copy in which the conditions have the value that they have there, against the stubs of Scripts/AppleStubs for
# Darwin, Combine and os.
#
#   Scripts/check-apple.sh
#
# It finds what is no Swift, does not fit the package's own types, or uses what only Linux has; whether the stubs are
# like Apple's modules only a Mac can tell. Foundation is Linux's.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"
[ "$(uname -s)" = Linux ] || { say "A Mac has the modules themselves: nothing to check here" && exit 0; }

modules=$work/apple-stubs/modules
sources=$work/apple-stubs/sources
rm -rf "$work/apple-stubs"
mkdir -p "$modules"

# Linux's C library and FoundationNetworking are there for `canImport`, however they are called: only the text helps.
cp -R "$root/Modules" "$sources"
cp -R "$root/Docs/Examples/LineProtocol/Sources" "$sources/LineProtocol"
find "$sources" -name '*.swift' -exec \
    sed -i -E '/^ *#(if|elseif) /s/canImport\((Glibc|Musl|FoundationNetworking)\)|os\(Linux\)/false/g' {} +
# A condition of another kind would keep the value that it has on Linux, and its branch be left out.
conditions='canImport\((Darwin|Combine|os|FoundationEssentials)\)|\<(false|DEBUG)\>'
if grep -rnE '^ *#(if|elseif)' --include='*.swift' "$sources" | sed -E "s/$conditions//g" | grep -E '#(if|elseif)[^a-z].*[[:alnum:]]'; then
    fail "these conditions hold words that Scripts/check-apple.sh doesn't know"
fi

for stub in DarwinTypes Darwin Combine os; do
    swiftc -parse-as-library -emit-module -module-name "$stub" -swift-version 6 -I "$modules" \
        "$root/Scripts/AppleStubs/$stub.swift" -o "$modules/$stub.swiftmodule"
done
# Without a stub its branches would be left out, and nothing checked.
for stub in Darwin Combine os; do
    printf '#if !canImport(%s)\n#error("the stub %s was not found")\n#endif\n' "$stub" "$stub"
done >"$sources/Probe.swift"

# type_check MODULE [OPTION…]: the module's sources, and those of the probe.
type_check() {
    local module=$1 found files
    shift
    found=$(find "$sources/$module" -name '*.swift' | sort) || fail "there is no module $module"
    [ -n "$found" ] || fail "$module has no sources"
    mapfile -t files <<<"$found"
    swiftc -emit-module -whole-module-optimization -warnings-as-errors -swift-version 6 -parse-as-library \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
        -package-name netchainkit -module-name "$module" -I "$modules" "$@" "${files[@]}" "$sources/Probe.swift" \
        -o "$modules/$module.swiftmodule" || fail "$module doesn't fit the stubs"
}

# Each behind those that it imports, and each of Modules/ but libraries of C.
modules_in_order=(NodeCore Models Logging AccessSafe UrlTransport ResponseProcessing HttpArchive UrlSessionTransport NetChainKit
    NetChainTestKit NetChainDemo)
there=$(cd "$root/Modules" && for folder in */; do [ -e "$folder/module.modulemap" ] || echo "${folder%/}"; done)
difference=$(diff <(printf '%s\n' "${modules_in_order[@]}" | sort) <(sort <<<"$there")) ||
    fail "the modules here (<) are others than those of Modules/ (>):
$difference"
for module in "${modules_in_order[@]}" LineProtocol; do
    case $module in
    # Apple's Foundation has what is FoundationNetworking's here.
    UrlSessionTransport) type_check "$module" -Xfrontend -import-module -Xfrontend FoundationNetworking ;;
    *) type_check "$module" ;;
    esac
done
say "all modules, and LineProtocol of the examples, as on macOS, fit the stubs"
