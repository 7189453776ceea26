extension Observer {
    /// Keeps the elements that satisfy `predicate`, in their order.
    public func filter<Element>(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observer<Value> where Value == [Element] {
        map { elements -> [Element] in try elements.filter(predicate) }
    }
}
