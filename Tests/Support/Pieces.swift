internal import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A sequence of pieces for a body, which knows how many were asked for and whether it was let go of.
package struct Pieces: AsyncSequence, Sendable {
    package typealias Element = Data

    /// What the sequence counts.
    package final class Record: Sendable {
        private let count = Mutex(0)
        private let isOver = Context<Void>()

        package var asked: Int { count.withLock { $0 } }

        fileprivate func ask() {
            count.withLock { $0 += 1 }
        }

        fileprivate func end() {
            isOver.emit()
        }

        /// Waits until nobody will ask any more: the task was canceled while the sequence had nothing, or it was let go
        /// of before it asked for that.
        package func canceled() async throws {
            try await isOver.observer.value
        }
    }

    /// What comes after the last piece.
    package enum End: Sendable {
        case end
        case error(any Error & Sendable)
        /// Nothing, until the task is canceled.
        case nothing
    }

    package let piece: Data
    package let count: Int
    package var end = End.end
    package let record = Record()

    package var length: Int64 { Int64(piece.count) * Int64(count) }

    package init(_ piece: Data, count: Int, end: End = .end) {
        self.piece = piece
        self.count = count
        self.end = end
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(pieces: self, token: Token(record))
    }

    /// Is there as long as the iterator.
    package final class Token: Sendable {
        private let record: Record

        init(_ record: Record) {
            self.record = record
        }

        deinit {
            record.end()
        }
    }

    package struct Iterator: AsyncIteratorProtocol {
        let pieces: Pieces
        let token: Token
        var given = 0

        package mutating func next() async throws -> Data? {
            pieces.record.ask()
            if given < pieces.count {
                given += 1
                return pieces.piece
            }
            switch pieces.end {
            case .end: return nil
            case .error(let error): throw error
            case .nothing:
                let end = Context<Void>()
                await withTaskCancellationHandler {
                    _ = try? await end.observer.value
                } onCancel: {
                    end.cancel()
                }
                return nil
            }
        }
    }
}

/// The pieces of an array, one after the other.
package struct Listed<Element: Sendable>: AsyncSequence, Sendable {
    package let elements: [Element]

    package init(elements: [Element]) {
        self.elements = elements
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(rest: elements[...])
    }

    package struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Element>

        package mutating func next() async -> Element? {
            rest.popFirst()
        }
    }
}
