#if os(Linux)
import Dispatch
import NodeCore
import Synchronization

/// The small answers that one turn of a loop brings, settled together: on the loop's thread, or on a queue beside it.
///
/// What follows from an answer, the way up through the chain and mostly the next request's way down, keeps the thread from
/// its transfers. It gains by handing that over where many transfers are under way, several answers come at once, and what
/// follows from one takes longer than handing it over. How long that is, is measured: a listener that only counts is best
/// called where it is.
///
/// For the loop's thread alone.
struct CurlAnswers {
    /// So many are settled together at most, so that a queue begins while the thread ends the others.
    private static let most = 16
    /// So many are worth a change of threads.
    private static let fewest = 4
    /// So many transfers have to be under way. With fewer the thread would soon have nothing to do, and wait for the queue.
    private static let fewestTransfers = 20
    /// What an answer has to take. Handing it over costs one to two microseconds of processor time.
    private static let leastTime = Duration.microseconds(3)
    /// Bytes of a body from which on it waits for no others. JSON of that size is read on another thread in any case.
    private static let large = 16 << 10

    /// So many batches may wait at the queue. The thread settles those that come then, and takes no further answers
    /// meanwhile: what has come and nobody has looked at must not pile up.
    private static let mostWaiting = 4

    /// What both threads know.
    private final class Shared: Sendable {
        /// Whether answers took long when several were settled last, wherever that was.
        let isLong = Atomic(false)
        /// How many batches the queue has.
        let waiting = Atomic(0)
    }

    private typealias Batch = [(transfer: CurlTransfer, answer: UrlDataResponse)]

    private var batch: Batch = []
    private var hasManyTransfers = false
    private let queue = DispatchQueue(label: "netchain-answers", qos: .userInitiated)
    private let shared = Shared()

    /// - Parameter count: how many transfers are under way.
    mutating func beginTurn(underWay count: Int) {
        hasManyTransfers = count >= Self.fewestTransfers
    }

    /// Takes the answer of a transfer, to settle it by the end of the turn; false for one that is to be settled at once. One
    /// that a task awaits is: it is left to the task.
    mutating func take(_ answer: UrlDataResponse, of transfer: CurlTransfer) -> Bool {
        guard hasManyTransfers, transfer.sink == nil, answer.data.count < Self.large, !transfer.context.isAwaited
        else { return false }
        batch.append((transfer, answer))
        if batch.count == Self.most { settle() }
        return true
    }

    /// Settles what was taken.
    mutating func settle() {
        guard !batch.isEmpty else { return }
        var answers: Batch = []
        swap(&answers, &batch)
        guard answers.count >= Self.fewest, shared.isLong.load(ordering: .relaxed),
            shared.waiting.load(ordering: .relaxed) < Self.mostWaiting
        else {
            Self.settle(answers, shared)
            answers.removeAll(keepingCapacity: true)
            return swap(&answers, &batch)
        }
        batch.reserveCapacity(Self.most)
        shared.waiting.add(1, ordering: .relaxed)
        queue.async { [answers, shared] in
            Self.settle(answers, shared)
            shared.waiting.subtract(1, ordering: .relaxed)
        }
    }

    private static func settle(_ answers: Batch, _ shared: Shared) {
        let time = ContinuousClock().measure {
            for (transfer, answer) in answers { transfer.tell(.success(answer)) }
        }
        if answers.count >= fewest { shared.isLong.store(time > leastTime * answers.count, ordering: .relaxed) }
    }
}
#endif
