package import NodeCore

extension Context where Value == UrlDataResponse {
    /// Ends with a sender's answer, or its error. Where a task awaits what the chain makes of an answer, that happens in the
    /// task, so that the sender's thread can go on with its other transfers; else here.
    package func end(with result: Result<UrlDataResponse, TransportError>) {
        switch result {
        case .success(let answer): settleInWaitingTask(.completed(answer))
        case .failure(let error): emit(error: error)
        }
    }
}
