package import NodeCore

extension Context where Value == UrlDataResponse {
    /// Bytes of a body from which on what the nodes make of it takes several times what a change of threads does.
    private static var large: Int { 4 << 10 }

    /// Ends with a sender's answer, or its error. Where a body is large and a task awaits what the chain makes of it, that
    /// happens in the task, so that the sender's thread can go on with its other transfers; else here.
    package func end(with result: Result<UrlDataResponse, TransportError>) {
        switch result {
        case .success(let answer) where answer.data.count < Self.large: emit(data: answer)
        case .success(let answer): settleInWaitingTask(.completed(answer))
        case .failure(let error): emit(error: error)
        }
    }
}
