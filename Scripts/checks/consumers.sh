# shellcheck shell=bash disable=SC2154 # from common.sh
# Packages that depend on this one build and run.
#
#   Scripts/check.sh consumers
#
# - OneProduct: a program for each product, that depends on it alone. On Linux only UrlTransport and NetChainKit link
#   libcurl and what decompresses; so does UrlSessionTransport, by FoundationNetworking.
# - WithSwiftLog: UrlTransport and swift-log, with the module alias that the README shows.
# - Application: an application on the main actor by default, and one with targets named Models and Logging.
# - Pages: the code of README and GettingStarted on the main actor by default, with nonisolated models.
no_arguments "$@"
needs python3
# shellcheck source=Scripts/support/symbols.sh
source "$root/Scripts/support/symbols.sh"

consumers=$root/Scripts/checks/Consumers

# run FOLDER EXECUTABLE: builds the package and runs it. The consumers of one folder share a scratch path, so that the
# library is compiled once. It has no tests, which need the compiler's index: without that a build takes a quarter less.
run() {
    local scratch=$work/consumers/$1
    swift build "${planned_anew[@]}" --disable-index-store --package-path "$consumers/$1" --scratch-path "$scratch" && "$scratch/debug/$2"
}

# run_alone PRODUCT
run_alone() {
    local program=$work/examples/debug/$1Alone
    "$program" || return 1
    [[ "$(uname -s) $1" == Linux* ]] || return 0
    case $1 in UrlTransport | NetChainKit | UrlSessionTransport) return 0 ;; esac
    ! ldd "$program" | grep -E 'libcurl|libbrotli|libzstd' || { echo "these libraries must not be linked" && return 1; }
}

# The scratch path of the examples, so that the library is compiled once for both.
build_and_run "One product a program" swift build "${planned_anew[@]}" --package-path "$consumers/OneProduct" \
    --scratch-path "$work/examples"
products=$(library_modules)
for product in $products; do
    build_and_run "$product alone" run_alone "$product"
done
build_and_run "UrlTransport with swift-log" run WithSwiftLog WithSwiftLog
build_and_run "An application on the main actor" run Application MainActorDefault
build_and_run "An application with Models and Logging of its own" run Application OwnModules

pages_on_main_actor() {
    local package=$work/consumers/Pages
    python3 Scripts/checks/samples.py --main-actor "$package" README.md Docs/GettingStarted.md &&
        swift build "${planned_anew[@]}" --package-path "$package" --scratch-path "$work/examples"
}
build_and_run "README and GettingStarted on the main actor" pages_on_main_actor

[ "$failures" -eq 0 ] || fail "$failures consumers failed"
