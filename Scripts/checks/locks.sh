# shellcheck shell=bash disable=SC2154 # from common.sh
# No object of an application is released while the library holds a lock.
#
#   Scripts/check.sh locks
#
# Its deinitializer may use the same part of the library, and a `Mutex` can't be locked twice: the program would end.
#
# - In Modules/ a closure of `withLock` takes nothing out of its value, and no result of it is discarded, in part or
#   whole: an optimized build may release such a result before it unlocks. `Mutex.taking(_:)` is for both.
# - The program Reentrance, built for release, has the library release such objects.
no_arguments "$@"
needs python3

python3 Scripts/checks/locks.py || fail "use Mutex.taking(_:) there"
program=$(build_program Reentrance --product Reentrance -c release \
    --package-path "$root/Scripts/checks" --scratch-path "$work/check-programs")
# Swift's own crash report takes seconds.
export SWIFT_BACKTRACE=enable=no
for scenario in $("$program" list); do
    "$program" "$scenario" || failures="$failures $scenario"
done
[ "$failures" = 0 ] || fail "these ended with a failure:${failures#0}"
