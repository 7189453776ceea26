# shellcheck shell=bash disable=SC2154 # from common.sh
# Programs built by the steps of README.md and Docs/ print what the pages say.
#
#   Scripts/check.sh walks [PAGE…]
#
#   README          the first request in ten lines, and its longer form
#   GettingStarted  the program of all of its steps
#   Testing         a package and its tests
#   AccessSafe      the client with tokens, against a server on this machine
#
# The files that a page lists are put into an empty folder, built and run. A page's path, Docs/Testing.md, is accepted
# as well.
choose_pages "README.md Docs/GettingStarted.md Docs/Testing.md Docs/AccessSafe.md" "$@"
needs python3

# in_page COMMAND…: runs the command for $package, and puts its output into $output. The scratch path is that of the
# examples, so that the library is compiled once for all of them.
in_page() {
    output=$("$@" --package-path "$package" --scratch-path "$work/examples" 2>&1 </dev/null) ||
        fail "the package of $file doesn't build or fails:
$output"
}

# prints NAME: builds and runs the program; it has to print all lines of standard input.
prints() {
    local line bin expected=()
    while IFS= read -r line; do expected+=("$line"); done
    in_page swift build
    bin=$(swift build --package-path "$package" --scratch-path "$work/examples" --show-bin-path)
    output=$(timeout 60 "$bin/$1" 2>&1 </dev/null) || fail "the program of $file fails:
$output"
    for line in "${expected[@]}"; do
        grep -qxF -- "$line" <<<"$output" || fail "the program of $file doesn't print '$line':
$output"
    done
}

for file in "${pages[@]}"; do
    page=$(basename "$file" .md)
    package=$work/walks/$page
    rm -rf "$package"
    python3 "$root/Scripts/support/walks.py" "$root/$file" "$package" "$root"
    case $page in
    README)
        prints FirstRequest <<'LINES'
Ada
LINES
        [ "$(grep -cx Ada <<<"$output")" -eq 2 ] || fail "the two requests of $file don't both print the name:
$output"
        ;;
    GettingStarted)
        prints UsersTool <<'LINES'
User(id: 1, name: "Ada", isAdmin: true)
["Ada", "Grace"]
created Grace
2 users
404: There is no user 99.
signed in: t-2
the server read 4 parts
100 %
12000000 bytes
canceled
canceled, on the main queue
<<<===LoggerNode===>>>
LINES
        ;;
    Testing)
        in_page swift test --disable-xctest
        tests=$(cat "$package"/Tests/MyAppTests/*.swift | grep -c '^@Test')
        grep -qE "Test run with $tests tests? .* passed" <<<"$output" || fail "not all $tests tests of $file ran:
$output"
        ;;
    AccessSafe)
        # One refresh, and the rejected request once more.
        prints SessionTool <<'LINES'
kept t-2
User(id: 1)
3 requests
seen /users/1 Bearer t-1
seen /token grant_type=refresh_token&refresh_token=r-1
seen /users/1 Bearer t-2
LINES
        ;;
    esac
    say "$page: its package builds, and prints what the page says"
done
