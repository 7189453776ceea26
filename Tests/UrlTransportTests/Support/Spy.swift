import NodeCore
import Synchronization

/// A node that notes what reaches it and answers with the same value each time.
final class Spy<Input: Sendable, Output: Sendable>: Node<Input, Output>, @unchecked Sendable {
    private let answer: Output
    private let noted = Mutex<[Input]>([])

    init(answer: Output) {
        self.answer = answer
    }

    var inputs: [Input] { noted.withLock { $0 } }

    override func process(_ data: Input) -> Observer<Output> {
        noted.withLock { $0.append(data) }
        return .emit(data: answer)
    }
}

extension Spy where Output == Void {
    convenience init() {
        self.init(answer: ())
    }
}

/// Values that arrive from any thread, in the order of arrival.
final class Gathered<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    var all: [Element] { elements.withLock { $0 } }

    func takeAll() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}

extension Observer {
    /// All terminal events of this observer, by name, as they come.
    var events: Gathered<String> {
        let events = Gathered<String>()
        onCompleted { _ in events.append("completed") }
        onError { _ in events.append("failed") }
        onCanceled { events.append("canceled") }
        return events
    }

    /// The end of the work, whichever it is.
    func end() async -> Outcome<Value> {
        await withCheckedContinuation { continuation in
            onSettled { continuation.resume(returning: $0) }
        }
    }
}
