#!/usr/bin/env bash
# Checks that the arrows between the modules only point down: every import in Modules/ against the
# module table of Docs/Architecture.md.
#
#   Scripts/check-layers.sh
#
# Rules beside the table:
# - only Modules/UrlTransport/Curl/ imports CNetChainCurl, and only Modules/UrlTransport/Decoding/
#   CNetChainCompression;
# - Foundation is imported in the #else of `#if canImport(FoundationEssentials)` only (on Linux it
#   would bring ICU with it), but for UrlSessionTransport, which is built on Foundation;
# - every folder of Modules/ is in the table.
# Prints each breach as file:line and ends with status 1 when there are any.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"

# What any module may import of the system.
base='Swift Synchronization Dispatch Glibc Musl Android Darwin'
essentials="$base FoundationEssentials Foundation"

# allowed_imports MODULE: the module table.
allowed_imports() {
    case $1 in
    NodeCore) echo "$base Combine" ;;
    Logging) echo "$essentials os NodeCore" ;;
    Models) echo "$essentials NodeCore" ;;
    UrlTransport) echo "$essentials NodeCore Models Logging CNetChainCurl CNetChainCompression" ;;
    ResponseProcessing | HttpArchive) echo "$essentials NodeCore Models UrlTransport Logging" ;;
    AccessSafe) echo "$essentials NodeCore Logging" ;;
    UrlSessionTransport) echo "$essentials FoundationNetworking NodeCore UrlTransport" ;;
    NetChainKit)
        echo "$essentials NodeCore Logging Models UrlTransport ResponseProcessing AccessSafe HttpArchive UrlSessionTransport"
        ;;
    NetChainTestKit) echo "$essentials NodeCore Models UrlTransport" ;;
    NetChainDemo) echo "$essentials NetChainKit NetChainTestKit" ;;
    *) return 1 ;;
    esac
}

# imports FILE: "line module guarded" for each import; guarded is 1 in the #else (or #elseif) of
# `#if canImport(FoundationEssentials)`.
imports() {
    awk '
        /\/\*/ && !/\*\// { comment = 1 }
        /\*\// { comment = 0 }
        comment { next }
        /^[ \t]*#if/ { depth++; essentials[depth] = /canImport\(FoundationEssentials\)/ && !/!/; other[depth] = 0 }
        /^[ \t]*#else/ { other[depth] = 1 }
        /^[ \t]*#endif/ { depth-- }
        /^[ \t]*(@[A-Za-z_]+(\([^)]*\))?[ \t]+)*((public|package|internal|fileprivate|private)[ \t]+)?import[ \t]/ {
            line = $0
            sub(/\/\/.*/, "", line)
            sub(/^.*import[ \t]+/, "", line)
            sub(/^(struct|class|enum|protocol|typealias|func|let|var|actor)[ \t]+/, "", line)
            match(line, /^[A-Za-z_][A-Za-z0-9_]*/)
            guarded = 0
            for (i = 1; i <= depth; i++) if (essentials[i] && other[i]) guarded = 1
            print FNR, substr(line, 1, RLENGTH), guarded
        }
    ' "$1"
}

breaches=0
breach() {
    printf '%s\n' "$*"
    breaches=$((breaches + 1))
}

cd "$root"
count=0
for folder in Modules/*/; do
    module=$(basename "$folder")
    case $module in CNetChainCurl | CNetChainCompression) continue ;; esac
    allowed=$(allowed_imports "$module") || {
        breach "Modules/$module: not in the table of Scripts/check-layers.sh"
        continue
    }
    while IFS= read -r file; do
        while read -r line name guarded; do
            count=$((count + 1))
            case " $allowed " in
            *" $name "*) ;;
            *) breach "$file:$line: $module must not import $name" ;;
            esac
            case $name in
            CNetChainCurl)
                case $file in
                Modules/UrlTransport/Curl/*) ;;
                *) breach "$file:$line: only Modules/UrlTransport/Curl/ imports CNetChainCurl" ;;
                esac
                ;;
            CNetChainCompression)
                case $file in
                Modules/UrlTransport/Decoding/*) ;;
                *) breach "$file:$line: only Modules/UrlTransport/Decoding/ imports CNetChainCompression" ;;
                esac
                ;;
            Foundation)
                [ "$guarded" = 1 ] || [ "$module" = UrlSessionTransport ] ||
                    breach "$file:$line: Foundation only in the #else of '#if canImport(FoundationEssentials)'"
                ;;
            esac
        done < <(imports "$file")
    done < <(find "$folder" -name '*.swift' | sort)
done

[ "$count" -gt 0 ] || fail "no import was found in Modules/"
[ "$breaches" -eq 0 ] || fail "$breaches of $count imports point the wrong way"
say "$count imports, all as the module table says"
