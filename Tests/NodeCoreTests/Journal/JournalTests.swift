import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

@Suite struct JournalTests {
    struct Line: JournalEntry {
        let id: String
        var text = ""
    }

    let hop = NamedQueue("hop")

    /// What a node's author does to tell something.
    static func tell(_ id: String) {
        Journal.current?.append(Line(id: id))
    }

    @Test func recordsComeInOrderWithTheirInstants() {
        let journal = Journal()
        for id in ["a", "b", "a"] { journal.append(Line(id: id)) }
        #expect(journal.records.map(\.entry.id) == ["a", "b", "a"])
        let instants = [journal.start] + journal.records.map(\.instant)
        #expect(instants == instants.sorted())
    }

    @Test func anExcludedWriterIsNotKeptAndTheFilterIsAskedOnceForAnEntry() {
        let asked = Recorder<String>()
        let journal = Journal(isIncluded: {
            asked.add($0.id)
            return $0.id != "noise"
        })
        journal.append(Line(id: "noise"))
        journal.append(Line(id: "signal"))
        #expect(asked.events == ["noise", "signal"])
        #expect(journal.records.map(\.entry.id) == ["signal"])
    }

    /// An entry that writes another one when it is asked for its size.
    private struct Talkative: JournalEntry {
        let id = "talkative"
        let journal: Journal

        var retainedBytes: Int {
            journal.append(Line(id: "asked"))
            return .max
        }
    }

    @Test(.timeLimit(.minutes(1))) func theSizeOfAnEntryIsAskedForOnceAndMayBeAny() {
        let journal = Journal(limit: 4)
        for _ in 0..<3 { journal.append(Talkative(journal: journal)) }
        #expect(journal.dropped + journal.records.count == 6)
        #expect(journal.records.last?.entry.id == "talkative")
    }

    /// An entry that keeps memory, and tells the journal of its end.
    private final class Body: JournalEntry {
        let id: String
        let retainedBytes: Int
        let end: @Sendable () -> Void

        init(_ id: String, bytes: Int, end: @escaping @Sendable () -> Void = {}) {
            self.id = id
            retainedBytes = bytes
            self.end = end
        }

        deinit { end() }
    }

    @Test func theOldestEntriesGoWhenThereAreTooMany() {
        let journal = Journal(limit: 10)
        for number in 0..<10_000 { journal.append(Line(id: "\(number)")) }
        let ids = journal.records.map(\.entry.id)
        #expect((5...10).contains(ids.count) && ids.last == "9999")
        #expect(ids == (10_000 - ids.count..<10_000).map { "\($0)" })
        #expect(journal.dropped == 10_000 - ids.count)
    }

    @Test func theOldestEntriesGoWhenTheyKeepTooMuch() {
        let journal = Journal(byteLimit: 100)
        let ended = Recorder<String>()
        for (id, bytes) in [("a", 40), ("b", 50), ("c", 10), ("d", 1), ("e", 1000)] {
            journal.append(
                Body(id, bytes: bytes) { [weak journal] in
                    journal?.append(Line(id: "end of \(id)"))
                    ended.add(id)
                })
        }
        // What is released may write itself: the largest, the newest when it arrives, goes with the next entry.
        #expect(ended.events == ["a", "b", "c", "d", "e"])
        journal.append(Line(id: "f"))
        #expect(journal.records.map(\.entry.id).last == "f")
        #expect(journal.records.reduce(0) { $0 + $1.entry.retainedBytes } <= 100)
    }

    @Test func aClosedJournalKeepsNothing() {
        let journal = Journal()
        journal.append(Line(id: "a"))
        #expect(journal.close().map(\.entry.id) == ["a"])
        journal.append(Line(id: "b"))
        #expect(journal.records.isEmpty && journal.close().isEmpty)
    }

    @Test func aRunThatNobodyListensToHasNoJournal() {
        #expect(Journal.current == nil)
        let context = Context<Int>()
        #expect(context.observer.journal == nil)
        #expect(context.observer.map { $0 }.journal == nil)
        #expect(Observer.emit(data: 1).journal == nil)
    }

    static let endings: [(Outcome<Int>, [Way])] = [
        (.completed(1), Way.allCases.filter { ![.mapError, .recover, .catchError, .all].contains($0) }),
        (.failed(Oops()), [.mapError, .recover, .catchError, .then]),
        (.canceled, [.then]),
    ]

