#if os(Linux)
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct UnixConnectionNumbersTests {
    private func target(_ path: String, _ url: String = "http://localhost") throws -> UnixConnectionNumbers.Target {
        UnixConnectionNumbers.Target(path: path, origin: Origin(try #require(URL(string: url))))
    }

    @Test func aNumberIsReusedForItsTargetOnly() throws {
        var numbers = UnixConnectionNumbers()
        let a = try target("/a")
        let first = numbers.take(for: a, needsNew: false)
        #expect(first == 1)
        numbers.putBack(1, isOpen: true)
        for other in [try target("/b"), try target("/a", "http://other"), try target("/a", "https://localhost")] {
            #expect(numbers.take(for: other, needsNew: false) != 1)
        }
        #expect(numbers.take(for: a, needsNew: true) != 1)
        #expect(numbers.take(for: a, needsNew: false) == 1)
        #expect(numbers.take(for: a, needsNew: false) != 1)
    }

    @Test func theConnectionThatBecameIdleLastIsUsedFirst() throws {
        var numbers = UnixConnectionNumbers()
        let a = try target("/a")
        for _ in 0..<3 { _ = numbers.take(for: a, needsNew: false) }
        for number: Int32 in [2, 1, 3] { numbers.putBack(number, isOpen: true) }
        #expect((0..<3).map { _ in numbers.take(for: a, needsNew: false) } == [3, 1, 2])
    }

    @Test func aClosedConnectionFreesItsNumber() throws {
        var numbers = UnixConnectionNumbers()
        let a = try target("/a")
        for _ in 0..<3 { _ = numbers.take(for: a, needsNew: false) }
        // One that is taken stays taken: libcurl opens a new connection with its number.
        numbers.didClose(1)
        numbers.putBack(1, isOpen: false)
        numbers.putBack(2, isOpen: true)
        numbers.putBack(3, isOpen: true)
        numbers.didClose(2)
        #expect(numbers.take(for: a, needsNew: false) == 3)
        #expect(numbers.take(for: a, needsNew: false) == 4)
    }

    @Test func allNumbersMayBeTaken() throws {
        var numbers = UnixConnectionNumbers()
        let a = try target("/a")
        for number: Int32 in 1...65_535 { #expect(numbers.take(for: a, needsNew: false) == number) }
        #expect(numbers.take(for: a, needsNew: false) == nil)
        numbers.putBack(7, isOpen: false)
        #expect(numbers.take(for: a, needsNew: false) == 7)
    }
}
#endif
