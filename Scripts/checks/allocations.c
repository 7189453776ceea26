// Counts allocations of a program that it is preloaded into (LD_PRELOAD), and prints two numbers to standard error when
// the program ends: those of libcurl itself, and all others. Linux with glibc.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// glibc's own, under names that nothing has replaced.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *place, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *place);

static atomic_long libcurls, others;

void *malloc(size_t size) {
    others++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    others++;
    return __libc_calloc(count, size);
}

void *realloc(void *place, size_t size) {
    others++;
    return __libc_realloc(place, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    others++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size) {
    others++;
    *place = __libc_memalign(alignment, size);
    return *place ? 0 : 12;
}

static void *curl_malloc(size_t size) {
    libcurls++;
    return __libc_malloc(size);
}

static void *curl_calloc(size_t count, size_t size) {
    libcurls++;
    return __libc_calloc(count, size);
}

static void *curl_realloc(void *place, size_t size) {
    libcurls++;
    return __libc_realloc(place, size);
}

static char *curl_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = curl_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

// libcurl takes its memory from where it is told to at its set-up.
int curl_global_init(long flags) {
    int (*with_memory)(long, void *(*)(size_t), void (*)(void *), void *(*)(void *, size_t), char *(*)(const char *),
                       void *(*)(size_t, size_t)) = dlsym(RTLD_NEXT, "curl_global_init_mem");
    return with_memory(flags, curl_malloc, __libc_free, curl_realloc, curl_strdup, curl_calloc);
}

__attribute__((destructor)) static void show(void) {
    fprintf(stderr, "%ld %ld\n", (long)libcurls, (long)others);
}
