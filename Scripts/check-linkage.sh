#!/usr/bin/env bash
# Checks what a release program that imports NetChainKit links on Linux (NetChainDemo is that program):
# no FoundationNetworking, no ICU, no Foundation but FoundationEssentials, and exactly one libcurl.
# Prints the libraries.
#
#   Scripts/check-linkage.sh
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"

[ "$(uname -s)" = Linux ] || { say "ldd is a matter of Linux: nothing to check here" && exit 0; }

program=$(build_program NetChainDemo --package-path "$root" -c release --product NetChainDemo)
libraries=$(ldd "$program" | awk '{ print $1 }' | sed 's|.*/||' | sort)
printf '%s\n' "$libraries"

failures=0
for unwanted in libFoundationNetworking.so lib_FoundationICU.so libFoundationInternationalization.so libFoundation.so; do
    if grep -qxF "$unwanted" <<<"$libraries"; then
        say "$unwanted must not be linked"
        failures=$((failures + 1))
    fi
done
if grep -E '^libicu' <<<"$libraries"; then
    say "ICU must not be linked"
    failures=$((failures + 1))
fi
curls=$(grep -cE '^libcurl[-.]' <<<"$libraries" || true)
if [ "$curls" -ne 1 ]; then
    say "one libcurl is expected, $curls are linked"
    failures=$((failures + 1))
fi
[ "$failures" -eq 0 ] || fail "$failures of the linkage rules are broken"
