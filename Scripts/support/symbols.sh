# shellcheck shell=bash
# The modules and their symbol graphs, for docs.sh and the checks api and consumers; sourced after common.sh.
# shellcheck disable=SC2154 # from common.sh

# Prints the library modules that users import, in the order of the manifest.
library_modules() {
    swift package --package-path "$root" describe --type json |
        awk -F '"' '/^  "products"/ { on = 1 } /^  \]/ { on = 0 }
            on && $2 == "name" { name = $4 } on && $2 == "library" { print name }' |
        grep . || fail "'swift package describe' shows no library product"
}

# symbol_graphs FOLDER MODULES [FLAG…]: builds the package, in the folder of Scripts/test.sh's strict build, and writes
# the public symbols of each module to FOLDER/MODULE/*.symbols.json. The flags are swift-symbolgraph-extract's.
symbol_graphs() {
    local folder=$1 modules=$2 build output products target module
    shift 2
    build=(swift build --package-path "$root" "${strict[@]}" --scratch-path "$work/strict")
    output=$("${build[@]}" 2>&1) || fail "the build failed:
$output"
    products=$("${build[@]}" --show-bin-path)
    target=$(swift -print-target-info | sed -n 's/^ *"unversionedTriple": "\(.*\)",$/\1/p')
    rm -rf "$folder"
    for module in $modules; do
        # The build leaves out a module that no program of the package uses on this system.
        [ -e "$products/Modules/$module.swiftmodule" ] || output=$("${build[@]}" --target "$module" 2>&1) ||
            fail "the build of $module failed:
$output"
        mkdir -p "$folder/$module"
        swift-symbolgraph-extract -module-name "$module" -I "$products/Modules" -target "$target" -swift-version 6 \
            -Xcc "-fmodule-map-file=$root/Modules/CNetChainCurl/module.modulemap" \
            -Xcc "-fmodule-map-file=$root/Modules/CNetChainCompression/module.modulemap" -minimum-access-level public \
            -skip-synthesized-members -skip-inherited-docs -output-dir "$folder/$module" "$@" ||
            fail "no symbol graph of $module"
    done
}