    @Test(arguments: endings.indices)
    func itIsCarriedThroughEveryOperatorToAThreadThatKnowsNothingOfIt(index: Int) async {
        let (end, ways) = JournalTests.endings[index]
        for way in ways {
            let journal = Journal(), foreign = Journal()
            let context = Context<Int>()
            let observer = journal.record {
                way.from(context.observer, on: hop.queue) { JournalTests.tell("closure") }
            }
            #expect(observer.journal === journal, "\(way)")
            // Whoever settles it works for another run.
            elsewhere { foreign.record { _ = context.settle(end) } }
            _ = await result { try await observer.value }
            #expect(journal.records.map(\.entry.id) == ["closure"], "\(way)")
            #expect(foreign.records.isEmpty, "\(way)")
        }
    }

    @Test func whatIsMadeInAnOperatorBelongsToTheRun() async {
        let journal = Journal()
        let first = Context<Int>()
        let observer = journal.record {
            first.observer.flatMap { value in
                Observer(async: {
                    await Task.yield()
                    JournalTests.tell("async")
                    return value
                })
            }
        }
        .dispatchOn(hop.queue)
        .map { value in
            JournalTests.tell("after the hop")
            return value
        }
        first.emit(data: 1)
        _ = await result { try await observer.value }
        #expect(journal.records.map(\.entry.id) == ["async"], "the rest belongs to the code that adds it")
    }

    @Test func listenersAndCancelHandlersOfTheRunWriteIntoItsJournal() {
        let journal = Journal(), foreign = Journal()
        let (settled, canceled) = journal.record { (Context<Int>(), Context<Int>()) }
        journal.record {
            _ = settled.observer.onCompleted { _ in JournalTests.tell("listener") }
            canceled.onCancel { JournalTests.tell("handler") }
            _ = canceled.observer.onCanceled { JournalTests.tell("canceled") }
        }
        foreign.record {
            settled.emit(data: 1)
            canceled.observer.cancel()
            canceled.onCancel { JournalTests.tell("late handler") }
        }
        #expect(journal.records.map(\.entry.id) == ["listener", "canceled"])
        #expect(
            foreign.records.map(\.entry.id) == ["handler", "late handler"], "a handler belongs to the code that cancels"
        )
    }

    @Test func aRunWithoutAJournalDoesNotWriteIntoTheOneThatSettlesIt() {
        let foreign = Journal()
        let context = Context<Int>()
        let recorder = Recorder<Bool>()
        let observer = context.observer
            .map { value in
                recorder.add(Journal.current == nil)
                return value
            }
            .flatMap { value -> Observer<Int> in
                recorder.add(Journal.current == nil)
                return .emit(data: value)
            }
        observer.onCompleted { _ in recorder.add(Journal.current == nil) }
        foreign.record { _ = context.emit(data: 1) }
        #expect(recorder.events == [true, true, true])
    }

    @Test func anOperatorOnAnotherRunsObserverBelongsToTheRunThatPutsItThere() {
        let first = Journal(), second = Journal()
        let shared = first.record { Context<Int>() }
        let observer = second.record {
            shared.observer.multicast().map { value in
                JournalTests.tell("second")
                return value
            }
        }
        shared.emit(data: 1)
        #expect(observer.outcome?.value == 1)
        #expect(first.records.isEmpty)
        #expect(second.records.map(\.entry.id) == ["second"])
    }

    @Test func itIsCarriedOverAChainsQueues() async throws {
        let last = ClosureNode<String, Int> { id in
            JournalTests.tell(id)
            return .emit(data: 1)
        }
        let node = ChainConfiguratorNode(next: last, beginQueue: hop.queue, endQueue: hop.queue)
        let journal = Journal()
        let observer = journal.record { node.process("process") }
        _ = try await observer.value
        _ = try await journal.record { try await node.execute("execute") }
        #expect(journal.records.map(\.entry.id) == ["process", "execute"])
    }

    @Test func runsAtTheSameTimeKeepTheirJournalsApart() {
        let waiting = Mutex<[Context<Int>]>([])
        let last = ClosureNode<Int, Int> { _ in
            let context = Context<Int>()
            waiting.withLock { $0.append(context) }
            return context.observer
        }
        let chain = ClosureNode<Int, Int> { number in
            JournalTests.tell("\(number) down")
            return last.process(number)
                .map { value in
                    JournalTests.tell("\(number) up")
                    return value
                }
                .catchError { (_: Oops) in JournalTests.tell("\(number) error") }
        }
        let journals = (0..<200).map { _ in Journal() }
        DispatchQueue.concurrentPerform(iterations: journals.count) { number in
            _ = journals[number].record { chain.process(number) }
        }
        let contexts = waiting.withLock { $0 }
        DispatchQueue.concurrentPerform(iterations: contexts.count) { number in
            journals[number].record { _ = contexts[number].emit(data: 1) }
        }
        for (number, journal) in journals.enumerated() {
            #expect(journal.records.map(\.entry.id) == ["\(number) down", "\(number) up"])
        }
    }
}
