import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Root decoders for reuse by the next decodings, with the decoders below them: creating them costs as much as decoding
/// a small document.
///
/// One for each of a few threads: each model of an array is a separate decoding (`RawDecodable`), and two threads would
/// compete for a single one. Where it is taken, a decoding creates another.
enum JsonSpareDecoder {
    /// One retained root, alone on its cache line.
    private struct Slot: ~Copyable {
        let root = Atomic<Unmanaged<JsonValueDecoder>?>(nil)
        private let others = (SIMD64<UInt8>(), SIMD64<UInt8>())
    }

    private static let bits = 3
    /// The slots are atomics: a root belongs to one thread at a time.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 1 << bits)
        for number in 0..<1 << bits { (slots + number).initialize(to: Slot()) }
        return slots
    }()

    /// The calling thread's slot, which other threads may share.
    private static var slot: UnsafeMutablePointer<Slot> {
        let thread = withUnsafeBytes(of: pthread_self()) { $0.loadUnaligned(as: UInt.self) }
        // Threads' addresses differ by pages; 2^64 over the golden ratio spreads them over the slots.
        return slots + Int((UInt64(thread >> 12) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
    }

    /// Removes and returns the root of the thread's slot.
    static func take() -> JsonValueDecoder? {
        slot.pointee.root.exchange(nil, ordering: .acquiring)?.takeRetainedValue()
    }

    /// Keeps a root for the next decoding, unless something still references it or the slot is taken.
    static func giveBack(_ root: inout JsonValueDecoder) {
        guard isKnownUniquelyReferenced(&root) else { return }
        root.rest()
        let node = Unmanaged.passRetained(root)
        let (exchanged, _) = slot.pointee.root.compareExchange(expected: nil, desired: node, ordering: .releasing)
        if !exchanged { node.release() }
    }
}
