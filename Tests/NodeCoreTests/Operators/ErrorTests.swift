import NodeCore
import Testing

@Suite struct ErrorTests {
    @Test func mapErrorTurnsAnErrorIntoAnother() {
        let change: @Sendable (Observer<Int>) -> Observer<Int> = {
            $0.mapError { error in Oops("after \((error as? Oops)?.text ?? "?")") }
        }
        #expect(MapTests.both(.failed(Oops("a")), change) == MapTests.twice("error \(Oops("after a"))"))
        #expect(MapTests.both(.completed(1), change) == MapTests.twice("completed 1"))
        #expect(MapTests.both(.canceled, change) == MapTests.twice("canceled"))
    }

    @Test func recoverGoesOnWithOtherWork() {
        let recover: @Sendable (Observer<Int>) -> Observer<Int> = { $0.recover { _ in Observer.emit(data: 2) } }
        #expect(MapTests.both(.failed(Oops()), recover) == MapTests.twice("completed 2"))
        #expect(MapTests.both(.completed(1), recover) == MapTests.twice("completed 1"))
        #expect(MapTests.both(.canceled, recover) == MapTests.twice("canceled"))

        let other = Context<Int>()
        let observer = Observer<Int>.emit(error: Oops()).recover { _ in other.observer }
        #expect(observer.ending == "running")
        other.emit(data: 3)
        #expect(observer.ending == "completed 3")
    }

    @Test func whatRecoveryThrowsFailsTheResult() {
        let recover: @Sendable (Observer<Int>) -> Observer<Int> = {
            $0.recover { _ in throw Oops("no way") }
        }
        #expect(MapTests.both(.failed(Oops()), recover) == MapTests.twice("error \(Oops("no way"))"))
    }

    @Test func catchErrorHearsItsTypeOnlyAndTheResultStillFails() {
        let recorder = Recorder<String>()
        let catching: @Sendable (Observer<Int>) -> Observer<Int> = {
            $0.catchError { (error: Oops) in recorder.add("caught \(error.text)") }
                .catchError { (_: ChainError) in recorder.add("not mine") }
                .catchError { (_: any Error) in recorder.add("any") }
        }
        #expect(MapTests.both(.failed(Oops("a")), catching) == MapTests.twice("error \(Oops("a"))"))
        #expect(recorder.events == ["caught a", "any", "caught a", "any"])
        #expect(MapTests.both(.completed(1), catching) == MapTests.twice("completed 1"))
        #expect(MapTests.both(.canceled, catching) == MapTests.twice("canceled"))
        #expect(recorder.events.count == 4)
    }

    @Test func catchErrorComesBeforeTheListenersOfItsResult() {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        context.observer
            .catchError { (_: Oops) in recorder.add("catch") }
            .onError { _ in recorder.add("listener") }
        context.emit(error: Oops())
        #expect(recorder.events == ["catch", "listener"])
    }

    @Test func chainGivesBothValues() {
        let both = MapTests.both(.completed(1)) { $0.chain { value in Observer.emit(data: "\(value + 1)") } }
        #expect(both == MapTests.twice("completed (1, \"2\")"))
        let failed = MapTests.both(.completed(1)) { $0.chain { _ in Observer<Int>.emit(error: Oops()) } }
        #expect(failed == MapTests.twice("error \(Oops())"))
    }

    @Test func chainWithNothingToGoOnWithFailsAndNamesTheType() throws {
        let observer = Observer.emit(data: 1).chain { _ -> Observer<String>? in nil }
        let error = try #require(observer.outcome?.error as? ChainError)
        #expect(error.code == .nothingToChain)
        #expect(error.description == "The closure of Observer.chain(with:) returned no Observer<String>.")
    }
}
