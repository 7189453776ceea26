import EventStreams

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Any split of the bytes gives the same events, and limits hold.
@Sendable func fuzzEvents(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    let whole = read([bytes])
    require(read(bytes.map { [$0] }) == whole, "single bytes give the same events")
    // The input says where it is split.
    let first = bytes.first.map { Int($0) % (bytes.count + 1) } ?? 0
    let pieces = [Array(bytes[..<first]), [], Array(bytes[first...])]
    require(read(pieces) == whole, "two pieces give the same events")
    for event in whole.events {
        require(!event.name.isEmpty, "an event has a name")
        require(event.id?.isEmpty != true && event.id?.utf8.contains(0) != true, "an id is not empty and has no NUL")
        require(!event.name.utf8.contains { $0 == 10 || $0 == 13 }, "a name is one line")
        require(!event.data.utf8.contains(13), "lines of data are separated by LF")
    }
    if whole.isWithinLimits { require(rewritten(whole.events) == whole.events, "what is written reads back") }
}

private struct ReadEvents: Equatable {
    var events: [ServerSentEvent] = []
    var lastEventId: String?
    var delay: Duration?
    var isWithinLimits = true
}

private func read(_ pieces: [[UInt8]], limit: Int = 40) -> ReadEvents {
    var parser = ServerSentEventParser(lineLimit: limit, eventLimit: limit)
    var read = ReadEvents()
    do {
        for piece in pieces {
            parser.push(Data(piece))
            while let event = try parser.next() {
                require(event.data.utf8.count <= 3 * limit, "data are bounded")
                read.events.append(event)
            }
        }
    } catch {
        read.isWithinLimits = false
    }
    (read.lastEventId, read.delay) = (parser.lastEventId, parser.reconnectionDelay)
    return read
}

private func rewritten(_ events: [ServerSentEvent]) -> [ServerSentEvent] {
    var text = ""
    for event in events {
        text += "event: \(event.name)\rid: \(event.id ?? "")\n"
        for line in event.data.split(separator: "\n", omittingEmptySubsequences: false) { text += "data: \(line)\r\n" }
        text += "\n"
    }
    return read([Array(text.utf8)], limit: 1_000).events
}
