package import NodeCore

extension Context where Value == UrlDataResponse {
    /// Bytes of a body from which on what the nodes make of it takes several times what a change of threads does.
    private static var large: Int { 4 << 10 }

    /// Completes with a sender's answer. Where its body is large and a task awaits what the chain makes of it, that happens
    /// in the task, so that the sender's thread can go on with its other transfers; else here.
    package func complete(with answer: UrlDataResponse) {
        if answer.data.count < Self.large { emit(data: answer) } else { settleInWaitingTask(.completed(answer)) }
    }
}
