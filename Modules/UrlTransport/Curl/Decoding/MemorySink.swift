#if os(Linux)
import FoundationEssentials
import Glibc

/// Keeps the body of a response in memory. Used by the event loop's thread alone.
///
/// A body with a large announced length goes into mapped memory with huge pages (madvise(2)). A page fault takes longer
/// than copying its 4 KB. This halves the time of a body of 200 MB, and can go when the allocator maps large blocks
/// with huge pages.
final class MemorySink {
    /// The announced length in bytes from which on memory is mapped.
    private static let large = 4 << 20
    private static let hugePage = 2 << 20
    /// The most bytes that are mapped, because a server may announce any length.
    private static let mostReserved: Int64 = 1 << 30

    let limit: Int
    /// The announced length of a small body.
    private let expected: Int
    @exclusivity(unchecked) private var small = Data()
    private var region: Region?

    /// - Parameters:
    ///   - limit: the most bytes of the body.
    ///   - expected: the announced length, maybe of a compressed body; 0 for none.
    init(limit: Int, expected: Int64) {
        self.limit = limit
        let size = Int(max(0, min(expected, Int64(limit), Self.mostReserved)))
        // The system allocates mapped pages as bytes arrive; those of `Data` are allocated at once.
        self.expected = min(size, Self.large)
        if size >= Self.large { region = Region(size: size) }
    }

    /// The bytes so far, without a copy. It excludes bytes that are appended later.
    var data: Data {
        region?.data ?? small
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
        guard bytes.count <= limit - (region?.count ?? small.count) else {
            throw .responseTooLarge(limit)
        }
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        if let region {
            if region.append(start, bytes.count) { return }
            // The body is larger than announced, as a compressed body may be.
            small = region.copy()
            self.region = nil
        }
        // Most small bodies arrive in one piece, for which `Data` allocates what it needs.
        if small.isEmpty, bytes.count < expected { small.reserveCapacity(expected) }
        small.append(start, count: bytes.count)
    }

    /// Memory that is mapped for one body.
    private final class Region {
        private let start: UnsafeMutableRawPointer
        private let size: Int
        private(set) var count = 0

        /// Returns nil if the system can't map the memory.
        init?(size: Int) {
            let size = (size + hugePage - 1) / hugePage * hugePage
            guard
                let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
                start != MAP_FAILED
            else { return nil }
            madvise(start, size, MADV_HUGEPAGE)
            self.start = start
            self.size = size
        }

        deinit {
            munmap(start, size)
        }

        /// Returns false, and appends nothing, if the bytes don't fit.
        func append(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
            guard count <= size - self.count else { return false }
            memcpy(start + self.count, bytes, count)
            self.count += count
            return true
        }

        func copy() -> Data {
            Data(bytes: start, count: count)
        }

        /// The bytes without a copy. The data retains the region.
        var data: Data {
            Data(bytesNoCopy: start, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
        }
    }
}
#endif
