# shellcheck shell=bash disable=SC2154 # from common.sh
# A program links no FoundationNetworking, no ICU and exactly one libcurl. Linux.
#
#   Scripts/check.sh linkage
#
# The program is NetChainDemo, as the tests have built it: a release program names the same libraries. Of Foundation it
# may link FoundationEssentials only. Prints the libraries.
no_arguments "$@"
needs Linux

program=$(build_program NetChainDemo "${strict[@]}" --scratch-path "$work/strict" --product NetChainDemo)
libraries=$(ldd "$program" | awk '{ print $1 }' | sed 's|.*/||' | sort)
printf '%s\n' "$libraries"
! grep -E '^(libFoundation(Networking|Internationalization)?\.so|lib_FoundationICU\.so|libicu)' <<<"$libraries" ||
    fail "these libraries must not be linked"
curls=$(grep -cE '^libcurl[-.]' <<<"$libraries" || true)
[ "$curls" -eq 1 ] || fail "one libcurl is expected, $curls are linked"
