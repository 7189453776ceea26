import EventStreams
import Foundation
import TestSupport
import Testing

/// HTML §9.2.5 and §9.2.6. `Docs/Internals/EventStreams.md` lists the differences from the standard.
struct ServerSentEventParserTests {
    private func parse(_ text: String, lastEventId: String? = nil) throws -> [ServerSentEvent] {
        try parse([Array(text.utf8)], lastEventId: lastEventId)
    }

    private func parse(_ pieces: [[UInt8]], lastEventId: String? = nil) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser(lastEventId: lastEventId)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            parser.push(Data(piece))
            while let event = try parser.next() { events.append(event) }
        }
        return events
    }

    private static func message(_ data: String, id: String? = nil) -> ServerSentEvent {
        ServerSentEvent(data: data, id: id)
    }

    // MARK: Lines

    @Test(arguments: ["\n", "\r\n", "\r"])
    func linesEndInThreeWays(end: String) throws {
        let text = ["event: a", "data: 1", "data: 2", "", "data: 3", "", ""].joined(separator: end)
        #expect(try parse(text) == [ServerSentEvent(name: "a", data: "1\n2"), Self.message("3")])
    }

    @Test func anEventIsCompleteWithItsEmptyLineWhateverFollows() throws {
        var parser = ServerSentEventParser()
        parser.push(Data("data: 1\r\n\r".utf8))
        #expect(try parser.next() == Self.message("1"))
        // The LF of a CR LF that was split isn't another empty line, and a CR may be followed by anything.
        parser.push(Data("\ndata: 2\r\r".utf8))
        #expect(try parser.next() == Self.message("2"))
        #expect(try parser.next() == nil)
    }

    /// Every way to cut a stream into two or three pieces, and into single bytes.
    @Test func anySplitGivesTheSameEvents() throws {
        let text =
            "\u{FEFF}: c\r\nid: 1\r\ndata: é\r\rdata:x\nevent: n\n\n\r\nretry: 5\rdata\r\n\r\nid\ndata: 🎉\n\ndata: cut\n"
        let bytes = Array(text.utf8)
        let expected = [
            Self.message("é", id: "1"), ServerSentEvent(name: "n", data: "x", id: "1"), Self.message("", id: "1"),
            Self.message("🎉"),
        ]
        #expect(try parse([bytes]) == expected)
        #expect(try parse(bytes.map { [$0] }) == expected)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]].map { Array($0) }
                #expect(try parse(pieces) == expected)
            }
        }
    }

    @Test func moreBytesMayBePushedBeforeAllEventsAreTaken() throws {
        var parser = ServerSentEventParser()
        parser.push(Data("data: 1\n\ndata: 2\n\nda".utf8))
        #expect(try parser.next() == Self.message("1"))
        parser.push(Data("ta: 3\n\n".utf8))
        #expect(try parser.next() == Self.message("2"))
        #expect(try parser.next() == Self.message("3"))
        #expect(try parser.next() == nil)
    }

    // MARK: Decoding

    @Test func oneByteOrderMarkIsLeftOut() throws {
        #expect(try parse("\u{FEFF}data: 1\n\n") == [Self.message("1")])
        // The second is a part of the name of a field that doesn't exist.
        #expect(try parse("\u{FEFF}\u{FEFF}data: 1\n\ndata: \u{FEFF}2\n\n") == [Self.message("\u{FEFF}2")])
        #expect(try parse("data: 1\n\n\u{FEFF}data: 2\n\n") == [Self.message("1")])
    }

    @Test func invalidUtf8IsReplaced() throws {
        let bytes: [UInt8] =
            Array("data: a".utf8) + [0xFF, 0xE2, 0x82] + Array("b\nid: ".utf8) + [0xC0] + Array("\n\n".utf8)
        #expect(try parse([bytes]) == [Self.message("a\u{FFFD}\u{FFFD}b", id: "\u{FFFD}")])
    }

    // MARK: Fields

    @Test(arguments: [
        // The examples of HTML §9.2.6.
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [message("YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [message("first event", id: "1"), message("second event"), message(" third event")]
        ),
        ("data\n\ndata\ndata\n\ndata:", [message(""), message("\n")]),
        ("data:test\n\ndata: test\n\n", [message("test"), message("test")]),
        // A comment, also one that looks like a field.
        (":\n:data: 1\ndata: 2\n: \n\n", [message("2")]),
        // One blank after the colon is left out, and a tab is none.
        ("data:  a \ndata:\tb\n\n", [message(" a \n\tb")]),
        // A colon in the value.
        ("data: a: b\n\n", [message("a: b")]),
        // NUL is a character as any other, also in a name.
        ("data: \0\ndata\0: 1\n\0data: 2\n\n", [message("\0")]),
        // Names have their case, no blanks, and nothing else is a field.
        ("Data: 1\n data: 2\ndata : 3\ndatum: 4\ndat: 5\ndata2: 6\nfoo\n\ndata: 7\n\n", [message("7")]),
        // The last name counts, and holds for one event.
        (
            "event: a\nevent: b\ndata: 1\n\ndata: 2\n\nevent: c\n\ndata: 3\n\nevent: d\nevent\ndata: 4\n\n",
            [ServerSentEvent(name: "b", data: "1"), message("2"), message("3"), message("4")]
        ),
        // Without data there is no event.
        ("event: a\nid: 1\n\n\n\n", []),
        // The end of the stream completes nothing.
        ("data: 1\n", []),
        ("data: 1\n\ndata: 2", [message("1")]),
    ])
    func fieldsHaveTheirMeaning(text: String, expected: [ServerSentEvent]) throws {
        #expect(try parse(text) == expected)
    }

    @Test(
        arguments: [
            ("id: 1\ndata: a\n\ndata: b\n\n", ["1", "1"], "1"),
            // An empty id resets it.
            ("id: 1\ndata: a\n\nid\ndata: b\n\n", ["1", nil], nil),
            ("id: 1\ndata: a\n\nid:\ndata: b\n\n", ["1", nil], nil),
            // An id with NUL is none.
            ("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", ["1", "1"], "1"),
            // The last one of an event counts, wherever it stands.
            ("id: 1\ndata: a\nid: 2\n\n", ["2"], "2"),
            // An event without data isn't delivered, and its id counts.
            ("data: a\n\nid: 3\n\n", [nil], "3"),
            // The id of an event that is cut off doesn't count.
            ("id: 1\ndata: a\n\nid: 2\ndata: b\n", ["1"], "1"),
            ("id: 1\n", [], nil),
        ] as [(String, [String?], String?)])
    func theLastIdIsThatOfTheLastCompleteEvent(text: String, ids: [String?], last: String?) throws {
        var parser = ServerSentEventParser()
        parser.push(Data(text.utf8))
        var found: [String?] = []
        while let event = try parser.next() { found.append(event.id) }
        #expect(found == ids)
        #expect(parser.lastEventId == last)
    }

    @Test func anotherConnectionBeginsWithAnEventOfItsOwn() throws {
        var parser = ServerSentEventParser()
        parser.push(Data("id: 1\nretry: 5\ndata: a\n\nid: 2\nevent: n\ndata: b".utf8))
        #expect(try parser.next() == Self.message("a", id: "1"))
        #expect(try parser.next() == nil)
        parser.reset()
        #expect(parser.lastEventId == "1")
        #expect(parser.reconnectionDelay == .milliseconds(5))
        parser.push(Data("\u{FEFF}data: c\n\n".utf8))
        #expect(try parser.next() == Self.message("c", id: "1"))
    }

    @Test func anEmptyIdOfAnEarlierConnectionIsNone() throws {
        #expect(try parse("data: a\n\n", lastEventId: "") == [Self.message("a")])
        #expect(ServerSentEventParser(lastEventId: "").lastEventId == nil)
    }

    @Test func theIdOfAnEarlierConnectionStays() throws {
        #expect(
            try parse("data: a\n\nid\ndata: b\n\n", lastEventId: "7") == [
                Self.message("a", id: "7"), Self.message("b"),
            ])
    }

    @Test(
        arguments: [
            ("retry: 1500\n", .milliseconds(1_500)),
            ("retry: 0\n", .zero),
            ("retry:007\n", .milliseconds(7)),
            ("retry: 5\nretry: x\n", .milliseconds(5)),
            ("retry: 99999999999999999999999999\n", .seconds(86_400)),
            ("retry: 00000000000000000000000001\n", .milliseconds(1)),
            ("retry: 86400001\n", .seconds(86_400)),
            ("retry: -1\n", nil), ("retry: 1.5\n", nil), ("retry: 1 \n", nil), ("retry\n", nil), ("retry: ٣\n", nil),
            ("retry: 1e3\n", nil), ("retry: +1\n", nil),
            // A field that isn't complete.
            ("retry: 15", nil),
        ] as [(String, Duration?)])
    func aDelayHasDigitsOnly(text: String, delay: Duration?) throws {
        var parser = ServerSentEventParser()
        parser.push(Data(text.utf8))
        #expect(try parser.next() == nil)
        #expect(parser.reconnectionDelay == delay)
    }

    // MARK: Limits

    @Test func aLineIsBounded() throws {
        var parser = ServerSentEventParser(lineLimit: 10)
        parser.push(Data("data: 1234\n\n".utf8))
        #expect(try parser.next() == Self.message("1234"))
        parser.push(Data(": 123456789".utf8))
        let error = thrown(ValueStreamError.self) { try parser.next() }
        #expect(error?.code == .lineTooLong)
        #expect(error?.reason == "A line is longer than 10 bytes, the limit of the stream.")
    }

    @Test func theDataOfAnEventAreBounded() throws {
        var parser = ServerSentEventParser(eventLimit: 7)
        parser.push(Data("data: 123\ndata: 456\n\ndata: 123\ndata: 4567\n".utf8))
        #expect(try parser.next() == Self.message("123\n456"))
        let error = thrown(ValueStreamError.self) { try parser.next() }
        #expect(error?.code == .eventTooLong)
        #expect(error?.reason == "The data of an event is longer than 7 bytes, the limit of the stream.")
    }

    @Test func anEventIsDecoded() throws {
        struct Row: Decodable, Equatable { let id: Int }
        #expect(try ServerSentEvent(data: #"{"id": 7}"#).decode(Row.self) == Row(id: 7))
        #expect(throws: DecodingError.self) { try ServerSentEvent(data: "[DONE]").decode(Row.self) }
    }
}
