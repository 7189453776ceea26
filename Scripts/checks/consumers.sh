# shellcheck shell=bash disable=SC2154 # from common.sh
# Packages that depend on this one build and run.
#
#   Scripts/check.sh consumers
#
# - OneProduct: a program for each product, that depends on it alone. Its source is in the folder named after the
#   product. On Linux only UrlTransport and NetChainKit link libcurl and what decompresses; so does
#   UrlSessionTransport, by FoundationNetworking.
# - WithSwiftLog: packages that depend on NetChainKit or UrlTransport and on swift-log, with the module alias that the
#   README shows.
# - Application: an application whose code is on the main actor by default, and one with targets of its own that are
#   named Models and Logging.
# - Pages: the code of README and GettingStarted in targets that default to the main actor, with nonisolated models. The
#   check samples compiles it without the default.
# - FromGit: a package that depends on a tagged release in a git repository, by URL, built in release; on Linux with
#   Swift's libraries linked statically. The repository has the files that git tracks here, as they are in the working
#   folder. Prints the program's size.
no_arguments "$@"
needs python3
# shellcheck source=Scripts/support/symbols.sh
source "$root/Scripts/support/symbols.sh"

consumers=$root/Scripts/checks/Consumers

# run FOLDER EXECUTABLE: builds the package and runs it. The consumers of one folder share a scratch path, so that the
# library is compiled once.
run() {
    local scratch=$work/consumers/$1
    swift build --package-path "$consumers/$1" --scratch-path "$scratch" && "$scratch/debug/$2"
}

# run_alone PRODUCT
run_alone() {
    local program=$work/consumers/OneProduct/debug/$1Alone
    "$program" || return 1
    [[ "$(uname -s) $1" == Linux* ]] || return 0
    case $1 in UrlTransport | NetChainKit | UrlSessionTransport) return 0 ;; esac
    ! ldd "$program" | grep -E 'libcurl|libbrotli|libzstd' || { echo "these libraries must not be linked" && return 1; }
}

build_and_run "One product a program" swift build --package-path "$consumers/OneProduct" \
    --scratch-path "$work/consumers/OneProduct"
products=$(library_modules)
for product in $products; do
    build_and_run "$product alone" run_alone "$product"
done
for product in NetChainKit UrlTransport; do
    NETCHAIN_PRODUCT=$product build_and_run "$product with swift-log" run WithSwiftLog WithSwiftLog
done
build_and_run "An application on the main actor" run Application MainActorDefault
build_and_run "An application with Models and Logging of its own" run Application OwnModules

pages_on_main_actor() {
    local package=$work/consumers/Pages
    python3 Scripts/checks/samples.py --main-actor "$package" README.md Docs/GettingStarted.md &&
        swift build --package-path "$package" --scratch-path "$work/samples/.build"
}
build_and_run "README and GettingStarted on the main actor" pages_on_main_actor

# make_repository FOLDER: a git repository with the tag 0.1.0.
make_repository() {
    rm -rf "$1"
    mkdir -p "$1"
    # A checkout may belong to another user, as in CI's containers.
    git -c safe.directory="$root" -C "$root" ls-files -z | (cd "$root" && tar --null -T - -cf -) | tar -xf - -C "$1"
    git -C "$1" init -q
    git -C "$1" add -A
    git -C "$1" -c user.name=check -c user.email=check@localhost -c commit.gpgsign=false commit -qm 0.1.0
    git -C "$1" -c tag.gpgsign=false tag 0.1.0
}

folder=$work/consumers/FromGit
program=$folder/build/release/FromGit
linkage=()
[ "$(uname -s)" != Linux ] || linkage=(--static-swift-stdlib)
run_release() {
    # A copy, because SwiftPM writes Package.resolved beside the manifest. Its caches have the last release, which had
    # the same tag.
    rm -rf "$folder/package" "$folder/cache" "$folder/security" "$folder/build"
    mkdir -p "$folder"
    cp -R "$consumers/FromGit" "$folder/package"
    make_repository "$folder/NetChainKit" || return 1
    NETCHAIN_URL=file://$folder/NetChainKit swift build -c release --package-path "$folder/package" \
        --scratch-path "$folder/build" --cache-path "$folder/cache" --security-path "$folder/security" \
        ${linkage[@]+"${linkage[@]}"} || return 1
    "$program" || return 1
    [ ${#linkage[@]} -eq 0 ] || ! ldd "$program" | grep -E 'libswift|libFoundation|lib_Foundation' ||
        { echo "these libraries must be linked statically" && return 1; }
}
build_and_run "A release from git" run_release
[ ! -x "$program" ] || say "Its program has $(wc -c <"$program" | tr -d ' ') bytes"

[ "$failures" -eq 0 ] || fail "$failures consumers failed"
