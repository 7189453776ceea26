import Testing

@testable import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Dates and UUIDs, whose usual forms are read and written without Foundation, against Foundation.
struct DateTextTests {
    /// A million texts of dates in four parts: right ones, some with a field out of its range, some with changed bytes.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func aDateIsReadAsFoundationReadsIt(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let style = Date.ISO8601FormatStyle()
        let readsFractions = (try? style.parse("2026-03-01T12:00:00.5Z")) != nil
        var dates = 0
        var differences: [String] = []
        for _ in 0..<250_000 {
            let bytes = dateText(hasFraction: readsFractions, &generator)
            let text = String(decoding: bytes, as: UTF8.self)
            let date = bytes.withUnsafeBufferPointer { Iso8601Date.parse($0) }
            if date != (try? style.parse(text)) { differences.append(text) }
            if date != nil { dates += 1 }
        }
        #expect(differences.isEmpty)
        #expect(dates > 100_000, "Most of the texts are dates.")
    }

    @Test(arguments: [0.999_999_999_9, 1e9 - 1e-7, -1e-9, 252_423_993_599.999_97])
    func aTimeBelowASecondIsThatSecond(time: TimeInterval) {
        let date = Date(timeIntervalSinceReferenceDate: time)
        #expect(Iso8601Date.text(date) == date.formatted(.iso8601))
    }

    /// The bytes of a text like a date.
    private func dateText(hasFraction: Bool, _ generator: inout SeededGenerator) -> [UInt8] {
        // One random number yields the choices, because each costs much in a debug build.
        var choices = generator.next()
        func pick(_ count: UInt64) -> UInt64 {
            defer { choices /= count }
            return choices % count
        }
        func put(_ number: UInt64, _ digits: Int, _ text: inout [UInt8]) {
            var rest = number
            let start = text.count
            for _ in 0..<digits {
                text.insert(0x30 + UInt8(rest % 10), at: start)
                rest /= 10
            }
        }
        var text: [UInt8] = []
        text.reserveCapacity(40)
        put(pick(8) == 0 ? pick(10_000) : 1900 + pick(200), 4, &text)
        text.append(0x2D)
        put(pick(16) == 0 ? pick(14) : 1 + pick(12), 2, &text)
        text.append(0x2D)
        put(pick(4) == 0 ? 27 + pick(6) : 1 + pick(28), 2, &text)
        text.append(0x54)
        put(pick(26), 2, &text)
        text.append(0x3A)
        put(pick(61), 2, &text)
        text.append(0x3A)
        put(pick(62), 2, &text)
        choices = generator.next()
        if hasFraction, pick(3) == 0 {
            text.append(0x2E)
            let digits = Int(pick(11))
            put(pick(10_000_000_000), digits, &text)
        }
        if pick(3) > 0 {
            text.append(0x5A)
        } else {
            text.append(pick(2) == 0 ? 0x2B : 0x2D)
            put(pick(20), 2, &text)
            text.append(0x3A)
            put(pick(62), 2, &text)
        }
        if pick(8) == 0 { text[Int(pick(UInt64(text.count)))] = Array("0129-:TtZz+. é".utf8)[Int(pick(15))] }
        if pick(16) == 0 { text.remove(at: Int(pick(UInt64(text.count)))) }
        return text
    }

    /// On every version of Foundation, some of which read no fractions.
    @Test(arguments: [
        ("1", 0.1), ("12", 0.12), ("123", 0.123), ("1234", 0.1234), ("12345", 0.12345), ("123456", 0.123456),
        ("1234567", 0.1234567), ("12345678", 0.12345678), ("123456789", 0.123456789), ("999999999", 0.999999999),
        ("000000001", 0.000000001), ("5", 0.5), ("0", 0),
    ])
    func aFractionOfASecondIsRead(digits: String, fraction: Double) throws {
        var decoder = JsonDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let seconds = 794_059_200 + fraction
        for (zone, offset) in [("Z", 0.0), ("+02:00", -7200)] {
            let date = try decoder.decode(Date.self, from: Json("2026-03-01T12:00:00.\(digits)\(zone)"))
            #expect(date.timeIntervalSinceReferenceDate == seconds + offset)
        }
    }

    @Test func unusualDatesAreLeftToFoundation() throws {
        let texts = [
            "2026-02-30T00:00:00Z", "2026-03-01T23:59:60Z", "2026-03-01T24:00:00Z", "0001-01-01T00:00:00Z",
            "1582-10-10T00:00:00Z", "2026-03-01T12:00:00+0200", "2026-03-01T12:00:00+15:00", "2026-13-01T00:00:00Z",
            "2026-03-01T12:00:00", "2026-03-01", "",
        ]
        for text in texts {
            let read = Array(text.utf8).withUnsafeBufferPointer { Iso8601Date.read($0) }
            #expect(read == nil, "\(text)")
            var decoder = JsonDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let date = try? decoder.decode(Date.self, from: Json(text))
            #expect(date == (try? Date.ISO8601FormatStyle().parse(text)), "\(text)")
        }
    }

    @Test func aDateIsWrittenWithTheBytesThatFoundationWrites() throws {
        var encoder = JsonEncoder()
        encoder.dateEncodingStrategy = .iso8601
        var generator = SeededGenerator(seed: 3)
        var differences: [Date] = []
        let limits = [-62_135_769_600, -12_212_553_600, 0, 253_402_300_799].flatMap {
            [$0, $0 + 0.5, $0 - 0.5, $0 + 1]
        }
        let others = (0..<50_000).map { number in
            let range = number % 2 == 0 ? 0..<2_000_000_000.0 : -62_135_769_600..<253_402_300_800
            let seconds = Double.random(in: range, using: &generator)
            return number % 3 == 0 ? seconds.rounded() : seconds
        }
        for seconds in limits + others {
            let date = Date(timeIntervalSince1970: seconds)
            guard let text = Iso8601Date.text(date) else { continue }
            if text != date.formatted(.iso8601) { differences.append(date) }
            if try encoder.encode([date]) != Data("[\"\(text)\"]".utf8) { differences.append(date) }
        }
        #expect(differences.isEmpty)
    }

    @Test func aUuidIsReadAndWrittenAsByFoundation() throws {
        var generator = SeededGenerator(seed: 4)
        var differences: [String] = []
        for number in 0..<50_000 {
            let uuid = randomUuid(&generator)
            if try JsonEncoder().encode(uuid) != Data("\"\(uuid.uuidString)\"".utf8) { differences.append("\(uuid)") }
            var text = Array((number % 2 == 0 ? uuid.uuidString : uuid.uuidString.lowercased()).utf8)
            if number % 3 == 0 { text[Int.random(in: 0..<36, using: &generator)] = UInt8.random(in: 0x20..<0x7F) }
            if number % 30 == 0 { text.removeLast() }
            let read = text.withUnsafeBufferPointer { UUID.parse($0) }
            let expected = UUID(uuidString: String(decoding: text, as: UTF8.self))
            if read != expected { differences.append(String(decoding: text, as: UTF8.self)) }
        }
        #expect(differences.isEmpty)
    }

    private func randomUuid(_ generator: inout SeededGenerator) -> UUID {
        var halves = (generator.next(), generator.next())
        return withUnsafeBytes(of: &halves) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    @Test func escapedTextsAreDatesAndUuidsToo() throws {
        struct Event: Decodable { let at: Date, id: UUID }
        var decoder = JsonDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let text = #"{"at":"\u0032026-03-01T12:00:00Z","id":"\u00451-","#
        let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        let event = try decoder.decode(
            Event.self, from: Data((text + #""id":"\u0045\#(uuid.dropFirst())"}"#).utf8))
        #expect(event.at == Date(timeIntervalSince1970: 1_772_366_400))
        #expect(event.id == UUID(uuidString: uuid))
    }
}
