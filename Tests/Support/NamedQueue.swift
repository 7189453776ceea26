package import Dispatch

/// A serial queue that code can find itself on.
package struct NamedQueue: Sendable {
    /// `@unchecked` because Swift 6.0's Dispatch doesn't say that a key is `Sendable`; it has no state.
    private struct Key: @unchecked Sendable {
        let value = DispatchSpecificKey<String>()
    }

    private static let key = Key()
    package let queue: DispatchQueue

    package init(_ name: String, _ queue: DispatchQueue? = nil) {
        self.queue = queue ?? DispatchQueue(label: name)
        self.queue.setSpecific(key: NamedQueue.key.value, value: name)
    }

    /// The name of the queue that the caller runs on, "none" elsewhere.
    package static var current: String {
        DispatchQueue.getSpecific(key: key.value) ?? "none"
    }

    /// Waits until what is in the queue has run.
    package func drain() {
        queue.sync {}
    }
}
