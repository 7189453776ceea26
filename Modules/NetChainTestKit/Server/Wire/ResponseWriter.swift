import HttpMessages

/// Converts a response to the pieces that a connection processes.
enum ResponseWriter {
    /// The pieces of `response` to `request`. The last one ends the exchange or the connection. A held response has
    /// none.
    static func pieces(for response: LoopbackResponse, to request: LoopbackRequest, exchange: Int) -> [WirePiece] {
        var pieces: [WirePiece] = []
        if let delay = response.flow.delay { pieces.append(.pause(delay)) }
        if let pace = response.flow.pace { pieces.append(.pace(step: pace.bytes, interval: pace.interval)) }
        var isOpenEnded = false
        switch response.behavior {
        case .held:
            return []
        case .raw(let bytes):
            pieces += limited([.bytes(bytes)], headLength: bytes.count, response.flow)
        case .endlessHeaders(let line):
            let start = Array("HTTP/1.1 \(response.status) \(response.reason)\r\n".utf8)
            pieces += limited([.bytes(start), .repeated(line, count: nil)], headLength: start.count, response.flow)
        case .respond:
            let head = Array(head(of: response, to: request).utf8)
            var body = request.method == .head ? [] : body(of: response)
            // One write for a small response: head and body in one packet, as most servers send them.
            if case .bytes(let first)? = body.first, first.count <= 65_536 {
                body[0] = .bytes(head + first)
            } else {
                body.insert(.bytes(head), at: 0)
            }
            pieces += limited(body, headLength: head.count, response.flow)
            if case .untilClose = response.body, request.method != .head { isOpenEnded = true }
        }
        if !response.flow.extra.isEmpty {
            // One write here too: between two writes, a client could start its next request.
            if case .bytes(let last)? = pieces.last, last.count <= 65_536 {
                pieces[pieces.count - 1] = .bytes(last + response.flow.extra)
            } else {
                pieces.append(.bytes(response.flow.extra))
            }
        }
        if response.flow.pace != nil { pieces.append(.pace(step: 0, interval: .zero)) }
        switch response.flow.end {
        case .keep: pieces += request.keepsAlive && !isOpenEnded ? [.finished(exchange: exchange)] : [.close]
        case .close: pieces.append(.close)
        case .reset: pieces.append(.reset)
        case .stall: pieces.append(.stall)
        }
        return pieces
    }

    /// The status line, the headers and the empty line.
    static func head(of response: LoopbackResponse, to request: LoopbackRequest) -> String {
        var headers = response.headers
        if headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil {
            switch response.body {
            case .none where response.status < 200 || response.status == 204 || response.status == 304: break
            case .none: headers.add(name: "Content-Length", value: "0")
            case .bytes(let bytes): headers.add(name: "Content-Length", value: "\(bytes.count)")
            case .repeating(_, let length?): headers.add(name: "Content-Length", value: "\(length)")
            case .chunks, .endlessChunks: headers.add(name: "Transfer-Encoding", value: "chunked")
            case .repeating, .untilClose: break
            }
        }
        if !request.keepsAlive, headers["Connection"] == nil { headers.add(name: "Connection", value: "close") }
        return "HTTP/1.1 \(response.status) \(response.reason)\r\n\(headers.wireText)\r\n"
    }

    /// `bytes` as one chunk of a chunked body.
    static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    private static func body(of response: LoopbackResponse) -> [WirePiece] {
        switch response.body {
        case .none: return []
        case .bytes(let bytes), .untilClose(let bytes): return [.bytes(bytes)]
        case .repeating(let block, let length): return [.repeated(block, count: length)]
        case .endlessChunks(let block): return [.repeated(chunk(block), count: nil)]
        case .chunks(let chunks, let trailers, let isTerminated):
            let last = Array("0\r\n\(trailers.wireText)\r\n".utf8)
            var pieces: [WirePiece] = []
            for content in chunks where !content.isEmpty {
                if let interval = response.flow.chunkInterval, !pieces.isEmpty { pieces.append(.pause(interval)) }
                pieces.append(.bytes(chunk(content)))
            }
            return pieces + (isTerminated ? [.bytes(last)] : [])
        }
    }

    /// The pieces up to the flow's limit.
    private static func limited(
        _ pieces: [WirePiece], headLength: Int, _ flow: LoopbackResponse.Flow
    ) -> [WirePiece] {
        guard var rest = flow.isCutInHead ? headLength / 2 : flow.limit else { return pieces }
        var result: [WirePiece] = []
        for piece in pieces where rest > 0 {
            switch piece {
            case .bytes(let bytes):
                result.append(.bytes(Array(bytes.prefix(rest))))
                rest -= min(rest, bytes.count)
            case .repeating(let block, let count):
                let taken = min(rest, count ?? rest)
                result.append(.repeating(block, count: taken))
                rest -= taken
            default:
                result.append(piece)
            }
        }
        return result
    }
}
