// Makes the wall clock of a program that it is preloaded into (LD_PRELOAD) jump by up to twelve hours ahead and behind,
// each 50 ms, at random by the seed NETCHAIN_CLOCK_SEED; monotonic clocks stay as they are. Linux with glibc.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { HOURS = 12, INTERVAL = 50 };

static uint64_t seed, start;

// The kernel's own time, which nothing has replaced.
static int original(clockid_t clock, struct timespec *result) {
    return (int)syscall(SYS_clock_gettime, clock, result);
}

static uint64_t milliseconds(void) {
    struct timespec now = {0};
    original(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("NETCHAIN_CLOCK_SEED");
    seed = text ? strtoull(text, NULL, 10) : 0;
    start = milliseconds();
}

// The seconds by which the clock is wrong now: the same for the whole of an interval, so that no state is shared.
static time_t offset(void) {
    // SplitMix64.
    uint64_t value = seed + ((milliseconds() - start) / INTERVAL + 1) * 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    value ^= value >> 31;
    return (time_t)(value % (2 * HOURS * 3600 + 1)) - HOURS * 3600;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    int status = original(clock, result);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) result->tv_sec += offset();
    return status;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    *result = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
