import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

@Suite struct AdmissionTests {
    struct Closed: Error, Hashable {
        let gate: Int
    }

    /// A gate that the test opens.
    final class Gate: Admission {
        let gate: Int
        private let isOpen = Mutex(true)
        private let waiting = Mutex<Context<Void>?>(nil)

        init(gate: Int) { self.gate = gate }

        var refusal: (any Error)? { isOpen.withLock { $0 } ? nil : Closed(gate: gate) }

        func close() { isOpen.withLock { $0 = false } }

        /// Who asks from now on waits; until the gate lets them in.
        func freeze() { waiting.withLock { $0 = Context() } }

        func letIn() {
            let context = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            context?.emit()
        }

        let hasRejected = false

        func readmit() async throws -> Bool {
            guard let context = waiting.withLock({ $0 }) else { return false }
            try await context.observer.value
            return true
        }
    }

    /// Why the current run may not send.
    private var refusal: (any Error)? { Run.current?.admissions.refusal }

    /// Calls `work` as a part of a run that `gate` has admitted.
    private func admitted<Result>(by gate: Gate, _ work: () -> Result) -> Result {
        Run.within(Run.with(gate), work)
    }

    /// A node whose next node is admitted by a gate.
    final class AdmittingNode: Node<Void, Int>, @unchecked Sendable {
        let next: Node<Void, Int>
        let gate: Gate

        init(_ gate: Gate, next: Node<Void, Int>) {
            self.gate = gate
            self.next = next
        }

        override func execute(_ data: Void) async throws -> Int {
            try await Run.$current.withValue(Run.with(gate)) { try await next.execute() }
        }
    }

    @Test func itGoesWithTheWorkAndNotWithWhatFollowsIt() async throws {
        let gate = Gate(gate: 1)
        gate.close()
        let (inside, after) = (Recorder<Bool>(), Recorder<Bool>())
        let work = ClosureNode<Void, Int> {
            let context = Context<Int>()
            DispatchQueue.global().async { context.emit(data: 3) }
            return context.observer.map { value in
                inside.add(refusal is Closed)
                return value
            }
        }
        let outer = ClosureNode<Void, Int> {
            AdmittingNode(gate, next: work).process().map { value in
                after.add(refusal == nil)
                return value
            }
        }
        #expect(try await outer.execute() == 3)
        #expect(inside.events == [true] && after.events == [true])
    }

    @Test func aCancelGoesThroughIt() {
        let work = Context<Int>()
        let observer = admitted(by: Gate(gate: 1)) { work.observer }
        observer.cancel()
        #expect(work.isSettled)
        #expect(observer.outcome?.isCanceled == true)
    }

    @Test func journalsThatAreOpenedInsideKeepItAndANewerOneReplacesIt() {
        let (first, newer, other) = (Gate(gate: 1), Gate(gate: 1), Gate(gate: 2))
        first.close()
        other.close()
        admitted(by: first) {
            Journal().record {
                #expect(refusal as? Closed == Closed(gate: 1))
                admitted(by: newer) {
                    #expect(refusal == nil)
                    admitted(by: other) {
                        #expect(refusal as? Closed == Closed(gate: 2))
                        Run.within(Run(journal: nil, admissions: [], madeAt: nil)) {
                            #expect(refusal == nil, "what serves others too has no admission of this run")
                        }
                    }
                }
            }
        }
        #expect(refusal == nil)
    }

    /// Wherever the code runs that a chain starts.
    @Test func tasksQueuesAndExecutionsInsideHaveIt() async throws {
        let gate = Gate(gate: 1)
        gate.close()
        let node = ClosureNode<Void, Bool> { .emit(data: refusal is Closed) }
        let queued = ChainConfiguratorNode(next: node, work: .dispatch(on: .global()), answer: .dispatch(on: .global()))
        let observers = admitted(by: gate) {
            [
                Observer(async: { try await node.execute() }),
                Observer(async: { try await queued.process().value }),
                Observer.after(.milliseconds(1)).map { refusal is Closed },
                Observer.after(.milliseconds(1)).dispatchOn(.global()).map { refusal is Closed },
            ]
        }
        for observer in observers { #expect(try await observer.value) }
    }

    @Test func workIsDoneAgainWhenAllGatesLetItIn() async throws {
        let (first, second) = (Gate(gate: 1), Gate(gate: 2))
        first.freeze()
        second.freeze()
        let events = Recorder<String>()
        let gates: [any Admission] = [second]
        let work = admitted(by: first) {
            Task {
                try await gates.readmit()
                events.add("done")
            }
        }
        await Task.yield()
        events.add("first")
        first.letIn()
        await Task.yield()
        events.add("second")
        second.letIn()
        try await work.value
        #expect(events.events == ["first", "second", "done"])
        try await [any Admission]().readmit()
    }
}
