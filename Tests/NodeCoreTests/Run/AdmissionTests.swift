import Dispatch
import NodeCore
import Synchronization
import Testing

@Suite struct AdmissionTests {
    struct Closed: Error, Hashable {
        let gate: Int
    }

    /// A gate that the test opens.
    final class Gate: Readmission {
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

        func readmission() -> Observer<Void>? { waiting.withLock { $0?.observer } }
    }

    /// Why the current run may not send.
    private var refusal: (any Error)? { Run.current?.admissions.refusal }

    /// Calls `work` as a part of a run that `gate` has admitted.
    private func admitted<Result>(by gate: Gate, _ work: () -> Result) -> Result {
        Run.within(Run.with(gate), work)
    }

    @Test(arguments: [true, false]) func itGoesWithTheWorkAndNotWithWhatFollowsIt(isLogged: Bool) {
        let (gate, journal) = (Gate(gate: 1), Journal())
        gate.close()
        let work = Context<Int>()
        let (inside, after) = (Recorder<Bool>(), Recorder<Bool>())
        let observer = Run.within(isLogged ? Run.with(journal: journal) : Run.currentOrEmpty) {
            admitted(by: gate) {
                work.observer.map { value in
                    inside.add(refusal is Closed)
                    return value
                }
            }
            .map { value in
                after.add(refusal == nil)
                return value
            }
        }
        #expect(observer.journal === (isLogged ? journal : nil))
        work.emit(data: 3)
        #expect(observer.outcome?.value == 3)
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
                        Run.within(Run.detached(with: [])) {
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

    @Test func workIsDoneAgainWhenAllGatesLetItIn() {
        let (first, second) = (Gate(gate: 1), Gate(gate: 2))
        let times = Recorder<Int>()
        first.freeze()
        second.freeze()
        let observer = admitted(by: first) {
            admitted(by: second) {
                Observer.readmitted { () -> Observer<Int> in
                    times.add(1)
                    return .emit(data: 5)
                }
            }
        }
        first.letIn()
        #expect(times.events.isEmpty)
        second.letIn()
        #expect(times.events == [1])
        #expect(observer.outcome?.value == 5)
        #expect(Observer.readmitted { Observer.emit(data: 6) }.outcome?.value == 6)
    }
}
