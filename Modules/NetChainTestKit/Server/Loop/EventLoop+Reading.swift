import HttpMessages

extension EventLoop {
    /// Reads and processes the available bytes, at most one buffer so that no connection starves the others.
    func read(_ connection: Connection) {
        switch Sockets.receive(connection.descriptor, into: scratch) {
        case .bytes(let count):
            traffic.received += count
            switch connection.phase {
            case .receiving, .answering:
                connection.parser.append(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
                if connection.isReceiving { advance(connection) } else { updateInterest(of: connection) }
            case .ending, .draining:
                break
            }
        case .wouldBlock:
            break
        case .ended:
            close(connection)
        }
    }

    /// Sends pending pieces and parses buffered requests, until the connection has to wait.
    func advance(_ connection: Connection) {
        repeat {
            flush(connection)
        } while connection.isOpen && connection.isReceiving && parse(connection)
        updateInterest(of: connection)
    }

    /// Parses the next part of a request; false if more bytes are needed.
    private func parse(_ connection: Connection) -> Bool {
        guard !connection.isReadingStopped else { return false }
        switch connection.parser.next() {
        case .needsMore:
            return applyCut(connection)
        case .head(let request, let hasBody):
            if hasBody { begin(bodyOf: request, connection) }
        case .complete(let request):
            connection.rule = nil
            let (exchange, pieces) = core.receive(request, takeTraffic())
            connection.phase = .answering(exchange: exchange)
            connection.enqueue(pieces)
        case .malformed(let status, let reason):
            core.withState { $0.counts.malformedRequests += 1 }
            let response = LoopbackResponse.text("\(reason)\n", status: status).header("Connection", "close").closing()
            end(connection, with: response)
        }
        return true
    }

    private func begin(bodyOf request: LoopbackRequest, _ connection: Connection) {
        let rule = core.withState { $0.uploadRule(for: request) }
        connection.rule = rule
        connection.parser.keepsBody = rule?.keepsBody ?? true
        connection.parser.bodyLimit = rule?.cut?.afterBytes
        let expectsContinue = request.headers.contains(token: "100-continue", in: "Expect")
        if expectsContinue, rule?.sendsContinue ?? true, connection.parser.waiting == 0 {
            connection.enqueue([.bytes(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))])
        }
    }

    /// Applies the cut of an upload rule once enough of the body has arrived; true if it was applied.
    private func applyCut(_ connection: Connection) -> Bool {
        guard let request = connection.parser.current, let cut = connection.rule?.cut,
            request.bodyLength >= cut.afterBytes
        else { return false }
        switch cut.action {
        case .stopReading:
            connection.isReadingStopped = true
        case .answer(var response):
            core.withState { $0.incompleteRequests.append(request) }
            if response.headers["Connection"] == nil { response.headers.add(name: "Connection", value: "close") }
            end(connection, with: response)
        }
        return true
    }

    /// Sends the connection's last response.
    private func end(_ connection: Connection, with response: LoopbackResponse) {
        let request =
            connection.parser.current
            ?? LoopbackRequest(
                method: .get, target: "/", version: "HTTP/1.1", headers: [:], connectionID: connection.id,
                indexOnConnection: 0, remotePort: 0)
        let pieces = ResponseWriter.pieces(for: response, to: request, exchange: 0).map { piece -> WirePiece in
            if case .finished = piece { .close } else { piece }
        }
        connection.phase = .ending
        connection.enqueue(pieces)
    }
}
