import Testing

@testable import HttpMessages

/// Every state with every event.
struct PartialFileAccessTests {
    private typealias Access = PartialFileAccess<Int>

    /// What a list of events returns at its end.
    private func last(_ events: [(inout Access) -> Access.Action?]) -> (Access.Action?, isFree: Bool) {
        var access = Access()
        var action: Access.Action?
        for event in events { action = event(&access) }
        return (action, access.isFree)
    }

    private func ask(_ user: Int) -> (inout Access) -> Access.Action? {
        { $0.ask(user) }
    }

    private func leave(_ user: Int) -> (inout Access) -> Access.Action? {
        { access in
            access.leave(user)
            return nil
        }
    }

    private func close(_ user: Int) -> (inout Access) -> Access.Action? {
        { $0.close(user) }
    }

    @Test func aFreeFileIsOpened() {
        #expect(last([]) == (nil, true))
        #expect(last([ask(1)]) == (.open(1), false))
        #expect(last([leave(1)]) == (nil, true))
        #expect(last([close(1)]) == (nil, true))
        #expect(last([ask(1), close(1)]) == (nil, true))
        #expect(last([ask(1), close(1), ask(2)]) == (.open(2), false))
    }

    @Test func aFileInUseIsNotOpened() {
        #expect(last([ask(1), ask(2)]) == (.reject(2), false))
        #expect(last([ask(1), leave(2), ask(3)]) == (.reject(3), false))
        #expect(last([ask(1), close(2), ask(3)]) == (.reject(3), false))
    }

    @Test func afterACancelOneUserWaits() {
        #expect(last([ask(1), leave(1)]) == (nil, false))
        #expect(last([ask(1), leave(1), close(1)]) == (nil, true))
        #expect(last([ask(1), leave(1), ask(2)]) == (nil, false))
        #expect(last([ask(1), leave(1), ask(2), ask(3)]) == (.reject(3), false))
        #expect(last([ask(1), leave(1), ask(2), close(2), ask(3)]) == (.reject(3), false))
        #expect(last([ask(1), leave(1), ask(2), close(1)]) == (.open(2), false))
        #expect(last([ask(1), leave(1), ask(2), close(1), ask(3)]) == (.reject(3), false))
        #expect(last([ask(1), leave(1), ask(2), close(1), close(1), ask(3)]) == (.reject(3), false))
        #expect(last([ask(1), leave(1), ask(2), close(1), close(2)]) == (nil, true))
    }

    @Test func aUserThatWaitsMayLeave() {
        #expect(last([ask(1), leave(1), ask(2), leave(2), ask(3)]) == (nil, false))
        #expect(last([ask(1), leave(1), ask(2), leave(2), ask(3), close(1)]) == (.open(3), false))
        #expect(last([ask(1), leave(1), ask(2), leave(2), close(1)]) == (nil, true))
        #expect(last([ask(1), leave(1), ask(2), close(1), leave(2), ask(3)]) == (nil, false))
    }
}
