#if os(Linux)
import Testing
@testable import UrlTransport

struct ContentDecoderTests {
    /// Half of it compresses well, the other not at all.
    private static let body: [UInt8] = {
        var state: UInt64 = 42
        return (0..<150_000).map { index in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return index < 75_000 ? UInt8(index / 1000) : UInt8(truncatingIfNeeded: state >> 56)
        }
    }()

    /// Decodes `bytes`, given in pieces of at most `step` bytes.
    private func decode(
        _ bytes: [UInt8], _ codings: String..., step: Int = .max
    ) throws -> (body: [UInt8], isWhole: Bool) {
        let decoder = try ContentDecoder(codings: codings)
        var body: [UInt8] = []
        // Expected once and not for each of thousands of pieces, which would take a sanitizer's build minutes.
        var isSound = true
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = min(step, rest.count)
                var input = UnsafeRawBufferPointer(rebasing: rest[..<count])
                while let piece = try decoder.nextPiece(from: &input) {
                    isSound = isSound && !piece.isEmpty && piece.count <= ContentDecoder.pieceSize
                    body += piece
                }
                isSound = isSound && input.isEmpty
                rest.take(count)
            }
        }
        #expect(isSound)
        return (body, decoder.isWhole)
    }

    @Test(arguments: Coding.allCases, [1, 7, 4096, Int.max])
    func aBodyIsTheSameHoweverItsBytesCome(coding: Coding, step: Int) throws {
        let body = Array(Self.body.prefix(step < 10 ? 5_000 : .max))
        let (decoded, isWhole) = try decode(coding.compress(body), coding.name, step: step)
        #expect(decoded == body)
        #expect(isWhole)
    }

    @Test(arguments: Coding.allCases)
    func aBodyOfNoBytesIsWhole(coding: Coding) throws {
        let (decoded, isWhole) = try decode(coding.compress([]), coding.name)
        #expect(decoded.isEmpty)
        #expect(isWhole)
    }

    @Test(arguments: Coding.allCases)
    func aBodyCutAnywhereIsNotWhole(coding: Coding) throws {
        let body = Array("hello hello hello hello, and something that does not repeat".utf8)
        let bytes = try coding.compress(body)
        for count in 1..<bytes.count {
            let (decoded, isWhole) = try decode(Array(bytes[..<count]), coding.name)
            #expect(!isWhole, "cut after \(count) of \(bytes.count)")
            #expect(body.starts(with: decoded))
        }
    }

    @Test(arguments: Coding.allCases, Coding.allCases)
    func codingsAreUndoneFromTheLastToTheFirst(inner: Coding, outer: Coding) throws {
        let bytes = try outer.compress(inner.compress(Self.body))
        for codings in ["\(inner.name), \(outer.name)", " \(inner.name) ,,\t\(outer.name),identity"] {
            let (decoded, isWhole) = try decode(bytes, codings, step: 5000)
            #expect(decoded == Self.body)
            #expect(isWhole)
        }
        #expect(try decode(bytes, inner.name, outer.name).body == Self.body)
        #expect(try !decode(bytes.dropLast(), inner.name, outer.name).isWhole)
        let cutInside = try outer.compress(inner.compress(Self.body).dropLast())
        #expect(try !decode(cutInside, inner.name, outer.name).isWhole)
    }

    @Test(arguments: [Coding.gzip, .zstd])
    func severalMembersAreOneBody(coding: Coding) throws {
        let bytes = try coding.compress(Self.body) + coding.compress([]) + coding.compress([1, 2, 3])
        for step in [1000, .max] {
            let (decoded, isWhole) = try decode(bytes, coding.name, step: step)
            #expect(decoded == Self.body + [1, 2, 3])
            #expect(isWhole)
        }
        #expect(try !decode(bytes.dropLast(), coding.name).isWhole)
        #expect(try !decode(coding.compress([1]) + coding.compress([2]).prefix(1), coding.name).isWhole)
    }

    @Test(arguments: Coding.allCases)
    func bytesAfterTheEndAreAnError(coding: Coding) throws {
        for step in [1, Int.max] {
            #expect(throws: TransferFailure.damaged(coding.name)) {
                try decode(coding.compress([1, 2]) + Array("garbage".utf8), coding.name, step: step)
            }
        }
    }

    @Test(arguments: [
        ("gzip", "plain text"), ("deflate", "xplain text"), ("br", "\u{11}plain text"), ("zstd", "plain text"),
    ])
    func whatIsNotOfItsCodingIsAnError(name: String, text: String) {
        #expect(throws: TransferFailure.damaged(name)) { try decode(Array(text.utf8), name) }
    }

    @Test func namesAreComparedWithoutCaseAndHaveOldForms() throws {
        for name in ["GZIP", "x-gzip", "X-GZip"] {
            #expect(try decode(Coding.gzip.compress([1, 2]), name).body == [1, 2])
        }
    }

    @Test func nothingToUndoIsNoDecoder() throws {
        for values in [[], [""], ["identity"], [" Identity , identity", ","]] {
            #expect(ContentDecoder.codings(in: values).isEmpty)
        }
    }

    @Test func unknownAndTooManyCodingsAreErrors() throws {
        #expect(
            throws: TransferFailure(
                .invalidContentEncoding, "the body has an unknown content coding: compress")
        ) { try ContentDecoder(codings: ["gzip, compress"]) }
        #expect(throws: TransferFailure(.invalidContentEncoding, "the body is compressed more than 5 times")) {
            try ContentDecoder(codings: [Array(repeating: "gzip", count: 6).joined(separator: ",")])
        }
        #expect(throws: Never.self) {
            try ContentDecoder(codings: [Array(repeating: "gzip", count: 5).joined(separator: ",")])
        }
    }

    /// A frame of one byte that says it needs a window of 2 to the power of `log`.
    @Test(arguments: [(23, true), (24, false), (31, false)])
    func aWindowOfMoreThan8MiBIsRefused(log: Int, isTaken: Bool) throws {
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, UInt8((log - 10) << 3), 9, 0, 0, 0x61]
        if isTaken {
            #expect(try decode(frame, "zstd").body == [0x61])
        } else {
            #expect(throws: TransferFailure.damaged("zstd")) { try decode(frame, "zstd") }
        }
    }

    /// Empty members of gzip, which become nothing, compressed by another coding.
    @Test func whatBecomesNothingYieldsAndIsCounted() throws {
        let members = try Array(repeating: Coding.gzip.compress([]), count: 800_000).flatMap { $0 }
        let bytes = try Coding.zstd.compress(members)
        #expect(members.count > 15 << 20)
        #expect(bytes.count * 500 < members.count)
        let decoder = try ContentDecoder(["gzip", "zstd"])
        var yields = 0
        try bytes.withUnsafeBytes { bytes in
            var input = bytes
            while true {
                switch try decoder.next(from: &input) {
                case .piece(let piece): Issue.record("\(piece.count) bytes of nothing")
                case .yield: yields += 1
                case .needsInput: return
                }
            }
        }
        #expect(yields == members.count / ContentDecoder.mostAtOnce)
        #expect(decoder.intermediateBytes == members.count)
        #expect(decoder.isWhole)
    }

    @Test func bombsComeInPieces() throws {
        let bombs = [
            ("br", Bomb.brotli, 64 << 20), ("zstd", Bomb.zstandard(blocks: 512), 64 << 20),
            ("gzip", try Coding.gzip.compress([UInt8](repeating: 0, count: 16 << 20)), 16 << 20),
        ]
        for (name, bytes, size) in bombs {
            #expect(bytes.count * 500 < size)
            let decoder = try ContentDecoder([name])
            var count = 0
            var largest = 0
            try bytes.withUnsafeBytes { bytes in
                var input = bytes
                while let piece = try decoder.nextPiece(from: &input) {
                    largest = max(largest, piece.count)
                    count += piece.count
                }
            }
            #expect(largest <= ContentDecoder.pieceSize)
            #expect(count == size)
            #expect(decoder.isWhole)
        }
    }
}

extension ContentDecoder {
    /// As for the values of header fields.
    fileprivate convenience init(codings values: [String]) throws(TransferFailure) {
        try self.init(Self.codings(in: values))
    }

    /// The next piece, also after a yield; nil when the decoder needs input.
    fileprivate func nextPiece(from input: inout UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        while true {
            switch try next(from: &input) {
            case .piece(let piece): return piece
            case .needsInput: return nil
            case .yield: continue
            }
        }
    }
}
#endif
