public import NodeCore

extension AnyNode {
    /// Writes a line of level `info` to the journal of the chain run in progress, under this node's name.
    ///
    /// With no logger in the chain this costs at most one read of a task-local value, and `message` is not evaluated.
    /// It is masked as a text of unknown type (``Redaction/text(_:)``). The form whose closure gets the logger's rules
    /// masks a header, a URL without a scheme or a body.
    ///
    /// Call it in `process` or in an operator's closure; elsewhere (a socket's thread, a timer) the run is unknown: use
    /// `log` of an observer there.
    @inlinable
    public func log(_ message: @autoclosure @escaping @Sendable () -> String) {
        guard let journal = Journal.current else { return }
        journal.log(.info, by: self, message)
    }

    /// Writes a line to the journal of the chain run in progress, under this node's name.
    ///
    /// ```swift
    /// log(.debug, "\(request.method) \(request.url)")
    /// ```
    @inlinable
    public func log(_ level: LogLevel, _ message: @autoclosure @escaping @Sendable () -> String) {
        guard let journal = Journal.current else { return }
        journal.log(level, by: self, message)
    }

    /// Writes a line to the journal of the chain run in progress, under this node's name: the form for hot paths.
    ///
    /// ```swift
    /// log(.debug) { "\(request.method) \(request.url)" }
    /// ```
    ///
    /// Without a logger not even the closure is created, so that what it captures costs nothing; the forms with a bare
    /// string create theirs (some 50 ns).
    @inlinable
    public func log(_ level: LogLevel = .info, message: @autoclosure () -> @Sendable () -> String) {
        guard let journal = Journal.current else { return }
        journal.log(level, by: self, message())
    }

    /// Writes a line whose message masks its parts with the logger's rules. Nothing else is masked in it. It costs as
    /// little as the form without rules.
    ///
    /// ```swift
    /// log(.debug) { redaction in redaction.headers(headers).map { "\($0): \($1)" }.joined(separator: "\n") }
    /// ```
    @inlinable
    public func log(_ level: LogLevel = .info, message: @autoclosure () -> @Sendable (Redaction) -> String) {
        guard let journal = Journal.current else { return }
        journal.log(level, by: self, message())
    }
}

extension AnyNode {
    /// Writes the failure of a step: by default as a warning, since a retry or another node may recover from it.
    package func log(_ error: any Error, level: LogLevel = .warning) {
        guard let journal = Journal.current else { return }
        var details = Log.Details()
        details.error = error
        journal.append(
            Log(
                id: name, level: level, kind: .failure, details: details, retainedBytes: error.retainedBodyBytes
            ) { redaction in redaction.text("\(error)") })
    }

    /// Writes an event with details. Without a logger nothing is evaluated.
    package func log(
        _ level: LogLevel, _ kind: Log.Kind = .message, details: @autoclosure () -> Log.Details = Log.Details(),
        retainedBytes: @autoclosure () -> Int = 0, message: @autoclosure () -> @Sendable (Redaction) -> String
    ) {
        guard let journal = Journal.current else { return }
        journal.append(
            Log(
                id: name, level: level, kind: kind, details: details(), retainedBytes: retainedBytes(),
                message: message()))
    }
}

extension Observer {
    /// Writes a line to this observer's own journal: for code outside a node or on another thread.
    ///
    /// - Parameters:
    ///   - level: the severity.
    ///   - id: the writer: by convention a node's name; filters compare it.
    ///   - message: the text; created only when a sink shows it.
    @discardableResult
    @inlinable
    public func log(
        _ level: LogLevel = .info, id: String, _ message: @autoclosure @escaping @Sendable () -> String
    ) -> Observer {
        journal?.append(Log(id: id, level: level, message: message))
        return self
    }
}

extension Journal {
    /// The slow path of writing a line, separate so that the fast path can be inlined.
    @usableFromInline
    func log(_ level: LogLevel, by node: AnyNode, _ message: @escaping @Sendable () -> String) {
        append(Log(id: node.name, level: level, message: message))
    }

    @usableFromInline
    func log(_ level: LogLevel, by node: AnyNode, _ message: @escaping @Sendable (Redaction) -> String) {
        append(Log(id: node.name, level: level, message: message))
    }
}
