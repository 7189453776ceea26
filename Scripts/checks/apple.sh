# shellcheck shell=bash disable=SC2154 # from common.sh
# The modules compile as on Apple platforms, against the stubs in Scripts/checks/AppleStubs. Linux.
#
#   Scripts/check.sh apple
#
# A copy of the modules, and of the example that has branches for Apple platforms, is type-checked. In the copy each
# `#if` has the value that it has there. The stubs are for Darwin, Combine, os, Security and CryptoKit; Foundation is Linux's.
# The check finds invalid Swift, types that don't fit the package's own, and uses of Linux's API. Only a Mac can show
# whether the stubs are like Apple's modules.
no_arguments "$@"
needs Linux

modules=$work/apple-stubs/modules
sources=$work/apple-stubs/sources
rm -rf "$work/apple-stubs"
mkdir -p "$modules"

# No flag hides Linux's C library and FoundationNetworking from `canImport`, so the text is replaced.
cp -R "$root/Modules" "$sources"
cp -R "$root/Docs/Examples/LineProtocol/Sources" "$sources/LineProtocol"
find "$sources" -name '*.swift' -exec \
    sed -i -E '/^ *#(if|elseif) /s/canImport\((Glibc|Musl|FoundationNetworking)\)|os\(Linux\)/false/g' {} +
# Any other condition would keep the value that it has on Linux.
conditions='canImport\((Darwin|Combine|os|FoundationEssentials)\)|compiler\(>=6\.2\)|\<(false|DEBUG)\>'
! grep -rnE '^ *#(if|elseif)' --include='*.swift' "$sources" | sed -E "s/$conditions//g" |
    grep -E '#(if|elseif)[^a-z].*[[:alnum:]]' || fail "Scripts/checks/apple.sh doesn't know these conditions"

for stub in DarwinTypes Darwin Combine os Security CryptoKit; do
    swiftc -parse-as-library -emit-module -module-name "$stub" -swift-version 6 -I "$modules" \
        "$root/Scripts/checks/AppleStubs/$stub.swift" -o "$modules/$stub.swiftmodule"
done
# Without its stub a branch would not be compiled.
for stub in Darwin Combine os Security CryptoKit; do
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

# All modules of Modules/ but libraries of C, each after those that it imports.
modules_in_order=(NodeCore Models Logging AccessSafe HttpMessages UrlTransport ResponseProcessing HttpArchive
    Resilience EventStreams HttpCaching UrlSessionTransport NetChainKit NetChainTestKit NetChainDemo)
there=$(cd "$root/Modules" && for folder in */; do [ -e "$folder/module.modulemap" ] || echo "${folder%/}"; done)
difference=$(diff <(printf '%s\n' "${modules_in_order[@]}" | sort) <(sort <<<"$there")) ||
    fail "the modules here (<) differ from those of Modules/ (>):
$difference"
for module in "${modules_in_order[@]}" LineProtocol; do
    case $module in
    # Apple's Foundation includes what FoundationNetworking has on Linux.
    UrlSessionTransport) type_check "$module" -Xfrontend -import-module -Xfrontend FoundationNetworking ;;
    *) type_check "$module" ;;
    esac
done
say "all modules, and LineProtocol of the examples, as on macOS, fit the stubs"
