import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A pool of root decoders and the decoders below them, for reuse by later decodings. Creating them costs as much as
/// decoding a small document.
///
/// The calling thread selects one of eight slots, because threads would contend for a single one. If the slot is empty,
/// a decoding creates another root.
enum JsonSpareDecoder {
    /// Holds one retained root. The padding keeps two slots off the same cache line (false sharing).
    private struct Slot: ~Copyable {
        let root = Atomic<Unmanaged<JsonValueDecoder>?>(nil)
        private let others = (SIMD64<UInt8>(), SIMD64<UInt8>())
    }

    private static let bits = 3
    /// `nonisolated(unsafe)` is sound because the pointer is constant, its memory is never freed, and a slot's root is
    /// moved in and out by one atomic operation: a root belongs to the slot or to one thread.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 1 << bits)
        for number in 0..<1 << bits { (slots + number).initialize(to: Slot()) }
        return slots
    }()

    /// The calling thread's slot, which other threads may share.
    private static var slot: UnsafeMutablePointer<Slot> {
        let thread = withUnsafeBytes(of: pthread_self()) { $0.loadUnaligned(as: UInt.self) }
        // Fibonacci hashing (2^64 over the golden ratio) of the page number, because threads' addresses differ by
        // pages.
        return slots + Int((UInt64(thread >> 12) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
    }

    /// Removes and returns the root of the thread's slot.
    static func take() -> JsonValueDecoder? {
        slot.pointee.root.exchange(nil, ordering: .acquiring)?.takeRetainedValue()
    }

    /// Keeps a root for the next decoding, unless something still references it or the slot is occupied.
    static func giveBack(_ root: inout JsonValueDecoder) {
        guard isKnownUniquelyReferenced(&root) else { return }
        root.rest()
        let node = Unmanaged.passRetained(root)
        let (exchanged, _) = slot.pointee.root.compareExchange(expected: nil, desired: node, ordering: .releasing)
        if !exchanged { node.release() }
    }
}
