import NetChainKit
import NetChainTestKit
import SeededNumbers
import Synchronization

/// A server of numbered events and rows that cuts, stalls, restarts and lies.
///
/// Event N has the id N and the data N. A client that asks with `Last-Event-ID: N` gets N + 1 and what follows.
final class Feed: Sendable {
    /// What goes wrong with one connection, after some whole events.
    enum Fault: CaseIterable {
        case none, close, reset, cutEvent, cutField, cutNumber, stall, garbage, tooLong, unavailable, redirect, comments
        case idWithoutEvent, oddLines, zeroDelay, otherType
    }

    let server: LoopbackServer
    private let random: Mutex<Seeded>
    private let faults = Mutex<[String: Int]>([:])
    /// How many rows an export has.
    static let rows = 2_000

    init(seed: UInt64) throws {
        server = try LoopbackServer(recordLimit: 100)
        random = Mutex(Seeded(seed))
        server.onExchange(.get, "/feed") { [weak self] exchange in self?.serveFeed(exchange) }
        server.onExchange(.get, "/moved") { [weak self] exchange in self?.serveFeed(exchange) }
        server.onExchange(.get, "/rows") { [weak self] exchange in self?.serveRows(exchange, isArray: false) }
        server.onExchange(.get, "/array") { [weak self] exchange in self?.serveRows(exchange, isArray: true) }
    }

    /// How often each fault was served.
    var summary: String {
        faults.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private func draw(_ bound: Int) -> Int { random.withLock { Int($0.next() % UInt64(bound)) } }

    private func drawFault() -> Fault {
        let all = Fault.allCases
        let fault = all[draw(all.count)]
        faults.withLock { $0["\(fault)", default: 0] += 1 }
        return fault
    }

    // MARK: Events

    private func serveFeed(_ exchange: LoopbackExchange) {
        let fault = drawFault()
        let last = exchange.request.headers["Last-Event-ID"].flatMap { Int($0) } ?? 0
        switch fault {
        case .unavailable:
            exchange.respond(.status(503))
            return
        case .otherType:
            exchange.respond(.text("data: 1\n\n"))
            return
        case .redirect where exchange.request.path == "/feed":
            exchange.respond(.redirect(to: "/moved", status: 307))
            return
        default: break
        }
        exchange.sendHead(headers: ["Content-Type": "text/event-stream"])
        exchange.sendBody("retry: \(fault == .zeroDelay ? 0 : 1 + draw(20))\n")
        let count = 1 + draw(200)
        // Many at once, so that pieces end anywhere.
        var text = ""
        for number in last + 1...last + count {
            text += Self.event(number, odd: fault == .oddLines)
            if fault == .comments { text += ":\(String(repeating: " ping", count: draw(50)))\n\n" }
            if draw(20) == 0 {
                exchange.sendBody(text)
                text = ""
            }
        }
        exchange.sendBody(text)
        end(exchange, fault, next: last + count + 1)
    }

    private static func event(_ number: Int, odd: Bool) -> String {
        odd
            ? "data:\(number)\r:\rid:\(number)\rignored\r\r"
            : "id: \(number)\ndata: \(number)\n\n"
    }

    private func end(_ exchange: LoopbackExchange, _ fault: Fault, next: Int) {
        switch fault {
        case .none, .redirect, .comments, .oddLines, .zeroDelay, .unavailable, .otherType: exchange.finish()
        case .close: exchange.close()
        case .reset: exchange.reset()
        case .cutEvent:
            exchange.sendBody("id: \(next)\ndata: \(next)\n")
            exchange.close()
        case .cutField:
            exchange.sendBody("data: \(next)\nid: \(next)")
            exchange.finish()
        case .cutNumber:
            exchange.sendBody("id: \(next)\ndata: \(next / 10)")
            exchange.reset()
        case .stall: return
        case .garbage:
            exchange.sendRaw(Array("zz\r\nno chunk\r\n".utf8))
            exchange.close()
        case .tooLong: exchange.sendBody("data: \(String(repeating: "x", count: 1 << 21))")
        case .idWithoutEvent:
            // The id of what the client has, once more: an event without data is none.
            exchange.sendBody("id: \(next - 1)\n\n\n\nevent: x\n\n")
            exchange.finish()
        }
    }

    // MARK: Rows

    private func serveRows(_ exchange: LoopbackExchange, isArray: Bool) {
        let fault = drawFault()
        if fault == .unavailable {
            exchange.respond(.status(503))
            return
        }
        exchange.sendHead(headers: ["Content-Type": isArray ? "application/json" : "application/x-ndjson"])
        let isCut = [.close, .reset, .stall, .garbage, .tooLong].contains(fault)
        let count = isCut ? draw(Self.rows) : Self.rows
        var text = isArray ? #"{"skip": [1, {"items": 2}], "items": ["# : ""
        for number in 0..<count {
            if isArray, number > 0 { text += "," }
            text += #"{"id": \#(number), "name": "\#(String(repeating: "n", count: draw(40)))"}"#
            text += isArray ? [" ", "\n", ""][draw(3)] : "\n"
            if text.utf8.count > 1_000 {
                exchange.sendBody(text)
                text = ""
            }
        }
        exchange.sendBody(text)
        if isCut { return end(exchange, fault, next: count) }
        if isArray { exchange.sendBody("], \"more\": null}") }
        exchange.finish()
    }
}
