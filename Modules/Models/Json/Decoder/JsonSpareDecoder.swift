import Synchronization

/// A root that waits for the next decoding, with the decoders below it and their containers: to make them costs a small
/// document as much as to read it. Decodings at the same time make their own.
enum JsonSpareDecoder {
    /// Retained while it is here. Unsafe only for the compiler: exchanged as a whole, it is always just one thread's.
    nonisolated(unsafe) private static let root = Atomic<Unmanaged<JsonValueDecoder>?>(nil)

    /// The waiting root, which is then the caller's alone.
    static func take() -> JsonValueDecoder? {
        root.exchange(nil, ordering: .acquiring)?.takeRetainedValue()
    }

    /// Keeps a root for the next decoding, unless somebody still holds it or another one waits already.
    static func giveBack(_ root: inout JsonValueDecoder) {
        guard JsonValueDecoder.isFree(&root) else { return }
        root.rest()
        let node = Unmanaged.passRetained(root)
        let (exchanged, _) = Self.root.compareExchange(expected: nil, desired: node, ordering: .releasing)
        if !exchanged { node.release() }
    }
}
