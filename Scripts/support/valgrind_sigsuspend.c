// Preloaded under valgrind (3.19): it writes to the mask that sigsuspend(2) gets, and libdispatch's main thread gives one
// that is read-only. Not needed by a valgrind that copies the mask.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
