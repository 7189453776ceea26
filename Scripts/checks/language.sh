# shellcheck shell=bash disable=SC2154 # from common.sh
# The prose and the code have no phrase of a fixed list, and American spelling.
#
#   Scripts/check.sh language
#
# Searches README.md, CHANGELOG.md, CONTRIBUTING.md, SECURITY.md, and the .md and .swift files of Docs and Modules.
# The replacements: release; in progress; without progress; queue; immutable state; is called, reports; resumed;
# Boolean; recreated; completes; becomes idle; the actor's name.
no_arguments "$@"

wrong_phrases='[Ll]et(s|ting)? go\b|\bunder way\b|\bin vain\b|\b(stand|wait)(s|ed|ing)? in line\b|\blet only\b|\b(is|are|was|were) told\b|\bgone on with\b|\btruth value|\b(made|begins?) anew\b|\b(come|came|bring)s? to (its|their) end\b|\bcomes? free\b|\b[Ww]hoever\b|\bcancell(ed|ing)\b|\bbehaviour|\b[Cc]olour|\b[Ff]avour|\b[Hh]onour|\b[Rr]ecognis'
files=$(find README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md Docs Modules -name .build -prune -o -name '*.md' -print -o -name '*.swift' -print | sort)
found=$(tr '\n' '\0' <<<"$files" | xargs -0 grep -nE "$wrong_phrases" || [ $? -eq 123 ]) || fail "grep failed"
[ -z "$found" ] || fail "replace these phrases (see --help):
$found"
