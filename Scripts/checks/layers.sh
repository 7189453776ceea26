# shellcheck shell=bash disable=SC2154 # from common.sh
# The imports in Modules/ are those of the module table in Docs/Architecture.md.
#
#   Scripts/check.sh layers
#
# Rules beside the table:
# - only Modules/UrlTransport/Curl/ imports CNetChainCurl, and only its folder Decoding/ imports
#   CNetChainCompression;
# - Foundation is imported in the #else of `#if canImport(FoundationEssentials)` only, because on Linux it links ICU;
#   UrlSessionTransport, which is built on Foundation, is the exception;
# - every folder of Modules/ is in the table;
# - `URL(string:` is called in Modules/Models/Url/ only, because it escapes escapes again; doc comments may show it.
# Prints each violation as file:line.
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
    HttpMessages) echo "$essentials NodeCore Models Logging" ;;
    UrlTransport) echo "$essentials NodeCore Models Logging HttpMessages CNetChainCurl CNetChainCompression" ;;
    ResponseProcessing | HttpArchive) echo "$essentials NodeCore Models Logging HttpMessages" ;;
    Resilience | EventStreams | HttpCaching) echo "$essentials NodeCore Models Logging HttpMessages ResponseProcessing" ;;
    AccessSafe) echo "$essentials NodeCore Logging" ;;
    UrlSessionTransport) echo "$essentials FoundationNetworking CryptoKit Security NodeCore HttpMessages" ;;
    NetChainKit)
        echo "$essentials NodeCore Logging Models HttpMessages UrlTransport ResponseProcessing AccessSafe HttpArchive" \
            Resilience EventStreams HttpCaching UrlSessionTransport
        ;;
    NetChainTestKit) echo "$essentials NodeCore Models HttpMessages" ;;
    NetChainDemo) echo "$essentials Models NetChainKit NetChainTestKit" ;;
    *) return 1 ;;
    esac
}

# imports FILE: "line module guarded" for each import; guarded is 1 in the #else of
# `#if canImport(FoundationEssentials)`.
imports() {
    awk '
        /^ *#if/ { depth++; essentials[depth] = /[^!]canImport\(FoundationEssentials\)/; other[depth] = 0 }
        /^ *#else/ { other[depth] = 1 }
        /^ *#endif/ { depth-- }
        /^ *(@[^ ]+ )*([a-z]+ )?import / {
            guarded = 0
            for (i = 1; i <= depth; i++) if (essentials[i] && other[i]) guarded = 1
            print FNR, $NF, guarded
        }
    ' "$1"
}

violations=0
violation() {
    printf '%s\n' "$*"
    violations=$((violations + 1))
}

count=0
for folder in Modules/*/; do
    module=$(basename "$folder")
    case $module in CNetChainCurl | CNetChainCompression) continue ;; esac
    allowed=$(allowed_imports "$module") || {
        violation "Modules/$module: not in the table of Scripts/checks/layers.sh"
        continue
    }
    while IFS= read -r file; do
        while read -r line name guarded; do
            count=$((count + 1))
            case " $allowed " in
            *" $name "*) ;;
            *) violation "$file:$line: $module must not import $name" ;;
            esac
            case $name:$guarded:$file in
            CNetChainCurl:?:Modules/UrlTransport/Curl/* | CNetChainCompression:?:Modules/UrlTransport/Curl/Decoding/*) ;;
            CNetChain*) violation "$file:$line: $name is imported only by its own folder (see --help)" ;;
            Foundation:0:Modules/UrlSessionTransport/*) ;;
            Foundation:0:*) violation "$file:$line: Foundation only in the #else of '#if canImport(FoundationEssentials)'" ;;
            esac
        done < <(imports "$file")
    done < <(find "$folder" -name '*.swift' | sort)
done

while IFS= read -r place; do
    violation "$place: foreign text becomes a URL by URL(parsing:)"
done < <(grep -rnE '^([^/]|/[^/])*(\<URL(\.init)?|\.init)\(string:' Modules --include='*.swift' | grep -v '^Modules/Models/Url/' | cut -d: -f1,2)

[ "$count" -gt 0 ] || fail "no import was found in Modules/"
[ "$violations" -eq 0 ] || fail "$violations of $count imports point the wrong way"
say "$count imports, all as the module table says"
