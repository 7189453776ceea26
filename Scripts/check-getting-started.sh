#!/usr/bin/env bash
# Follows Docs/GettingStarted.md to the letter: puts its files into an empty folder, builds and runs the
# program, and looks for what the page says that it prints.
#
#   Scripts/check-getting-started.sh
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"
command -v python3 >/dev/null || fail "python3 is needed; Scripts/install-dependencies.sh installs it"

package=$work/getting-started
rm -rf "$package"
python3 "$root/Scripts/support/getting_started.py" "$root/Docs/GettingStarted.md" "$package" "$root"

# The scratch path of the examples, so that the library is compiled once for all of them.
build=(swift build --package-path "$package" --scratch-path "$work/examples")
output=$("${build[@]}" 2>&1) || fail "the program of Docs/GettingStarted.md doesn't compile:
$output"
output=$(timeout 60 "$("${build[@]}" --show-bin-path)/UsersTool" 2>&1) || fail "the program of Docs/GettingStarted.md fails:
$output"
while IFS= read -r line; do
    grep -qxF -- "$line" <<<"$output" || fail "the program of Docs/GettingStarted.md doesn't print '$line':
$output"
done <<'LINES'
User(id: 1, name: "Ada", isAdmin: true)
["Ada", "Grace"]
created Grace
2 users
404: There is no user 99.
signed in: t-2
the server read 4 parts
100 %
12000000 bytes
canceled
canceled, on the main queue
<<<===LoggerNode===>>>
LINES
say "the program of Docs/GettingStarted.md builds, and prints what the page says"
