#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Splits bytes into lines, in whatever pieces they arrive. A line within one piece isn't copied.
///
/// A byte order mark at the start of the first line is left out.
package struct LineSplitter: Sendable {
    /// What ends a line.
    package enum Ending: Sendable {
        /// LF, or CR LF.
        case lineFeed
        /// LF, CR LF, or CR alone: HTML §9.2.6.
        case any
    }

    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let ending: Ending
    /// The longest line in bytes, without its end.
    package let limit: Int
    /// How many lines have been taken.
    package private(set) var count = 0

    private var piece = Data()
    /// The number of bytes of the piece that have been taken.
    private var position = 0
    /// Where the next LF and the next CR of the piece are, or its end. They are valid from `position` on.
    private var nextFeed = 0
    private var nextReturn = 0
    /// The start of a line whose end hasn't arrived.
    private var partial: [UInt8] = []
    /// Whether an LF that comes next belongs to the CR before it.
    private var skipsFeed = false

    /// Creates a splitter.
    package init(_ ending: Ending, limit: Int) {
        self.ending = ending
        self.limit = min(max(1, limit), .max / 2)
    }

    /// Adds the next bytes. They are not copied where all lines of the last ones have been taken: ``next(_:)`` has returned
    /// nil.
    package mutating func push(_ bytes: Data) {
        piece = position < piece.count ? piece.dropFirst(position) + bytes : bytes
        position = 0
        (nextFeed, nextReturn) = (-1, ending == .any ? -1 : .max)
    }

    /// Passes lines to `read`, without their ends, until it returns a value. Returns nil where more bytes are needed.
    ///
    /// - Throws: ``ValueStreamError`` with `lineTooLong`; the error of `read`.
    package mutating func next<Value>(_ read: (UnsafeRawBufferPointer) throws -> Value?) throws -> Value? {
        guard position < piece.count else { return nil }
        // A copy, so that the closure may change this value. The bytes are shared.
        let bytes = piece
        return try bytes.withUnsafeBytes { bytes in
            while let part = try nextPart(of: bytes) {
                if let value = try pass(part, to: read) { return value }
            }
            return nil
        }
    }

    /// Passes the rest to `read` as the last line, after the last bytes; nil where there is none.
    package mutating func last<Value>(_ read: (UnsafeRawBufferPointer) throws -> Value?) throws -> Value? {
        guard !partial.isEmpty else { return nil }
        return try pass(UnsafeRawBufferPointer(start: nil, count: 0), to: read)
    }

    /// Returns what the piece has of the next line; nil where the piece has no end of it.
    private mutating func nextPart(of bytes: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        if skipsFeed, position < bytes.count {
            skipsFeed = false
            if bytes[position] == Self.lineFeed { position += 1 }
        }
        guard position < bytes.count else { return nil }
        if nextFeed < position { nextFeed = bytes.index(of: Self.lineFeed, from: position) }
        if nextReturn < position { nextReturn = bytes.index(of: Self.carriageReturn, from: position) }
        let end = min(nextFeed, nextReturn)
        // The last byte may be a CR that doesn't count.
        let most = ending == .lineFeed ? limit + 1 : limit
        guard partial.count + end - position <= most else { throw ValueStreamError.tooLong(.lineTooLong, limit) }
        let part = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
        guard end < bytes.count else {
            partial.append(contentsOf: part)
            position = end
            piece = Data()
            return nil
        }
        skipsFeed = bytes[end] == Self.carriageReturn
        position = end + 1
        return part
    }

    /// Calls `read` with a line, whose last part this is.
    private mutating func pass<Value>(
        _ part: UnsafeRawBufferPointer, to read: (UnsafeRawBufferPointer) throws -> Value?
    ) throws -> Value? {
        if partial.isEmpty { return try read(try checked(part)) }
        var line: [UInt8] = []
        // Not shared with `line`, so that the next partial line needs no new memory.
        swap(&line, &partial)
        line.append(contentsOf: part)
        defer {
            line.removeAll(keepingCapacity: true)
            partial = line
        }
        return try line.withUnsafeBytes { try read(try checked($0)) }
    }

    /// The line without what isn't a part of it, after the checks that need all of it.
    private mutating func checked(_ line: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
        var line = line
        if ending == .lineFeed, line.last == Self.carriageReturn { line = .init(rebasing: line.dropLast()) }
        guard line.count <= limit else { throw ValueStreamError.tooLong(.lineTooLong, limit) }
        if count == 0, line.starts(with: Self.byteOrderMark) { line = .init(rebasing: line.dropFirst(3)) }
        count += 1
        return line
    }
}

extension UnsafeRawBufferPointer {
    /// The index of the first such byte from `start` on, or the number of bytes.
    func index(of byte: UInt8, from start: Int) -> Int {
        guard start < count, let baseAddress, let found = memchr(baseAddress + start, Int32(byte), count - start)
        else { return count }
        return UnsafeRawPointer(found) - baseAddress
    }
}
