import Models
import NodeCore
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ModelNodesTests {
    /// The lower layer of a town, with names of its own.
    struct TownEntry: Codable, RawMappable, Equatable {
        typealias Raw = Json
        let townName: String
    }

    struct Town: DTOConvertible, Equatable {
        let name: String

        static func from(dto: TownEntry) throws -> Town {
            guard dto.townName != "Atlantis" else { throw NoSuchTown() }
            return Town(name: dto.townName)
        }

        func toDTO() throws -> TownEntry {
            guard name != "Atlantis" else { throw NoSuchTown() }
            return TownEntry(townName: name)
        }
    }

    struct NoSuchTown: Error {}

    /// An entry that can't be written as JSON.
    struct Unwritable: Codable, RawMappable, DTOConvertible {
        typealias Raw = Json
        typealias DTO = Unwritable
        var value = Double.nan
    }

    /// Keeps what comes down and answers with what it was told.
    final class Bottom<Input: Sendable, Output: Sendable>: Node<Input, Output>, @unchecked Sendable {
        let seen = Mutex<[Input]>([])
        let answer: Outcome<Output>

        init(_ answer: Output) { self.answer = .completed(answer) }

        init(ending answer: Outcome<Output>) { self.answer = answer }

        override func process(_ data: Input) -> Observer<Output> {
            seen.withLock { $0.append(data) }
            return Observer(answer)
        }

        var inputs: [Input] { seen.withLock { $0 } }
    }

    @Test func aModelBecomesItsEntryAndAnEntryTheModel() async throws {
        let bottom = Bottom<TownEntry, TownEntry>(TownEntry(townName: "Riga"))
        let node = ModelInputNode<Town, Town>(next: bottom)
        #expect(try await node.execute(Town(name: "Oslo")) == Town(name: "Riga"))
        #expect(bottom.inputs == [TownEntry(townName: "Oslo")])
    }

    @Test func whatAModelThrowsOnItsWayDownFailsTheChainThere() async throws {
        let bottom = Bottom<TownEntry, TownEntry>(TownEntry(townName: "Riga"))
        let node = ModelInputNode<Town, Town>(next: bottom)
        await #expect(throws: NoSuchTown.self) { try await node.execute(Town(name: "Atlantis")) }
        #expect(bottom.inputs.isEmpty)
    }

    @Test func whatAModelThrowsOnItsWayUpFailsTheChain() async throws {
        let bottom = Bottom<TownEntry, TownEntry>(TownEntry(townName: "Atlantis"))
        let node = ModelInputNode<Town, Town>(next: bottom)
        await #expect(throws: NoSuchTown.self) { try await node.execute(Town(name: "Oslo")) }
    }

    @Test func anEntryBecomesJsonAndJsonAnEntry() async throws {
        let bottom = Bottom<Json, Json>(["townName": "Riga"])
        let node = DTOMapperNode<TownEntry, TownEntry>(next: bottom)
        #expect(try await node.execute(TownEntry(townName: "Oslo")) == TownEntry(townName: "Riga"))
        #expect(bottom.inputs == [["townName": "Oslo"]])
    }

    @Test func anEntryOfAnotherShapeNamesTheCodingPath() async throws {
        let node = DTOMapperNode<TownEntry, [TownEntry]>(next: Bottom([["townName": "Riga"], ["townName": 1]]))
        let error = await thrown(DecodingError.self) { try await node.execute(TownEntry(townName: "Oslo")) }
        guard case .typeMismatch(let type, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(type)" == "String")
        #expect(context.codingPath.map(\.stringValue) == ["Index 1", "townName"])
    }

    @Test func anEntryThatCannotBeEncodedFailsTheChainThere() async throws {
        let bottom = Bottom<Json, Json>([:])
        let mapper = DTOMapperNode<Unwritable, TownEntry>(next: bottom)
        await #expect(throws: EncodingError.self) { try await mapper.execute(Unwritable()) }
        #expect(bottom.inputs.isEmpty)
    }

    @Test func jsonNeedsNoMapping() async throws {
        let bottom = Bottom<Json, Json>([1, "two"])
        let node = ModelInputNode<Json, Json>(next: DTOMapperNode(next: bottom))
        #expect(try await node.execute(["any": true]) == [1, "two"])
        #expect(bottom.inputs == [["any": true]])
    }

    @Test func arraysAndOptionalsAreMappedElementByElement() async throws {
        let bottom = Bottom<Json, Json>([["townName": "Riga"], nil])
        let node = ModelInputNode<[Town], [Town?]>(next: DTOMapperNode(next: bottom))
        #expect(try await node.execute([Town(name: "Oslo"), Town(name: "Bonn")]) == [Town(name: "Riga"), nil])
        #expect(bottom.inputs == [[["townName": "Oslo"], ["townName": "Bonn"]]])
        let single = ModelInputNode<Town?, Town?>(next: DTOMapperNode(next: Bottom<Json, Json>(.null)))
        #expect(try await single.execute(nil) == nil)
    }

    @Test func errorsAndCancelsOfTheNextNodePass() {
        for answer in [Outcome<Json>.failed(NoSuchTown()), .canceled] {
            let bottom = Bottom<Json, Json>(ending: answer)
            let ends: [(error: (any Error)?, isCanceled: Bool)] = [
                ends(of: ModelInputNode<Town, Town>(next: DTOMapperNode(next: bottom)).inline(Town(name: "Oslo")))
            ]
            for end in ends {
                #expect(end.isCanceled == answer.isCanceled)
                #expect((end.error is NoSuchTown) == !answer.isCanceled)
            }
        }
    }

    private func ends<Value>(of observer: Observer<Value>) -> (error: (any Error)?, isCanceled: Bool) {
        (observer.outcome?.error, observer.outcome?.isCanceled ?? false)
    }
}
