#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A running thread that can be joined once.
struct LoopThread: @unchecked Sendable {  // the handle is a number, or a pointer that only pthread functions use
    private let handle: pthread_t

    private final class Body {
        let run: () -> Void

        init(run: @escaping () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread that runs `body`, which it owns from here on.
    init(_ body: sending @escaping () -> Void) throws(LoopbackError) {
        let argument = Unmanaged.passRetained(Body(run: body))
        #if canImport(Darwin)
        var handle: pthread_t?
        let failure = pthread_create(&handle, nil, { LoopThread.main($0) }, argument.toOpaque())
        guard failure == 0, let handle else {
            argument.release()
            throw LoopbackError(.cannotStart, "the test server cannot start: pthread_create: error \(failure)")
        }
        self.handle = handle
        #else
        var handle = pthread_t()
        let failure = pthread_create(&handle, nil, { $0.flatMap { LoopThread.main($0) } }, argument.toOpaque())
        guard failure == 0 else {
            argument.release()
            throw LoopbackError(.cannotStart, "the test server cannot start: pthread_create: error \(failure)")
        }
        self.handle = handle
        #endif
    }

    /// Joins the thread. On the thread itself, detaches it instead.
    func join() {
        if pthread_equal(pthread_self(), handle) != 0 {
            pthread_detach(handle)
        } else {
            pthread_join(handle, nil)
        }
    }

    private static func main(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
}
