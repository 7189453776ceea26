import Dispatch
import NodeCore

/// The ways from one observer to another: every operator, and the nodes and bridges that act as one.
enum Way: CaseIterable, Sendable {
    case map, flatMap, mapError, recover, catchError, then, chain, combineLeft, combineRight
    case combineTolerance, filter, dispatchOn, multicast, process, async, all

    /// Goes this way from `observer`. The operator's closure calls `touch`.
    func from(
        _ observer: Observer<Int>, on queue: DispatchQueue, _ touch: @escaping @Sendable () -> Void = {}
    ) -> Observer<Int> {
        switch self {
        case .map: return observer.map { touched($0, touch) }
        case .flatMap: return observer.flatMap { Observer.emit(data: touched($0, touch)) }
        case .mapError: return observer.mapError { touched($0, touch) }
        case .recover: return observer.recover { Observer.emit(error: touched($0, touch)) }
        case .catchError: return observer.catchError { (_: Oops) in touch() }
        case .then: return observer.then { Observer(touched($0, touch)) }
        case .chain: return observer.chain { Observer.emit(data: touched($0, touch)) }.map { $0.0 }
        case .combineLeft: return observer.map { touched($0, touch) }.combine(Observer.emit(data: 0)).map { $0 + $1 }
        case .combineRight: return Observer.emit(data: 0).combine(observer.map { touched($0, touch) }).map { $0 + $1 }
        case .combineTolerance:
            return observer.combineTolerance(Observer<Int>.emit(error: Oops("other"))).map { first, _ in
                guard let first else { throw Oops() }
                return touched(first, touch)
            }
        case .filter:
            return observer.map { [$0] }.filter { touched($0, touch) == $0 }.map { $0.reduce(0, +) }
        case .dispatchOn: return observer.dispatchOn(queue).map { touched($0, touch) }
        case .multicast: return observer.multicast().map { touched($0, touch) }
        case .process: return observer.map { touched($0, touch) }.process { $0.onSettled { _ in } }
        case .async: return Observer(async: { touched(try await observer.value, touch) })
        case .all:
            let others = Way.allCases.filter { $0 != .all && $0 != .async }
            return others.reduce(observer) { $1.from($0, on: queue, touch) }
        }
    }
}

private func touched<Value>(_ value: Value, _ touch: () -> Void) -> Value {
    touch()
    return value
}
