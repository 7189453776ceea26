import TestSupport
import Testing

@testable import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is saved of a part, read from text that anything may have written.
struct PartialInfoTests {
    private let request = "https://a.example/file"

    private func origin() throws -> Origin {
        Origin(try #require(URL(string: request)))
    }

    private func saved(_ headers: HttpHeaders = ["ETag": "\"one\"", "Content-Length": "100"]) throws -> PartialInfo {
        try #require(PartialInfo(headers, request: request, origin: try origin()))
    }

    @Test func whatIsSavedIsReadAgain() throws {
        for headers: HttpHeaders in [
            ["ETag": "\"one\"", "Content-Length": "100"], ["ETag": "\"\""],
            ["Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT", "Date": "Sat, 21 Nov 2026 10:00:01 GMT"],
        ] {
            let info = try saved(headers)
            #expect(PartialInfo(info.bytes, request: request) == info)
            #expect(info.isFrom(try origin()))
        }
    }

    /// An entity tag is opaque: other bytes for the same text are another one.
    @Test func bytesThatAreNotUtf8AreSavedAsTheyAre() throws {
        let tag: [UInt8] = [0x22, 0x76, 0xE9, 0x22]
        let field = HttpHeaders.Field(name: "ETag", valueBytes: tag)
        #expect(field.value == "\"vé\"")
        let info = try saved(HttpHeaders([field]))
        #expect(info.validator.bytes == tag)
        #expect(PartialInfo(info.bytes, request: request) == info)
        #expect(info.allows(HttpHeaders([field]), total: nil))
        #expect(!info.allows(["ETag": "\"vé\""], total: nil))
        #expect(try !saved(["ETag": "\"vé\""]).allows(HttpHeaders([field]), total: nil))
    }

    @Test func ofAnotherUrlItIsNone() throws {
        #expect(PartialInfo(try saved().bytes, request: request + "2") == nil)
    }

    @Test(arguments: ["http://a.example/file", "https://b.example/file", "https://a.example:444/file"])
    func anotherOriginIsNotTheSame(url: String) throws {
        #expect(try !saved().isFrom(Origin(try #require(URL(string: url)))))
    }

    @Test func aLongTextIsSavedAndRead() throws {
        let longest = "\"\(String(repeating: "a", count: Validator.longest - 2))\""
        let info = try saved(["ETag": longest])
        #expect(info.bytes.count <= PartialInfo.longest)
        #expect(PartialInfo(info.bytes, request: request) == info)
        #expect(Validator(longest + "\"") == nil)
    }

    /// Each text is none, or says the same when it's written again and has a validator that may be sent.
    private func check(_ bytes: [UInt8]) throws {
        guard let info = PartialInfo(bytes, request: request) else { return }
        #expect(PartialInfo(info.bytes, request: request) == info)
        try HttpHeaders([info.validator.ifRange]).validate()
        #expect(info.total ?? 0 >= 0)
    }

    @Test func aDamagedTextIsNoneOrHarmless() throws {
        var random = SeededRandom(seed: 31)
        let whole = try saved().bytes
        var count = 0
        for _ in 0..<10_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(&random) }
            try check(bytes)
            if PartialInfo(bytes, request: request) != nil { count += 1 }
        }
        // Some are still one, so that the test sees both.
        #expect(count > 100)
        for _ in 0..<10_000 {
            try check([UInt8].random(count: 60, using: &random))
        }
    }

    @Test func aRandomValidatorIsNoneOrMayBeSent() throws {
        var random = SeededRandom(seed: 7)
        let seeds = ["\"one\"", "Sat, 21 Nov 2026 10:00:00 GMT", "Saturday, 21-Nov-26 10:00:00 GMT"].map {
            Array($0.utf8)
        }
        var count = 0
        for round in 0..<10_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 0...2, using: &random) { bytes.damage(&random) }
            guard let validator = Validator(bytes: bytes) else { continue }
            count += 1
            #expect(validator.bytes == bytes && validator.ifRange.valueBytes == bytes)
            let isPlain = validator.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            #expect(isPlain, "\(validator.text.debugDescription)")
        }
        #expect(count > 100)
    }
}

extension [UInt8] {
    /// Changes, removes, adds or doubles something.
    mutating func damage(_ random: inout SeededRandom) {
        guard !isEmpty else { return append(.random(in: 0...255, using: &random)) }
        let index = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: self[index] = Self.favorites.randomElement(using: &random) ?? 0
        case 1: remove(at: index)
        case 2: insert(.random(in: 0...255, using: &random), at: index)
        default: insert(contentsOf: self[index..<Swift.min(count, index + 5)], at: index)
        }
    }

    /// What parsers care about.
    private static let favorites = Array("\r\n\0\" ,:;-+*/=09aZ\t\u{7F}".utf8)

    static func random(count: Int, using random: inout SeededRandom) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in .random(in: 0...255, using: &random) }
    }
}
