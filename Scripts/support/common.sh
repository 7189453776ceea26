# shellcheck shell=bash
# Functions that the scripts of this folder share; sourced, never run.

# The root of the repository, wherever the caller stands.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# What the scripts make for themselves (git ignores it): build folders, the servers' venv, logs. Another system on the same
# checkout has a folder of its own.
# shellcheck disable=SC2034 # read by the scripts that source this file
work=${NETCHAIN_WORK:-$root/.build-test}
# The build that every check starts from, in $work/strict: warnings are errors.
# shellcheck disable=SC2034 # the same
strict=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)
# Python's compiled modules would lie about in Scripts/support.
export PYTHONDONTWRITEBYTECODE=1

# Prints the comment that opens the calling script: its help.
show_help() {
    awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
}

# Progress and complaints go to standard error, results to standard output.
say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "$(basename "$0"): $*"
    exit 1
}

# build_program NAME OPTION…: builds with `swift build OPTION…`, and prints where the program is.
build_program() {
    local name=$1 output
    shift
    output=$(swift build "$@" 2>&1 </dev/null) || fail "the build failed:
$output"
    printf '%s/%s\n' "$(swift build "$@" --show-bin-path </dev/null)" "$name"
}

# children_of PID: the processes that it has started. A slim system has no pgrep, and macOS no /proc.
children_of() {
    local file line parent
    if [ ! -r /proc/self/stat ]; then
        pgrep -P "$1" || true
        return 0
    fi
    for file in /proc/[0-9]*/stat; do
        # "PID (name) state parent …", where the name may hold anything; a process may be gone by now.
        { read -r line <"$file"; } 2>/dev/null || continue
        read -r _ parent _ <<<"${line##*) }"
        [ "$parent" != "$1" ] || printf '%s\n' "${line%% *}"
    done
}

# sanitizer_flags NAME SCRATCH: puts into `sanitizing` what `swift build` needs for 'thread' or 'address'.
sanitizer_flags() {
    sanitizing=("--sanitize=$1")
    if [ "$1" = thread ] && [ "$(uname -s)" = Linux ]; then
        # The sanitizer doesn't see the slow path of Swift's Mutex; this object tells it.
        mkdir -p "$2"
        clang -O1 -c "$root/Scripts/thread-sanitizer-mutex.c" -o "$2/mutex.o"
        sanitizing+=(-Xlinker "$2/mutex.o")
    fi
}

# sanitizer_options NAME: exports how a program that is built so runs.
sanitizer_options() {
    local leaks=0
    case $1 in
    thread) export TSAN_OPTIONS="halt_on_error=0:exitcode=66:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}" ;;
    address)
        [ "$(uname -s)" != Linux ] || leaks=1
        export ASAN_OPTIONS="detect_leaks=$leaks${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
        export LSAN_OPTIONS="suppressions=$root/Scripts/support/leaks.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
        ;;
    esac
    # A crash: the sanitizer's report, without Swift's own, with which it can block itself.
    export SWIFT_BACKTRACE=enable=no
}

# `--help` for a script that takes no arguments.
no_arguments() {
    case ${1:-} in
    '') ;;
    --help | -h) show_help && exit 0 ;;
    *) fail "unknown argument '$1' (see --help)" ;;
    esac
}

needs_python() {
    command -v python3 >/dev/null || fail "python3 is needed; Scripts/install-dependencies.sh installs it"
}

# choose_pages "KNOWN…" ARGUMENT…: puts into `pages` the files (README.md, Docs/Chains.md) of the pages that are asked for
# by name or by path (Chains, Docs/Chains.md), all known ones without any.
choose_pages() {
    local every page names=() argument name
    read -ra every <<<"$1"
    shift
    for argument in "$@"; do
        case $argument in
        --help | -h) show_help && exit 0 ;;
        -*) fail "unknown argument '$argument' (see --help)" ;;
        esac
        name=${argument#"$root/"}
        name=${name#./}
        name=${name#Docs/}
        name=${name%.md}
        for page in "${every[@]}" ''; do
            [ "$page" != "$name" ] || break
        done
        [ -n "$page" ] || fail "there is no page '$argument' here; there are: ${every[*]}"
        names+=("$name")
    done
    [ ${#names[@]} -gt 0 ] || names=("${every[@]}")
    pages=()
    for name in "${names[@]}"; do
        case $name in
        README) pages+=(README.md) ;;
        *) pages+=("Docs/$name.md") ;;
        esac
    done
}
