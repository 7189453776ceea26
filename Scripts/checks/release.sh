# shellcheck shell=bash disable=SC2154 # from common.sh
# A package that depends on a tagged release builds and runs.
#
#   Scripts/check.sh release
#
# By a git URL, in release; on Linux with Swift's libraries linked statically. The repository has the files that git tracks
# here, as they are in the working folder. Prints the program's size. Scripts/test.sh leaves it out: it takes two minutes.
no_arguments "$@"

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
    cp -R "$root/Scripts/checks/Consumers/FromGit" "$folder/package"
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
[ "$failures" -eq 0 ] || fail "the release failed"
