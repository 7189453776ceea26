/// A request that is held, and the means to answer it, or not to, whenever the test wants.
///
/// All operations can be used from any thread and return at once; bytes go out in the order of the calls. Those that
/// return `Bool` say whether they had an effect: false when the answer has ended or the connection is gone. A handle
/// that is dropped leaves the request unanswered.
public final class LoopbackExchange: Sendable {
    /// The request.
    public let request: LoopbackRequest
    let id: Int
    private let core: ServerCore

    init(id: Int, request: LoopbackRequest, core: ServerCore) {
        self.id = id
        self.request = request
        self.core = core
    }

    /// Answers with a whole response. ``LoopbackResponse/held`` changes nothing.
    @discardableResult
    public func respond(_ response: LoopbackResponse) -> Bool {
        perform { stage in
            guard case .waiting = stage else { return nil }
            if case .held = response.kind { return nil }
            stage = .ending
            return ResponseWriter.pieces(for: response, to: request, exchange: id)
        }
    }

    /// Sends the status line and the headers; the body follows by `sendBody(_:)`, its end by ``finish()``.
    ///
    /// Without a `Content-Length` or `Transfer-Encoding` among the headers the body is sent in chunked coding, each
    /// `sendBody(_:)` one chunk.
    @discardableResult
    public func sendHead(_ status: Int = 200, headers: LoopbackHeaders = [:]) -> Bool {
        perform { stage in
            guard case .waiting = stage else { return nil }
            let hasBody = status >= 200 && status != 204 && status != 304
            let response = LoopbackResponse(status: status, headers: headers, body: hasBody ? .chunks([]) : .none)
            let isFramed = headers["Content-Length"] != nil || headers["Transfer-Encoding"] != nil
            stage = .streaming(isChunked: hasBody && !isFramed && request.method != .head)
            return [.bytes(Array(ResponseWriter.head(of: response, to: request).utf8))]
        }
    }

    /// Sends bytes of the body, after ``sendHead(_:headers:)``; to a HEAD request nothing goes out.
    @discardableResult
    public func sendBody(_ bytes: [UInt8]) -> Bool {
        perform { stage in
            guard case .streaming(let isChunked) = stage else { return nil }
            if bytes.isEmpty || request.method == .head { return [] }
            return [.bytes(isChunked ? ResponseWriter.chunk(bytes) : bytes)]
        }
    }

    /// Sends text of the body, after ``sendHead(_:headers:)``.
    @discardableResult
    public func sendBody(_ text: String) -> Bool {
        sendBody(Array(text.utf8))
    }

    /// Sends exactly these bytes, with no framing, before, inside or after the rest.
    @discardableResult
    public func sendRaw(_ bytes: [UInt8]) -> Bool {
        perform { stage in
            if case .ending = stage { return nil }
            return [.bytes(bytes)]
        }
    }

    /// Sends exactly this text, with no framing, before, inside or after the rest.
    @discardableResult
    public func sendRaw(_ text: String) -> Bool {
        sendRaw(Array(text.utf8))
    }

    /// Ends the answer: sends the last chunk where the body is chunked, and lets the connection go on to its next
    /// request, or closes it where the client asked for that.
    @discardableResult
    public func finish() -> Bool {
        perform { stage in
            if case .ending = stage { return nil }
            var pieces: [WirePiece] = []
            if case .streaming(isChunked: true) = stage { pieces.append(.bytes(Array("0\r\n\r\n".utf8))) }
            stage = .ending
            return pieces + [request.keepsAlive ? .finished(exchange: id) : .close]
        }
    }

    /// Closes the connection (FIN) after what was sent so far.
    @discardableResult
    public func close() -> Bool {
        end(with: .close)
    }

    /// Resets the connection (RST) after what was sent so far.
    @discardableResult
    public func reset() -> Bool {
        end(with: .reset)
    }

    /// Waits until the connection has ended: because the client closed it, which the server notices also while the
    /// request is held, or because the server did.
    /// - Throws: ``LoopbackError`` with `timedOut` after the limit; `CancellationError`.
    public func clientClosed(within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .connectionEnd(request.connectionID), within: limit)
    }

    private func end(with piece: WirePiece) -> Bool {
        perform { stage in
            if case .ending = stage { return nil }
            stage = .ending
            return [piece]
        }
    }

    /// Enqueues what `step` makes of the exchange's stage, unless that is nothing.
    private func perform(_ step: @Sendable (inout ServerState.Stage) -> [WirePiece]?) -> Bool {
        core.withState { state in
            guard var exchange = state.exchanges[id], !state.isStopped, let pieces = step(&exchange.stage) else {
                return false
            }
            state.exchanges[id] = exchange
            core.post([.enqueue(connection: request.connectionID, pieces)], in: &state)
            return true
        }
    }
}
