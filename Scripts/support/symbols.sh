# shellcheck shell=bash
# The symbol graphs of the modules, for docs.sh and check-api.sh; sourced after common.sh.
# shellcheck disable=SC2154 # from common.sh

# The library modules that users import, in the order of the manifest.
library_modules() {
    swift package --package-path "$root" describe --type json |
        awk -F '"' '/^  "products"/ { on = 1 } /^  \]/ { on = 0 }
            on && $2 == "name" { name = $4 } on && $2 == "library" { print name }'
}

# symbol_graphs FOLDER MODULES [FLAG…]: builds the package (in the folder of the strict build, which
# Scripts/test.sh has filled already) and writes FOLDER/MODULE/*.symbols.json for each module: what is
# public of it. The flags are swift-symbolgraph-extract's.
symbol_graphs() {
    local folder=$1 modules=$2 output products target module
    shift 2
    output=$(swift build --package-path "$root" "${strict[@]}" --scratch-path "$work/strict" 2>&1) ||
        fail "the build failed:
$output"
    products=$(swift build --package-path "$root" "${strict[@]}" --scratch-path "$work/strict" --show-bin-path)
    target=$(swift -print-target-info | sed -n 's/^ *"unversionedTriple": "\(.*\)",$/\1/p')
    if [ "$(uname -s)" = Darwin ]; then
        target=${target}15.0
        set -- -sdk "$(xcrun --show-sdk-path)" "$@"
    fi
    rm -rf "$folder"
    for module in $modules; do
        # What no program of the package uses on this system is not part of its build.
        [ -e "$products/Modules/$module.swiftmodule" ] ||
            output=$(swift build --package-path "$root" "${strict[@]}" --scratch-path "$work/strict" --target "$module" 2>&1) ||
            fail "the build of $module failed:
$output"
        mkdir -p "$folder/$module"
        $extract -module-name "$module" -I "$products/Modules" -target "$target" -swift-version 6 \
            -Xcc "-fmodule-map-file=$root/Modules/CNetChainCurl/module.modulemap" \
            -Xcc "-fmodule-map-file=$root/Modules/CNetChainCompression/module.modulemap" -minimum-access-level public \
            -skip-synthesized-members -skip-inherited-docs -output-dir "$folder/$module" "$@" ||
            fail "no symbol graph of $module"
    done
}

# Apple's toolchains are found by xcrun, Linux's lie in PATH.
extract=swift-symbolgraph-extract
# shellcheck disable=SC2034 # for docs.sh
docc=docc
if [ "$(uname -s)" = Darwin ]; then
    extract="xcrun swift-symbolgraph-extract"
    # shellcheck disable=SC2034
    docc="xcrun docc"
fi
