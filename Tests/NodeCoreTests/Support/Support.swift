import Dispatch
import NodeCore
import Synchronization

/// An error that a test makes and recognizes.
struct Oops: Error, Hashable {
    let text: String

    init(_ text: String = "oops") {
        self.text = text
    }
}

/// What happened, in order, from any thread.
final class Recorder<Event: Sendable>: Sendable {
    private let gathered = Mutex<[Event]>([])

    var events: [Event] {
        gathered.withLock { $0 }
    }

    func add(_ event: Event) {
        gathered.withLock { $0.append(event) }
    }
}

/// An object to look after with a weak reference.
final class Token: Sendable {}

final class Weak: @unchecked Sendable {  // a weak reference is safe to read from any thread
    weak var object: AnyObject?

    init(_ object: AnyObject) {
        self.object = object
    }
}

extension Observer {
    /// Every event of this observer as a consumer's callbacks see it.
    func recorded() -> Recorder<String> {
        let recorder = Recorder<String>()
        onCompleted { recorder.add("completed \($0)") }
        onError { recorder.add("error \($0)") }
        onCanceled { recorder.add("canceled") }
        self.defer { recorder.add("defer") }
        return recorder
    }

    /// A look at the end that needs no `Equatable`.
    var ending: String {
        switch outcome {
        case .completed(let value): "completed \(value)"
        case .failed(let error): "error \(error)"
        case .canceled: "canceled"
        case nil: "running"
        }
    }
}

/// Runs `body` on another thread and waits for it, so that a lock held by the caller would show as a hang.
func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "elsewhere").async {
        body()
        done.signal()
    }
    done.wait()
}

extension Observer {
    /// How the work ends.
    var settled: Outcome<Value> {
        get async { await Outcome.of { try await self.value } }
    }
}

/// Waits until `condition` holds; the time limit of the suite ends it.
func eventually(_ condition: () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
}
