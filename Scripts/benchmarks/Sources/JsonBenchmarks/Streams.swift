import EventStreams
import FoundationEssentials

/// Measures the parsers of streams on pieces of 64 KiB, as a sender delivers them.
func compareStreams(seconds: Double) throws -> [Target] {
    // 100 bytes with its empty line.
    let event = Array("id: 12345678\ndata: \(String(repeating: "x", count: 79))\n\n".utf8)
    let comment = Array(": \(String(repeating: "x", count: 97))\n".utf8)
    precondition(event.count == 100 && comment.count == 100, "The rows say 100 bytes")
    let megabyte = 1_048_500
    let events = pieces(of: Array(repeatElement(event, count: megabyte / 100).joined()))
    let comments = pieces(of: Array(repeatElement(comment, count: megabyte / 100).joined()))
    let measurement = try report(
        "parse 100 B", bytes: megabyte, seconds: seconds,
        [
            Contender(name: "events") { try read(events, count: megabyte / 100) },
            Contender(name: "comments") { try read(comments, count: 0) },
        ])
    return [.atLeast(500, "events of 100 B, MB/s", Double(megabyte) / measurement.time(0) * 1_000)]
}

private func read(_ pieces: [Data], count expected: Int) throws {
    var parser = ServerSentEventParser()
    var count = 0
    for piece in pieces {
        parser.push(piece)
        while let event = try parser.next() {
            blackHole(event)
            count += 1
        }
    }
    precondition(count == expected, "Each event was read")
}

private func pieces(of bytes: [UInt8]) -> [Data] {
    stride(from: 0, to: bytes.count, by: 65_536).map { Data(bytes[$0..<min($0 + 65_536, bytes.count)]) }
}
