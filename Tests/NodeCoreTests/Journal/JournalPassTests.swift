import NodeCore
import Synchronization
import Testing

@Suite struct JournalPassTests {
    struct Closed: Error, Hashable {
        let owner: Int
    }

    /// A gate that the test opens.
    final class Gate: JournalPass {
        let owner: Int
        private let isOpen = Mutex(true)
        private let waiting = Mutex<Context<Void>?>(nil)

        init(owner: Int) { self.owner = owner }

        var refusal: (any Error)? { isOpen.withLock { $0 } ? nil : Closed(owner: owner) }

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

        func readmission() -> Observer<Void>? { waiting.withLock { $0?.observer } }
    }

    @Test(arguments: [true, false]) func itGoesWithTheWorkAndNotWithWhatFollowsIt(isLogged: Bool) {
        let (gate, outside) = (Gate(owner: 1), isLogged ? Journal() : nil)
        gate.close()
        let work = Context<Int>()
        let (inside, after) = (Recorder<Bool>(), Recorder<Bool>())
        let observer = Journal.$current.withValue(outside) {
            Journal.run(with: gate) {
                work.observer.map { value in
                    inside.add(Journal.refusal is Closed)
                    return value
                }
            }
            .map { value in
                after.add(Journal.refusal == nil)
                return value
            }
        }
        work.emit(data: 3)
        #expect(observer.outcome?.value == 3)
        #expect(inside.events == [true] && after.events == [true])
        #expect(observer.journal === outside)
    }

    @Test func aCancelGoesThroughIt() {
        let work = Context<Int>()
        let observer = Journal.run(with: Gate(owner: 1)) { work.observer }
        observer.cancel()
        #expect(work.isSettled)
        #expect(observer.outcome?.isCanceled == true)
    }

    @Test func journalsThatAreOpenedInsideKeepItAndANewerOneReplacesIt() {
        let (first, newer, other) = (Gate(owner: 1), Gate(owner: 1), Gate(owner: 2))
        first.close()
        other.close()
        _ = Journal.run(with: first) {
            Journal.$current.withValue(Journal()) {
                #expect(Journal.refusal as? Closed == Closed(owner: 1))
                return Journal.run(with: newer) {
                    #expect(Journal.refusal == nil)
                    return Journal.run(with: other) {
                        #expect(Journal.refusal as? Closed == Closed(owner: 2))
                        let mark = JournalMark(owner: 3, number: 1)
                        Journal.$current.withValue(Journal(passingTo: nil, mark: mark)) {
                            #expect(Journal.refusal == nil, "what serves others too runs under no pass")
                        }
                        return Observer.emit()
                    }
                }
            }
        }
        #expect(Journal.refusal == nil)
    }

    @Test func workIsDoneAgainWhenAllGatesLetItIn() {
        let (first, second) = (Gate(owner: 1), Gate(owner: 2))
        let times = Recorder<Int>()
        first.freeze()
        second.freeze()
        let observer = Journal.run(with: first) {
            Journal.run(with: second) {
                Journal.readmitted { () -> Observer<Int> in
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
        #expect(Journal.readmitted { Observer.emit(data: 6) }.outcome?.value == 6)
    }
}
