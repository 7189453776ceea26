import Dispatch
import NodeCore
import Testing

/// After the end nothing is kept that the value does not need, whoever still holds an observer.
@Suite struct LifetimeTests {
    static let ways = Way.allCases.filter { ![.async, .all].contains($0) } + [.all]
    let queue = DispatchQueue(label: "lifetime")

    @Test(arguments: ways, ObserverTests.ends)
    func whatAClosureCapturedIsReleasedWithTheEnd(way: Way, end: Outcome<Int>) {
        let context = Context<Int>()
        let (observer, weak) = captured(way, context)
        #expect(weak.object != nil)
        context.settle(end)
        drain()
        #expect(weak.object == nil)
        #expect(observer.outcome != nil)
    }

    @Test(arguments: ways)
    func whatAClosureCapturedIsReleasedWithACancel(way: Way) {
        let context = Context<Int>()
        let (observer, weak) = captured(way, context)
        observer.cancel()
        drain()
        #expect(weak.object == nil)
        #expect(context.isSettled)
    }

    @Test(arguments: ways)
    func whatAClosureCapturedIsReleasedWhenEverybodyLetsGo(way: Way) {
        let weak = captured(way, Context()).weak
        drain()
        #expect(weak.object == nil)
    }

    private func captured(_ way: Way, _ context: Context<Int>) -> (observer: Observer<Int>, weak: Weak) {
        let token = Token()
        let observer = way.from(context.observer, on: queue) { withExtendedLifetime(token) {} }
        observer.onSettled { _ in withExtendedLifetime(token) {} }
        return (observer, Weak(token))
    }

    /// Waits for what is in the queue, and for what that puts into it.
    private func drain() {
        for _ in 0..<4 { queue.sync {} }
    }

    @Test func anOwnerThatKeepsTheObserverOfItsOwnClosureIsFreedAfterTheEnd() throws {
        final class Screen: @unchecked Sendable {  // one thread only
            var request: Observer<Int>?
            func load(_ work: Observer<Int>) {
                request = work.map { value in withExtendedLifetime(self) { value } }
            }
        }
        let context = Context<Int>()
        var screen: Screen? = Screen()
        screen?.load(context.observer)
        let weak = Weak(try #require(screen))
        screen = nil
        #expect(weak.object != nil)
        context.emit(data: 1)
        #expect(weak.object == nil)
    }
}
