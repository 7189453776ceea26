#if canImport(Combine)
public import Combine

extension Observer {
    /// The work as a publisher of one value, which fails with the work's error. Every subscriber gets the value, also
    /// one that subscribes after the completion. A canceled work finishes it without a value; canceling a subscription
    /// cancels the work.
    public var publisher: AnyPublisher<Value, any Error> {
        Deferred {
            Future<Value?, any Error> { promise in
                nonisolated(unsafe) let promise = promise  // a promise may be kept from any thread, once
                onSettled { outcome in
                    switch outcome {
                    case .completed(let value): promise(.success(value))
                    case .failed(let error): promise(.failure(error))
                    case .canceled: promise(.success(nil))
                    }
                }
            }
        }
        .compactMap { $0 }
        .handleEvents(receiveCancel: { cancel() })
        .eraseToAnyPublisher()
    }
}
#endif
