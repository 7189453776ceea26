/// What the events of a run say of its last request.
struct LastRequest {
    private(set) var details = Log.Details()

    /// Adds an event, in the order of arrival.
    mutating func add(_ log: Log) {
        let new = log.unmasked
        guard new.url != nil else { return }
        details.method = new.method
        details.url = new.url
        details.attempt = new.attempt ?? details.attempt
        // The attempt of a stream ends after its response.
        if log.kind != .attempt { details.status = log.kind == .response ? new.status : nil }
    }
}
