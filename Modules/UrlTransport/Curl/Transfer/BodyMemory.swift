#if os(Linux)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Glibc

/// The bytes of a response's body.
///
/// One that is announced to be large goes into mapped memory of huge pages: a page fault for each 4 KB takes longer than
/// copying them. It halves the time of a body of 200 MB, and can go when the allocator maps large blocks so. Used by the
/// event loop's thread alone.
struct BodyMemory {
    /// Bytes from which on mapped memory pays.
    private static let large = 4 << 20
    private static let hugePage = 2 << 20

    private var small = Data()
    private var region: Region?

    var count: Int {
        region?.count ?? small.count
    }

    /// The bytes, of which nothing is copied. What is appended after that is not seen there.
    var data: Data {
        region?.data ?? small
    }

    /// Reserves addresses for a body that is announced to have this many bytes. The memory is used as bytes arrive.
    mutating func reserveCapacity(_ size: Int) {
        guard size >= Self.large else { return small.reserveCapacity(size) }
        if small.isEmpty, region == nil { region = Region(size: size, page: Self.hugePage) }
        if region == nil { small.reserveCapacity(Self.large) }
    }

    mutating func append(_ bytes: UnsafePointer<UInt8>, count: Int) {
        if let region {
            if region.append(bytes, count) { return }
            // More than was announced, as with a compressed body.
            small = region.copy()
            self.region = nil
        }
        small.append(bytes, count: count)
    }

    /// Memory that is mapped for one body.
    private final class Region {
        private let start: UnsafeMutableRawPointer
        private let size: Int
        private(set) var count = 0

        /// nil when the system doesn't give that much.
        init?(size: Int, page: Int) {
            let size = (size + page - 1) / page * page
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

        /// false when it doesn't fit.
        func append(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
            guard count <= size - self.count else { return false }
            memcpy(start + self.count, bytes, count)
            self.count += count
            return true
        }

        func copy() -> Data {
            Data(bytes: start, count: count)
        }

        /// The data keep the region.
        var data: Data {
            Data(bytesNoCopy: start, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
        }
    }
}
#endif
