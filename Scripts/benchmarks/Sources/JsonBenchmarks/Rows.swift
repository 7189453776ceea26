import FoundationEssentials
import Glibc
import Models
import NetChainKit
import NetChainTestKit

private struct Row: Codable, Sendable {
    let id: Int
    let name: String
    let isOpen: Bool
    let amount: Double
    let note: String
}

/// Reads a million rows of 200 bytes as lines from a connection, beside decoding them from one array in memory, which needs
/// about 1 GB: processor time of the process, without that of the transfer, and the memory that reading needs. The array
/// gets memory from the system, as in a program that decodes it once.
func compareRows() async throws -> [Target] {
    let texts = (0..<1_000).map { number in
        let text = #"{"id":\#(100_000 + number),"name":"Row \#(1_000 + number)","isOpen":true,"amount":12.5,"note":""#
        return text + String(repeating: "n", count: 197 - text.utf8.count) + #""}"#
    }
    let block = Array(texts.map { "\($0)\n" }.joined().utf8)
    precondition(block.count == 200_000, "The rows have 200 bytes")
    var array = Data("[".utf8)
    for _ in 0..<1_000 { array.append(contentsOf: "\(texts.joined(separator: ",")),".utf8) }
    array[array.endIndex - 1] = UInt8(ascii: "]")

    let server = try LoopbackServer(recordLimit: 1)
    server.on(.get, "/rows", respond: .repeating(block, length: block.count * 1_000))
    let api = ApiClient(server.url) { $0.log.sink = .silent }
    var growth = 0
    for round in 0..<3 {
        giveBackFreeMemory()
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let (before, start) = (kibibytes("VmRSS"), processTime())
        var count = 0
        for try await row in api.get("rows").lines(of: Row.self) { count += row.isOpen ? 1 : 0 }
        let lines = processTime() - start
        precondition(count == 1_000_000, "Each row was read")
        // The first round sets up the sender and its buffers.
        if round > 0 { growth = max(growth, kibibytes("VmHWM") - before) }

        let second = processTime()
        var size = 0
        for try await piece in try await api.get("rows").stream() { size += piece.count }
        let transfer = processTime() - second
        precondition(size == block.count * 1_000, "Each byte was received")

        giveBackFreeMemory()
        let third = processTime()
        let rows = try JsonDecoder().decode([Row].self, from: array)
        let whole = processTime() - third
        precondition(rows.count == count, "Each row was decoded")
        let ratio = whole / (lines - transfer)
        print(
            pad("a million rows of 200 B", 26), "lines \(rounded(lines / 1e9)) s, their transfer",
            "\(rounded(transfer / 1e9)) s, one array \(rounded(whole / 1e9)) s, \(rounded(ratio))x")
    }
    return [.atMost(16, "memory while a million rows are read, MiB", Double(growth) / 1024)]
}

/// The processor time of the process in nanoseconds.
private func processTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
