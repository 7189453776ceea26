#if os(Linux)
import Glibc
import Testing

/// Thread Sanitizer allows a forked process no thread of its own.
let mayForkWithThreads = dlsym(nil, "__tsan_init") == nil

/// The status with which a forked process ends that does nothing but `body`.
func inForkedProcess(_ body: () -> Int32) throws -> Int32 {
    // Swift doesn't offer it.
    let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 {
        // What hangs is ended by the signal.
        alarm(30)
        _exit(body())
    }
    try #require(child > 0)
    var status: Int32 = 0
    try #require(waitpid(child, &status, 0) == child)
    return status
}
#endif
