package import NodeCore
import Synchronization

/// Values that arrive from any thread, in the order of arrival.
package final class Gathered<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    package init() {}

    package func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    package var all: [Element] { elements.withLock { $0 } }

    package func takeAll() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}

extension Observer {
    /// All terminal events of this observer, by name, as they come.
    package var events: Gathered<String> {
        let events = Gathered<String>()
        onCompleted { _ in events.append("completed") }
        onError { _ in events.append("failed") }
        onCanceled { events.append("canceled") }
        return events
    }

    /// The end of the work, whichever it is.
    package func end() async -> Outcome<Value> {
        await withCheckedContinuation { continuation in
            onSettled { continuation.resume(returning: $0) }
        }
    }
}
