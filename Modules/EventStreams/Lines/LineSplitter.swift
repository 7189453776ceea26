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
    /// Where the next LF of the piece is, or its end. It is valid from `position` on.
    private var nextFeed = 0
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
        let rest = piece.dropFirst(position)
        (piece, position, nextFeed) = (rest.isEmpty ? bytes : rest + bytes, 0, -1)
    }

    /// Passes the next line to `read`, without its end, and returns the result; nil where more bytes are needed.
    ///
    /// - Throws: ``ValueStreamError`` with `lineTooLong`; the error of `read`.
    package mutating func next<Value>(_ read: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
        guard position < piece.count else { return nil }
        // A copy, so that the closure may change this value. The bytes are shared.
        let bytes = piece
        return try bytes.withUnsafeBytes { try next(in: $0, read) }
    }

    /// Passes the rest to `read` as the last line, after the last bytes; nil where there is none.
    package mutating func last<Value>(_ read: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
        guard !partial.isEmpty else { return nil }
        let line = partial
        partial = []
        return try line.withUnsafeBytes { try self.read($0, read) }
    }

    private mutating func next<Value>(
        in bytes: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value? {
        if skipsFeed {
            skipsFeed = false
            if bytes[position] == Self.lineFeed { position += 1 }
        }
        if nextFeed < position { nextFeed = Self.index(of: Self.lineFeed, in: bytes, from: position) }
        var end = nextFeed
        if ending == .any {
            end = Self.index(
                of: Self.carriageReturn, in: UnsafeRawBufferPointer(rebasing: bytes[..<nextFeed]), from: position)
        }
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
        if partial.isEmpty { return try self.read(part, read) }
        var line = partial
        // Not shared with `line`, so that the next partial line needs no new memory.
        partial = []
        line.append(contentsOf: part)
        defer {
            line.removeAll(keepingCapacity: true)
            partial = line
        }
        return try line.withUnsafeBytes { try self.read($0, read) }
    }

    /// Calls `read` with a line, after the checks that need all of it.
    private mutating func read<Value>(
        _ line: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        var line = line
        if ending == .lineFeed, line.last == Self.carriageReturn { line = .init(rebasing: line.dropLast()) }
        guard line.count <= limit else { throw ValueStreamError.tooLong(.lineTooLong, limit) }
        if count == 0, line.starts(with: Self.byteOrderMark) { line = .init(rebasing: line.dropFirst(3)) }
        count += 1
        return try read(line)
    }

    /// The index of the first such byte, or the number of bytes.
    private static func index(of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base
    }
}
