import Testing

@testable import HttpCaching

@Suite struct KnownSessionsTests {
    private func session(_ number: Int) -> HttpCacheSession { HttpCacheSession(rawValue: "s\(number)") }

    @Test func aGateThatEndsRemovesItsSessionsAndThoseOfEarlierProcesses() {
        var known = KnownSessions()
        #expect(known.add(session(1), of: [1]) == [1])
        #expect(known.add(session(1), of: [1, 2]) == [2])
        #expect(known.add(session(2), of: [2]) == [2])
        #expect(known.add(session(3), of: []).isEmpty)
        let isRemoved = known.end(1)
        #expect(isRemoved(session(1)) && isRemoved(session(9)))
        #expect(!isRemoved(session(2)) && !isRemoved(session(3)))
        #expect(!isRemoved(.anonymous) && !isRemoved(.everyone))
        let others = known.end(9)
        #expect(!others(session(2)) && !others(session(3)))
        #expect(known.add(session(1), of: [1]) == [1])
    }

    @Test func tooManyAreNotKeptAndAreAllRemoved() {
        var known = KnownSessions()
        for number in 0..<100 { _ = known.add(session(number), of: [1]) }
        #expect(!known.end(2)(session(5)))
        for number in 0..<2000 { _ = known.add(session(number), of: [1]) }
        let isRemoved = known.end(1)
        #expect(isRemoved(session(5)) && isRemoved(session(1999)) && !isRemoved(.everyone))
    }

    /// A server may have a gate for each of its users.
    @Test func tooManyGatesAreNotKept() {
        var known = KnownSessions()
        for number in 0..<2000 { _ = known.add(session(number), of: [number]) }
        #expect(known.add(session(5), of: [5]) == [5])
        let isRemoved = known.end(7)
        #expect(isRemoved(session(5)) && isRemoved(session(7)) && !isRemoved(.anonymous))
    }
}
