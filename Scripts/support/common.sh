# shellcheck shell=bash
# Functions that the scripts of this folder share; sourced, never run.

# The root of the repository, wherever the caller stands.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# What the scripts make for themselves (git ignores it): build folders, the servers' venv, logs.
# shellcheck disable=SC2034 # read by the scripts that source this file
work=$root/.build-test
# The build that every check starts from, in $work/strict: warnings are errors.
# shellcheck disable=SC2034 # the same
strict=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)

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

# `--help` for a script that takes no arguments.
no_arguments() {
    case ${1:-} in
    '') ;;
    --help | -h) show_help && exit 0 ;;
    *) fail "unknown argument '$1' (see --help)" ;;
    esac
}
