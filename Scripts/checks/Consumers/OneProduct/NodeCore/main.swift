import NodeCore

let double = ClosureNode<Int, Int> { .emit(data: $0 * 2) }
print("NodeCore: \(try await double.execute(21))")
