# shellcheck shell=bash disable=SC2154 # from common.sh
# The packages of Docs/Examples build without warnings and run.
#
#   Scripts/check.sh examples [NAME…]
#
# A program runs with --demo, against its own server; a package of tests runs its tests. A warning about an example's
# own sources fails it. The scratch path is shared, so that the library is compiled once. The example with module
# aliases shares that of the check consumers.
names=("$@")
[ ${#names[@]} -gt 0 ] || for folder in "$root"/Docs/Examples/*/; do names+=("$(basename "$folder")"); done

# run NAME: builds and runs one example.
run() {
    local package=$root/Docs/Examples/$1 scratch=$work/examples output command=(build)
    if grep -q moduleAliases "$package/Package.swift"; then
        scratch=$work/consumers/WithSwiftLog command+=(--disable-index-store)
    fi
    [ -f "$package/README.md" ] || { echo "there is no Docs/Examples/$1/README.md" && return 1; }
    [ ! -d "$package/Tests" ] || command=(test --disable-xctest)
    output=$(swift "${command[@]}" "${planned_anew[@]}" --package-path "$package" --scratch-path "$scratch" 2>&1) || {
        printf '%s\n' "$output"
        return 1
    }
    if [ -d "$package/Tests" ]; then
        grep -E 'Test run with [1-9][0-9]* tests? .* passed' <<<"$output" || { echo "no test ran" && return 1; }
    else
        "$scratch/debug/$1" --demo || return 1
    fi
    ! grep -F "$package" <<<"$output" | grep -F 'warning: '
}

for name in "${names[@]}"; do
    [ -f "$root/Docs/Examples/$name/Package.swift" ] || fail "there is no example '$name'"
    build_and_run "$name" run "$name"
done
[ "$failures" -eq 0 ] || fail "$failures examples failed"
