extension JsonValueDecoder {
    /// Runs the body with a decoder of a value anywhere below this one. The input finds its coding path when it is
    /// requested.
    func withDescendant<Value>(
        at node: Int, of input: UnsafeMutablePointer<JsonInputContext>, _ body: (JsonValueDecoder) throws -> Value
    ) rethrows -> Value {
        let child = takeChild(at: node)
        child.place(below: self, input)
        do {
            let value = try body(child)
            giveBackDescendant(consume child)
            return value
        } catch {
            giveBackDescendant(consume child)
            throw error
        }
    }

    private func giveBackDescendant(_ child: consuming JsonValueDecoder) {
        if !isKnownUniquelyReferenced(&child) { child.keptKeys = child.input?.pointee.keys(to: child.node) }
        child.input = nil
        giveBack(consume child)
    }
}
