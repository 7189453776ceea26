#if os(Linux)
import CNetChainCompression
import Testing

/// The codings that bodies come in, and how a server makes them.
enum Coding: String, CaseIterable, Sendable {
    case gzip, deflate, br, zstd
    /// `deflate` without zlib's frame, as some servers send it.
    case rawDeflate

    /// Its name in `Content-Encoding`.
    var name: String { self == .rawDeflate ? "deflate" : rawValue }

    func compress(_ bytes: [UInt8]) throws -> [UInt8] {
        switch self {
        case .gzip: try Self.deflated(bytes, windowBits: 15 + 16)
        case .deflate: try Self.deflated(bytes, windowBits: 15)
        case .rawDeflate: try Self.deflated(bytes, windowBits: -15)
        case .br: Self.storedBrotli(bytes)
        case .zstd: try Self.zstandard(bytes)
        }
    }

    private static func deflated(_ bytes: [UInt8], windowBits: Int32) throws -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        try #require(
            deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK)
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 32)
        let (result, rest) = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return (CNetChainCompression.deflate(&stream, Z_FINISH), Int(stream.avail_out))
            }
        }
        try #require(result == Z_STREAM_END)
        return Array(output.dropLast(rest))
    }

    private static func zstandard(_ bytes: [UInt8]) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let count = ZSTD_compress(&output, output.count, bytes, bytes.count, 3)
        try #require(ZSTD_isError(count) == 0)
        return Array(output[..<count])
    }

    /// RFC 7932 §9.2: a window of 64 KiB, the bytes in blocks that aren't compressed, and an empty last block. Only the
    /// library that decompresses is linked.
    private static func storedBrotli(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var bits = 0
        var count = 0
        func put(_ value: Int, _ width: Int) {
            bits |= value << count
            count += width
            while count >= 8 {
                output.append(UInt8(truncatingIfNeeded: bits))
                bits >>= 8
                count -= 8
            }
        }
        func fill() {
            if count > 0 { put(0, 8 - count) }
        }
        put(0, 1)
        for start in stride(from: 0, to: bytes.count, by: 65_536) {
            let block = bytes[start..<min(start + 65_536, bytes.count)]
            put(0, 3)
            put(block.count - 1, 16)
            put(1, 1)
            fill()
            output += block
        }
        put(3, 2)
        fill()
        return output
    }
}

/// Small bodies that become large ones.
enum Bomb {
    /// 64 MiB of zeros, compressed by brotli at its best, 53 bytes.
    static let brotli: [UInt8] = [
        207, 255, 255, 127, 248, 39, 0, 226, 177, 64, 32, 247, 254, 159, 255, 255, 255, 240, 79, 0, 196, 97,
        1, 128, 238, 253, 63, 255, 255, 255, 225, 159, 0, 136, 195, 34, 0, 221, 251, 255, 252, 255, 255, 199,
        63, 1, 16, 135, 5, 0, 186, 247, 255,
    ]

    /// As many blocks, a power of two, of a byte that stands for 128 KiB (RFC 8878 §3.1.1.2), in a frame with a window
    /// of as much.
    static func zstandard(blocks count: Int) -> [UInt8] {
        let header = 131_072 << 3 | 1 << 1
        var blocks = [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16), 0]
        while blocks.count < count * 4 { blocks += blocks }
        blocks[blocks.count - 4] |= 1
        return [0x28, 0xB5, 0x2F, 0xFD, 0, 56] + blocks
    }
}
#endif
