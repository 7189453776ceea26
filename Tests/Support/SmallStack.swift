import Foundation

/// Calls `body` on a thread with a stack of 512 KiB, which secondary threads have on Apple platforms.
package func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
}
