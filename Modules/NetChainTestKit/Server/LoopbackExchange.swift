import HttpMessages

/// A held request. The test responds to it at any time, or not at all.
///
/// All operations can be used from any thread. Those that return `Bool` return at once, and their bytes are sent in the
/// order of the calls. The result is false, and the call has no effect, if the response is complete or the connection
/// is closed. An exchange that is released leaves the request without a response.
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

    /// Sends a whole response. ``LoopbackResponse/held`` has no effect.
    @discardableResult
    public func respond(_ response: LoopbackResponse) -> Bool {
        perform { progress in
            guard case .waiting = progress else { return nil }
            if case .held = response.behavior { return nil }
            progress = .ending
            return ResponseWriter.pieces(for: response, to: request, exchange: id)
        }
    }

    /// Sends the status line and the headers. `sendBody(_:)` sends the body, ``finish()`` completes it.
    ///
    /// Without a `Content-Length` or `Transfer-Encoding` header, the body is sent in chunked coding, one chunk for each
    /// `sendBody(_:)`.
    @discardableResult
    public func sendHead(_ status: Int = 200, headers: HttpHeaders = [:]) -> Bool {
        perform { progress in
            guard case .waiting = progress else { return nil }
            let hasBody = status >= 200 && status != 204 && status != 304
            let response = LoopbackResponse(status: status, headers: headers, body: hasBody ? .chunks([]) : .none)
            let isFramed = headers["Content-Length"] != nil || headers["Transfer-Encoding"] != nil
            progress = .streaming(isChunked: hasBody && !isFramed && request.method != .head)
            return [.bytes(Array(ResponseWriter.head(of: response, to: request).utf8))]
        }
    }

    /// Sends bytes of the body, after ``sendHead(_:headers:)``. In response to `HEAD` nothing is sent.
    @discardableResult
    public func sendBody(_ bytes: [UInt8]) -> Bool {
        perform { progress in
            guard case .streaming(let isChunked) = progress else { return nil }
            if bytes.isEmpty || request.method == .head { return [] }
            return [.bytes(isChunked ? ResponseWriter.chunk(bytes) : bytes)]
        }
    }

    /// Sends text of the body, after ``sendHead(_:headers:)``.
    @discardableResult
    public func sendBody(_ text: String) -> Bool {
        sendBody(Array(text.utf8))
    }

    /// Sends exactly these bytes, without framing, at any time before the response is complete.
    @discardableResult
    public func sendRaw(_ bytes: [UInt8]) -> Bool {
        perform { progress in
            if case .ending = progress { return nil }
            return [.bytes(bytes)]
        }
    }

    /// Sends exactly this text, without framing, at any time before the response is complete.
    @discardableResult
    public func sendRaw(_ text: String) -> Bool {
        sendRaw(Array(text.utf8))
    }

    /// Completes the response, with the last chunk if the body is chunked. The connection then continues with its next
    /// request, or closes if the client requested that.
    @discardableResult
    public func finish() -> Bool {
        perform { progress in
            if case .ending = progress { return nil }
            var pieces: [WirePiece] = []
            if case .streaming(isChunked: true) = progress { pieces.append(.bytes(Array("0\r\n\r\n".utf8))) }
            progress = .ending
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

    /// Waits until the client or the server has closed the connection. The server detects a close by the client also
    /// while the request is held.
    /// - Throws: ``LoopbackError`` with `timedOut` after the limit, `CancellationError` if the task is canceled.
    public func clientClosed(within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .connectionEnd(request.connectionID), within: limit)
    }

    private func end(with piece: WirePiece) -> Bool {
        perform { progress in
            if case .ending = progress { return nil }
            progress = .ending
            return [piece]
        }
    }

    /// Enqueues the pieces that `step` returns. False if it returns nil, or if the exchange has ended.
    private func perform(_ step: @Sendable (inout ServerState.ResponseProgress) -> [WirePiece]?) -> Bool {
        core.withState { state in
            guard var exchange = state.exchanges[id], !state.isStopped, let pieces = step(&exchange.progress) else {
                return false
            }
            state.exchanges[id] = exchange
            core.post([.enqueue(connection: request.connectionID, pieces)], in: &state)
            return true
        }
    }
}
