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

# `--help` for a script that takes no arguments.
no_arguments() {
    case ${1:-} in
    '') ;;
    --help | -h) show_help && exit 0 ;;
    *) fail "unknown argument '$1' (see --help)" ;;
    esac
}
