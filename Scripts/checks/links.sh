# shellcheck shell=bash disable=SC2154 # from common.sh
# The relative links of the Markdown pages lead to existing files and headings.
#
#   Scripts/check.sh links
#
# Links to other servers are not followed. Prints each dead link as file:line.
no_arguments "$@"
needs python3

pages=(*.md)
found=$(find Docs Modules Scripts Tests .github -name '.build*' -prune -o -name '*.md' -print | sort)
while IFS= read -r page; do pages+=("$page"); done <<<"$found"
python3 Scripts/checks/links.py "${pages[@]}"
