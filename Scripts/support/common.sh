# shellcheck shell=bash
# Functions that the scripts of this folder share; sourced, never run.

# How messages name the script.
caller=$(basename "$0")
# The root of the repository, whatever the current folder is.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# The scripts' own build folders, the servers' venv and logs; git ignores it. A second system that shares the checkout
# sets NETCHAIN_WORK to another folder.
# shellcheck disable=SC2034 # read by the scripts that source this file
work=${NETCHAIN_WORK:-$root/.build-test}
# The build that every check starts from, in $work/strict: warnings are errors.
# shellcheck disable=SC2034 # the same
strict=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)
# Keeps Python's compiled modules out of Scripts.
export PYTHONDONTWRITEBYTECODE=1

# show_help [FILE]: prints the comment that opens the calling script, or FILE.
show_help() {
    awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "${1:-$0}"
}

# Progress and errors go to standard error, results to standard output.
say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "$caller: $*"
    exit 1
}

# needs NEED…: exits with status 77, which Scripts/test.sh counts as skipped, when one is missing: Linux, or a program.
needs() {
    local need
    for need in "$@"; do
        if [ "$need" = Linux ]; then [ "$(uname -s)" = Linux ]; else command -v "$need" >/dev/null; fi || {
            say "$caller needs $need"
            exit 77
        }
    done
}

# build_and_run TITLE COMMAND…: runs the command, prints its output only when it fails, and counts that in `failures`.
failures=0
build_and_run() {
    local title=$1 output
    shift
    if output=$("$@" 2>&1); then
        say "$title: builds and runs"
    else
        say "$title: FAILED
$output"
        failures=$((failures + 1))
    fi
}

# build_program NAME OPTION…: builds with `swift build OPTION…`, and prints the program's path.
build_program() {
    local name=$1 output
    shift
    output=$(swift build "$@" 2>&1 </dev/null) || fail "the build failed:
$output"
    printf '%s/%s\n' "$(swift build "$@" --show-bin-path </dev/null)" "$name"
}

# make_venv FOLDER REQUIREMENTS: a Python venv with these packages and gunicorn among them, kept until they change.
make_venv() {
    if cmp -s "$2" "$1/requirements.txt" && "$1/bin/python" -c 'import gunicorn' 2>/dev/null; then return 0; fi
    rm -rf "$1"
    mkdir -p "$work"
    python3 -m venv "$1" && "$1/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2" &&
        cp "$2" "$1/requirements.txt"
}

# For a scratch path that several packages share: without it SwiftPM may build what the package before it listed.
planned_anew=(--disable-build-manifest-caching)

# children_of PID: the processes that it has started. A minimal system has no pgrep, and macOS no /proc.
children_of() {
    if [ -e /proc/self/task ]; then cat "/proc/$1"/task/*/children 2>/dev/null; else pgrep -P "$1"; fi || true
}

# sanitizer_flags NAME SCRATCH: puts into `sanitizing` what `swift build` needs for 'thread' or 'address'.
sanitizer_flags() {
    sanitizing=("--sanitize=$1")
    if [ "$1" = thread ] && [ "$(uname -s)" = Linux ]; then
        # The sanitizer doesn't see the slow path of Swift's Mutex; this object reports it.
        needs clang
        mkdir -p "$2"
        clang -O1 -c "$root/Scripts/support/thread-sanitizer-mutex.c" -o "$2/mutex.o"
        sanitizing+=(-Xlinker "$2/mutex.o")
    fi
}

# sanitizer_options NAME: exports the environment of programs built with these flags.
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
    # Swift's own crash report can deadlock with the sanitizer's.
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
