#!/usr/bin/env bash
# Checks the links between the pages: every relative link of a Markdown file of this repository leads
# to a file or folder that is there, and every anchor to a heading of that page.
#
#   Scripts/check-links.sh
#
# Links to other servers are not followed. Prints each dead link as file:line.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"
needs_python

cd "$root"
pages=(*.md)
found=$(find Docs Modules Scripts Tests .github -name '.build*' -prune -o -name '*.md' -print | sort)
while IFS= read -r page; do pages+=("$page"); done <<<"$found"
python3 Scripts/support/links.py "${pages[@]}"
