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
