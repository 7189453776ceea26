#if os(Linux)
import CNetChainCurl
import Glibc

/// Wakes the event loop's thread with an eventfd(2). Any thread may call ``signal()``.
final class WakeUp: Sendable {
    let descriptor: Int32

    /// Returns nil if the system has no descriptor for it.
    init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}
#endif
