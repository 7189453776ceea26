internal import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Work whose time must grow with its size, and not with the square of it.
package struct Growth: Sendable, CustomTestStringConvertible {
    private let name: String
    private let size: Int
    private let prepare: @Sendable (Int) throws -> () throws -> Void

    /// - Parameter prepare: makes the work of a size; not measured.
    package init(_ name: String, _ size: Int = 1_000, _ prepare: @escaping @Sendable (Int) throws -> () throws -> Void)
    {
        self.name = name
        self.size = size
        self.prepare = prepare
    }

    package var testDescription: String { name }

    /// What eight times the size may take at most: linear is 8, quadratic 64.
    private static let most = 32.0

    /// Takes the best of several runs, in this thread's time on a processor, so that other processes matter little.
    package func check() throws {
        var small = Double.infinity
        var large = Double.infinity
        for _ in 0..<40 {
            small = min(small, try Self.time(try prepare(size)))
            large = min(large, try Self.time(try prepare(8 * size)))
            if large < Self.most * small { return }
        }
        Issue.record("\(name): \(size) took \(small) s, eight times as many \(large) s")
    }

    private static func time(_ work: () throws -> Void) throws -> Double {
        let start = now()
        try work()
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// What the cases measure is used, so that it isn't left out.
package func use<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
