#!/usr/bin/env bash
# Checks what the logging calls cost in a chain without a logger: below 2 % of one pass of the default
# chain, in instructions as valgrind's callgrind counts them, so that the load of the machine and its
# clock play no role.
#
#   Scripts/check-log-cost.sh
#
# One pass is the whole chain (a model out, JSON, a request, a scripted answer, JSON, a model in) over
# ScriptedRequestSender, in release. The cost of a call is the difference between two loops, one with
# and one without it; it is taken as often as a pass writes entries. Needs valgrind, which it does not
# install (Debian and Ubuntu: apt-get install valgrind). Linux.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"
command -v valgrind >/dev/null || fail "valgrind is missing (Debian and Ubuntu: apt-get install valgrind)"

program=$(build_program LogCost --package-path "$root/Scripts/LogCost" --scratch-path "$work/log-cost" -c release)

# instructions MODE COUNT: all that the program executes, its start included.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 >/dev/null |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# each MODE FEW MANY: instructions of one round, the program's start taken out.
each() {
    local few many
    few=$(instructions "$1" "$2")
    many=$(instructions "$1" "$3")
    if [ -z "$few" ] || [ -z "$many" ]; then fail "callgrind counted nothing"; fi
    echo $(((many - few) / ($3 - $2)))
}

pass=$(each passes 500 2500)
with=$(each calls 10000 60000)
without=$(each nothing 10000 60000)
calls=$("$program" count)
cost=$((calls * (with - without)))
printf '%s instructions a pass; %s log calls of %s instructions, together %s: ' \
    "$pass" "$calls" $((with - without)) "$cost"
awk -v cost="$cost" -v pass="$pass" 'BEGIN { printf "%.2f %%\n", 100 * cost / pass }'
[ $((cost * 100)) -lt $((pass * 2)) ] || fail "the logging calls cost 2 % or more"
