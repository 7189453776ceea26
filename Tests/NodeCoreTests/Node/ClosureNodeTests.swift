import NodeCore
import Testing

@Suite struct ClosureNodeTests {
    @Test func aClosureMakesANode() {
        #expect(ClosureNode<Int, Int> { .emit(data: $0 * 2) }.process(2).ending == "completed 4")
    }

    @Test func anAsyncClosureMakesANode() async throws {
        let node = ClosureNode<Int, Int>(async: { $0 * 2 })
        #expect(try await node.execute(2) == 4)
        #expect(try await node.process(3).value == 6)
        await #expect(throws: Oops()) { try await ClosureNode<Int, Int>(async: { _ in throw Oops() }).execute(1) }
    }

    @Test func cancellingTheObserverCancelsTheAsyncClosure() async {
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let (started, start) = AsyncStream<Void>.makeStream()
        let node = ClosureNode<Int, Int>(async: { data in
            start.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            end.yield(Task.isCancelled)
            return data
        })
        let observer = node.process(1)
        for await _ in started { break }
        observer.cancel()
        for await isCancelled in ended {
            #expect(isCancelled)
            break
        }
    }

    @Test func aNameIsGivenOrTheTypes() {
        #expect(ClosureNode<Int, Int> { .emit(data: $0) }.name == "ClosureNode")
        #expect(ClosureNode<Int, Int>(name: "Double") { .emit(data: $0 * 2) }.name == "Double")
        #expect(ClosureNode<Int, Int>(name: "Later", async: { $0 }).chain.names == ["Later"])
    }
}
