#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The deliveries of a thread, and the run that it currently works for.
///
/// A listener that ends other work causes a delivery within a delivery. Up to a depth of 16 that is a call. A deeper
/// one is deferred until the outermost delivery of the thread has returned, so that a chain of any length needs a
/// constant stack.
///
/// Each thread has one object, which no other thread accesses.
@usableFromInline
final class ThreadDeliveries {
    private static let deepest = 16

    /// The mailbox of the run whose task executes a synchronous section on this thread. Tasks inherit the task-local
    /// run, but not this.
    private(set) var mailbox: Mailbox?
    private var depth = 0
    private var waiting: [any Delivery] = []

    /// The object of the current thread.
    @usableFromInline static var current: ThreadDeliveries {
        if let key, let pointer = pthread_getspecific(key) {
            return Unmanaged.fromOpaque(pointer).takeUnretainedValue()
        }
        let new = ThreadDeliveries()
        if let key {
            let reference = Unmanaged.passRetained(new)
            if pthread_setspecific(key, reference.toOpaque()) != 0 { reference.release() }
        }
        return new
    }

    /// nil when the system has no key left. Then each access creates a new object: deliveries of a run go through its
    /// mailbox, and deep ones are calls.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { pointer in
            let pointer: UnsafeMutableRawPointer? = pointer
            if let pointer { Unmanaged<ThreadDeliveries>.fromOpaque(pointer).release() }
        }
        return result == 0 ? key : nil
    }()

    /// Makes a delivery: now, or when the outermost one has returned.
    func make(_ delivery: any Delivery) {
        guard depth < Self.deepest else { return waiting.append(delivery) }
        depth += 1
        delivery.deliver()
        depth -= 1
        if depth == 0 { makeWaiting() }
    }

    /// Whether deliveries are nested so deeply that further work should run on another thread.
    @usableFromInline var isDeep: Bool {
        depth >= Self.deepest
    }

    /// Calls `body` one level deeper.
    @usableFromInline
    func deeper<Result>(_ body: () -> Result) -> Result {
        depth += 1
        defer {
            depth -= 1
            if depth == 0 { makeWaiting() }
        }
        return body()
    }

    /// Calls `body` for the run of `mailbox`, and makes all deliveries that it causes.
    func section<Result>(of mailbox: Mailbox?, _ body: () -> Result) -> Result {
        // An executor may run a task on a thread that is in the middle of another one's section.
        let outer = (self.mailbox, depth, waiting)
        (self.mailbox, depth, waiting) = (mailbox, 0, [])
        defer { (self.mailbox, depth, waiting) = outer }
        return body()
    }

    private func makeWaiting() {
        while !waiting.isEmpty {
            var batch: [any Delivery] = []
            swap(&batch, &waiting)
            for delivery in batch {
                depth += 1
                delivery.deliver()
                depth -= 1
            }
        }
    }
}
