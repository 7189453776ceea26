import HttpMessages
import Testing

@testable import HttpCaching

/// The pure parts of the format of entries.
struct EntryFormatTests {
    @Test(arguments: [
        ("", 0, 0xEF46_DB37_51D8_E999), ("a", 0, 0xD24E_C4F1_A98C_6E5B), ("abc", 0, 0x44BC_2CF5_AD77_0999),
        ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
    ])
    func theChecksumIsThatOfTheSpecification(text: String, seed: UInt64, expected: UInt64) {
        #expect(Array(text.utf8).withUnsafeBytes { Checksum.of($0, seed: seed) } == expected)
    }

    @Test func anotherSeedGivesAnotherChecksum() {
        let bytes = Array("abc".utf8)
        #expect(bytes.withUnsafeBytes { Checksum.of($0, seed: 1) != Checksum.of($0, seed: 2) })
    }

    @Test func anEntrySurvivesTheConversion() throws {
        let latin1 = HttpHeaders.Field(name: "X-Name", valueBytes: [0x4A, 0xF6, 0x72, 0x67])
        let entry = HttpCacheEntry.make(
            "https://example.com/ü?q=1", session: HttpCacheSession(rawValue: "ab12"),
            nominated: [.init(name: "accept", value: "text/*"), .init(name: "cookie", value: nil)], status: 404,
            headers: HttpHeaders([latin1, .init(name: "A", value: ""), .init(name: "A", value: "2")]))
        let bytes = EntryHead.bytes(of: entry)
        let read = try #require(bytes.withUnsafeBytes { EntryHead.entry($0, bodyLength: 7) })
        #expect(read.isSame(as: entry))
        #expect(read.bodyLength == 7)
        #expect(read.headers.fields[0].valueBytes == latin1.valueBytes)
        #expect(EntryHead.bytes(of: read) == bytes)
    }

    @Test func aTruncatedHeadIsNone() {
        let bytes = EntryHead.bytes(of: .make(nominated: [.init(name: "accept", value: "a")]))
        let fields = EntryHead.bytes(of: .make(nominated: [.init(name: "accept", value: "a")], headers: [:])).count
        for count in 0..<fields {
            #expect(bytes[..<count].withUnsafeBytes { EntryHead.entry($0, bodyLength: 0) } == nil, "\(count)")
        }
    }

    @Test func theHeadWithTheHigherNumberCounts() throws {
        let layout = EntryLayout(capacity: 128)
        let old = layout.bytes(ofHead: [1], sequence: 4)
        let new = layout.bytes(ofHead: [2, 2], sequence: 5)
        let empty = [UInt8](repeating: 0, count: layout.headSize)
        func head(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
            (layout.prologue + first + second).withUnsafeBytes { bytes in layout.head(in: bytes).map { Array($0.head) }
            }
        }
        #expect(head(old, new) == [2, 2])
        #expect(head(new, old) == [2, 2])
        #expect(head(old, empty) == [1])
        #expect(head(empty, empty) == nil)
        // A torn write of the new one.
        #expect(head(old, Array(new[..<17]) + empty[17...]) == [1])
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 1 << 32])
    func theSizeOfAFileFollowsFromItsBody(size: Int64) throws {
        let layout = EntryLayout(capacity: 256, bodySize: size)
        #expect(layout.prologue.withUnsafeBytes { EntryLayout($0) } == layout)
        #expect(layout.fileSize == 40 + 2 * (16 + 256) + size + 8 * ((size + 65_535) / 65_536))
    }

    @Test func aHeadOfMoreThanAMegabyteHasNoCapacity() {
        #expect(EntryLayout.capacity(for: [UInt8](repeating: 0, count: 100)) == 384)
        #expect(EntryLayout.capacity(for: [UInt8](repeating: 0, count: 1 << 20)) == nil)
    }

    // MARK: Names

    @Test func aNameIsThatOfItsKeyOnly() {
        let keys = [
            HttpCacheKey(url: "http://a/"), HttpCacheKey(url: "http://b/"),
            HttpCacheKey(url: "http://a/", session: .everyone),
            HttpCacheKey(url: "http://a/", session: HttpCacheSession(rawValue: "ab12")),
        ]
        let names = keys.flatMap(EntryName.all)
        #expect(Set(names).count == keys.count * EntryName.variants)
        #expect(EntryName.all(of: keys[0]) == EntryName.all(of: keys[0]))
        for key in keys {
            #expect(EntryName.all(of: key).allSatisfy { session(ofEntry: $0) == key.session })
            #expect(session(ofTemporary: EntryName.temporary(for: key)) == key.session)
            #expect(session(ofEntry: EntryName.temporary(for: key)) == nil)
        }
    }

    @Test(arguments: [
        "CACHEDIR.TAG", "secret", "", "..", "ab", String(repeating: "a", count: 51),
        "ä-0123456789abcdef0123456789abcdef-0", "-0123456789abcdef0123456789abcdef-8",
        "-0123456789abcdef0123456789abcdeF-0", ".new-0123456789abcdeg",
    ])
    func otherNamesAreNoEntries(name: String) {
        #expect(session(ofEntry: name) == nil)
        #expect(session(ofTemporary: name) == nil)
    }

    private func session(ofEntry name: String) -> HttpCacheSession? {
        lastComponent(name).withUnsafeBytes { EntryName.session(ofEntry: $0) }
    }

    private func session(ofTemporary name: String) -> HttpCacheSession? {
        lastComponent(name).withUnsafeBytes { EntryName.session(ofTemporary: $0) }
    }

    private func lastComponent(_ path: String) -> [UInt8] {
        Array((path.split(separator: "/", omittingEmptySubsequences: false).last ?? "").utf8)
    }
}
