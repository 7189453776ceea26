# shellcheck shell=bash disable=SC2154 # from common.sh
# Log calls cost a chain without a logger less than 2 % of its instructions. Needs valgrind.
#
#   Scripts/check.sh log-cost
#
# valgrind's callgrind counts instructions, so that neither the load nor the clock of the machine matters. One pass is
# the default chain over ScriptedRequestSender, in release: a model to JSON to a request, a scripted response to JSON
# to a model. The cost of a call is the difference between two loops, one with and one without it. It is multiplied by
# the number of entries that a pass logs.
no_arguments "$@"
needs Linux valgrind

program=$(build_program LogCost --package-path "$root/Scripts/LogCost" --scratch-path "$work/log-cost" -c release)

# instructions MODE COUNT: the instructions of the whole process.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 >/dev/null |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# each MODE FEW MANY: the instructions of one round, without those of the start.
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
