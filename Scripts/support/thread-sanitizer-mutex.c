// Reports the slow path of Synchronization.Mutex on Linux to Thread Sanitizer. That path is in
// libswiftSynchronization.so, which is not instrumented, and hands the lock over inside the kernel: without this file,
// the sanitizer takes everything that the mutex protects for a race. sanitizer_flags of common.sh links it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define MUTEX __attribute__((swift_context)) void *mutex

// Weak, because tools that are linked without the sanitizer get this file too.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void (*LockSlow)(uint32_t thread, MUTEX);
typedef SWIFT void (*UnlockSlow)(MUTEX);

SWIFT void lock_slow(uint32_t thread, MUTEX) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(MUTEX) __asm__(UNLOCK_SLOW);

// The library's own function, looked up once.
static void *original(void **slot, const char *name) {
    void *function = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        __atomic_store_n(slot, function, __ATOMIC_RELAXED);
    }
    return function;
}

SWIFT void lock_slow(uint32_t thread, MUTEX) {
    static void *slot;
    ((LockSlow)original(&slot, LOCK_SLOW))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock_slow(MUTEX) {
    static void *slot;
    if (__tsan_release) __tsan_release(mutex);
    ((UnlockSlow)original(&slot, UNLOCK_SLOW))(mutex);
}
