# shellcheck shell=bash disable=SC2154 # from common.sh
# The sender's tests pass with the run-time checks of exclusivity that it leaves out. Linux.
#
#   Scripts/check.sh exclusivity
#
# Builds the tests of UrlTransport from a copy of the package without its `@exclusivity(unchecked)`, and runs them.
# EventLoopThread says why the checks are left out. Takes minutes, so Scripts/test.sh leaves it out.
no_arguments "$@"
needs Linux

copy=$work/exclusivity
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
grep -rlZ '@exclusivity(unchecked) ' "$copy/Modules/UrlTransport" | xargs -0 sed -i 's/@exclusivity(unchecked) //'
swift test --package-path "$copy" --scratch-path "$work/exclusivity-build" --disable-xctest --filter '^UrlTransportTests\.'
