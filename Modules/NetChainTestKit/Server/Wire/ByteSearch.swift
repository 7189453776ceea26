#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

enum ByteSearch {
    /// Where `needle` starts in `bytes` at or after `start`, or `nil`.
    static func first(_ needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { first(needle, in: $0, from: start) }
    }

    /// Where `needle` starts in `bytes` at or after `start`, or `nil`. Jumps from one occurrence of its first byte to
    /// the next, which is fast in an unoptimized build too.
    static func first(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, let firstByte = needle.first else { return nil }
        var position = start
        while position + needle.count <= bytes.count {
            let length = bytes.count - needle.count + 1 - position
            guard let hit = memchr(base + position, Int32(firstByte), length) else { return nil }
            position = base.distance(to: UnsafeRawPointer(hit))
            let equal = needle.withUnsafeBytes { needleBytes in
                needleBytes.baseAddress.map { memcmp(base + position, $0, needle.count) == 0 } ?? false
            }
            if equal { return position }
            position += 1
        }
        return nil
    }
}
