#if canImport(Combine)
public import Combine

extension Observer {
    /// The work as a publisher of one value, which fails with the work's error. A canceled work finishes it without a
    /// value; cancelling the subscription cancels the work.
    public var publisher: AnyPublisher<Value, any Error> {
        let subject = PassthroughSubject<Value, any Error>()
        return
            subject
            .handleEvents(
                receiveSubscription: { [self] _ in
                    nonisolated(unsafe) let subject = subject  // a subject is thread-safe, and protects itself
                    onSettled { outcome in
                        switch outcome {
                        case .completed(let value):
                            subject.send(value)
                            subject.send(completion: .finished)
                        case .failed(let error): subject.send(completion: .failure(error))
                        case .canceled: subject.send(completion: .finished)
                        }
                    }
                },
                receiveCancel: { cancel() }
            )
            .eraseToAnyPublisher()
    }
}
#endif
