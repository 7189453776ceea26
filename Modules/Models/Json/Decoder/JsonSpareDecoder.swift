import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Roots that wait for the next decodings, with the decoders below them and their containers: to make them costs a small
/// document as much as to read it.
///
/// One for each of a few threads: each model of an array is a decoding of its own (`RawDecodable`), and two threads would
/// take the only one from each other for each of them. Where it's gone a decoding makes its own.
enum JsonSpareDecoder {
    /// Room for one root, which is retained while it is here, and none for another on the same cache line.
    private struct Slot: ~Copyable {
        let root = Atomic<Unmanaged<JsonValueDecoder>?>(nil)
        private let others = (SIMD64<UInt8>(), SIMD64<UInt8>())
    }

    private static let bits = 3
    /// Unsafe only for the compiler: exchanged as a whole, a root is always just one thread's.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 1 << bits)
        for number in 0..<1 << bits { (slots + number).initialize(to: Slot()) }
        return slots
    }()

    /// The calling thread's, which other threads may have as well.
    private static var slot: UnsafeMutablePointer<Slot> {
        let thread = withUnsafeBytes(of: pthread_self()) { $0.loadUnaligned(as: UInt.self) }
        // Threads' addresses differ by pages; 2^64 over the golden ratio spreads them over the slots.
        return slots + Int((UInt64(thread >> 12) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
    }

    /// The waiting root, which is then the caller's alone.
    static func take() -> JsonValueDecoder? {
        slot.pointee.root.exchange(nil, ordering: .acquiring)?.takeRetainedValue()
    }

    /// Keeps a root for the next decoding, unless somebody still holds it or another one waits already.
    static func giveBack(_ root: inout JsonValueDecoder) {
        guard isKnownUniquelyReferenced(&root) else { return }
        root.rest()
        let node = Unmanaged.passRetained(root)
        let (exchanged, _) = slot.pointee.root.compareExchange(expected: nil, desired: node, ordering: .releasing)
        if !exchanged { node.release() }
    }
}
