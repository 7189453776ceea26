import NodeCore
import Testing

@Suite struct ChainDescriptionTests {
    class Step: Node<Int, Int>, @unchecked Sendable {
        let next: Node<Int, Int>?
        init(next: Node<Int, Int>? = nil) { self.next = next }
    }

    final class First: Step, @unchecked Sendable {}
    final class Last: Node<Int, Int>, @unchecked Sendable {}

    final class Generic<Value: Sendable>: Node<Value, Value>, @unchecked Sendable {
        private let title: String
        private let next: Node<Value, Value>
        init(title: String, next: Node<Value, Value>) {
            self.title = title
            self.next = next
        }
    }

    /// A subclass that adds a side chain to what its superclass keeps.
    final class Refreshing: Step, @unchecked Sendable {
        let refresh: Node<Void, String>
        init(next: Node<Int, Int>, refresh: Node<Void, String>) {
            self.refresh = refresh
            super.init(next: next)
        }
    }

    final class Custom: Node<Int, Int>, @unchecked Sendable {
        let hidden: [Node<Int, Int>]
        init(_ hidden: Node<Int, Int>...) { self.hidden = hidden }
        override var name: String { "Custom of \(hidden.count)" }
        override var nextNodes: [AnyNode] { hidden }
    }

    final class Ring: Node<Int, Int>, @unchecked Sendable {
        nonisolated(unsafe) weak var next: Node<Int, Int>?  // set once, before it is described
    }

    @Test func namesComeInTheOrderInWhichARequestMeetsTheNodes() {
        let chain = First(next: Generic(title: "middle", next: Step(next: Last()))).chain
        #expect(chain.names == ["First", "Generic", "Step", "Last"])
        #expect(chain.description == "First\nGeneric\nStep\nLast")
        #expect(chain.links.allSatisfy { $0.branches.isEmpty })
    }

    @Test func theNodesOfTheModuleShowTheirNext() {
        let chain = ChainConfiguratorNode(next: LoadIndicatableNode(next: ClosureNode<Int, Int> { .emit(data: $0) }))
        #expect(chain.chain.names == ["ChainConfiguratorNode", "LoadIndicatableNode", "ClosureNode"])
    }

    @Test func anOptionalNodeShowsWhenItIsThere() {
        #expect(Step().chain.names == ["Step"])
        #expect(Step(next: Last()).chain.names == ["Step", "Last"])
    }

    @Test func aSideChainOfASubclassIsABranchAndNotTheWayOn() {
        let refresh = ClosureNode<Void, String>(name: "Token") { .emit(data: "t") }
        let chain = First(next: Refreshing(next: Last(), refresh: refresh)).chain
        #expect(chain.names == ["First", "Refreshing", "Last"])
        #expect(chain.links.map { $0.branches.map(\.names) } == [[], [["Token"]], []])
        #expect(chain.description == "First\nRefreshing\n    Token\nLast")
    }

    @Test func aNodeMaySayItselfWhatComesNext() {
        let chain = Custom(Step(next: Last()), Last(), First()).chain
        #expect(chain.description == "Custom of 3\n    Last\n    First\nStep\nLast")
    }

    @Test func aRingEndsWhereItComesRound() {
        let ring = Ring()
        let step = Step(next: ring)
        ring.next = step
        #expect(ring.chain.names == ["Ring", "Step"])
        #expect(step.chain.names == ["Step", "Ring"])
        let branch = Custom(Last(), step, ring)
        #expect(branch.chain.description == "Custom of 3\n    Step\n    Ring\n    Ring\n    Step\nLast")
        let back = Ring()
        let both = Custom(Last(), back)
        back.next = both
        #expect(both.chain.description == "Custom of 2\n    Ring\nLast")
        #expect(back.chain.description == "Ring\nCustom of 2\nLast")
    }

    @Test func descriptionsOfChainsWiredTheSameAreEqual() {
        #expect(Step(next: Last()).chain == Step(next: Last()).chain)
        #expect(Step(next: Last()).chain != Step(next: First()).chain)
    }

    @Test func aLocalAndANestedTypeAreCalledByTheirOwnName() {
        final class Local: Node<Int, Int>, @unchecked Sendable {}
        #expect(Local().name == "Local")
        #expect(Generic<[String: Int]>(title: "", next: Node()).name == "Generic")
    }
}
