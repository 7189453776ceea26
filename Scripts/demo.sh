#!/usr/bin/env bash
# Shows NetChainKit at work: installs what is missing, builds NetChainDemo in release and runs it.
#
#   Scripts/demo.sh [arguments of NetChainDemo]
#
# Without arguments the demo talks to its own server on 127.0.0.1. `--base-url URL` sends its plain
# GET elsewhere. `Scripts/demo.sh -- --help` shows the demo's own help.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

case ${1:-} in
--help | -h) show_help && exit 0 ;;
--) shift ;;
esac

"$root/Scripts/install-dependencies.sh" --for demo
say "Building NetChainDemo (release)"
build=(swift build --package-path "$root" -c release --product NetChainDemo)
if [ -t 2 ]; then
    "${build[@]}" >&2 || fail "the build failed"
else
    output=$("${build[@]}" 2>&1) || fail "the build failed:
$output"
fi
"$(swift build --package-path "$root" -c release --show-bin-path)/NetChainDemo" "$@"
