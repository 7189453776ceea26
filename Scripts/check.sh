#!/usr/bin/env bash
# Runs one check of NetChainKit.
#
#   Scripts/check.sh NAME [ARGUMENT…]
#
# `Scripts/check.sh NAME --help` shows the check's arguments. Status 1: the check failed; 77: it was skipped, because this
# machine lacks what it needs. The names:
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

case ${1:-} in
'' | --help | -h)
    show_help
    for file in "$root"/Scripts/checks/*.sh; do
        printf '  %-15s  %s\n' "$(basename "$file" .sh)" "$(sed -n '2s/^# //p' "$file")"
    done
    [ $# -gt 0 ] && exit 0 || exit 2
    ;;
esac
body=$root/Scripts/checks/$1.sh
[[ $1 != */* && -f $body ]] || fail "there is no check '$1' (see --help)"
caller="$caller $1"
shift
case ${1:-} in
--help | -h) show_help "$body" && exit 0 ;;
esac
cd "$root"
# shellcheck source=/dev/null
source "$body"
