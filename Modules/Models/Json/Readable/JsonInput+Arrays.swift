extension JsonInput {
    /// The element at this index: `json[at: 0]`.
    ///
    /// The elements before it are skipped, so the time grows with the index: read all elements by ``array(_:)``.
    ///
    /// - Throws: `DecodingError` if the value is no array (`typeMismatch`), or has no such element (`valueNotFound`).
    @inlinable
    public subscript<Value: JsonReadable>(at index: Int) -> Value {
        mutating get throws { try Value._value(at: element(index, Value.self), of: &self) }
    }

    /// The elements of the array, each read by the closure:
    ///
    /// ```swift
    /// corners = try json.array { Point(x: try $0["x"], y: try $0["y"]) }
    /// ```
    ///
    /// - Throws: `DecodingError` if the value is no array; the errors of the closure.
    @inlinable
    public mutating func array<Element>(_ read: (inout JsonInput) throws -> Element) throws -> [Element] {
        var place = try firstElement()
        var elements: [Element] = []
        elements.reserveCapacity(capacity(of: Element.self))
        while hasElement(at: place) {
            elements.append(try self.read(at: place, read))
            place = self.place(after: place)
        }
        return elements
    }

    /// The elements of a member that is an array, each read by the closure.
    ///
    /// - Throws: `DecodingError` if there is no such member or it is no array; the errors of the closure.
    @inlinable
    public mutating func array<Element>(
        _ key: StaticString, _ read: (inout JsonInput) throws -> Element
    ) throws -> [Element] {
        try self.read(at: required(key.jsonKey)) { try $0.array(read) }
    }

    /// The elements of a member that can be read; the others are left out.
    ///
    /// ```swift
    /// items = try json.lossyArray("items") { log.warning("\($0)") }
    /// ```
    ///
    /// - Parameters:
    ///   - key: the member's key.
    ///   - type: the type of the elements.
    ///   - onFailure: is called with the error of each element that is left out. If keys occur twice, it may be called
    ///     twice for one element.
    /// - Returns: the elements; none if the member is missing or `null`.
    /// - Throws: `DecodingError` if the member is no array.
    @inlinable
    public mutating func lossyArray<Element: JsonReadable>(
        _ key: StaticString, of type: Element.Type = Element.self, onFailure: (any Error) -> Void = { _ in }
    ) throws -> [Element] {
        let place = try present(key.jsonKey)
        return place.node < 0 ? [] : try read(at: place) { try $0.lossyArray(onFailure: onFailure) }
    }

    /// The elements of this array that can be read; the others are left out.
    ///
    /// - Throws: `DecodingError` if the value is no array.
    @inlinable
    public mutating func lossyArray<Element: JsonReadable>(
        of type: Element.Type = Element.self, onFailure: (any Error) -> Void = { _ in }
    ) throws -> [Element] {
        var place = try firstElement()
        var elements: [Element] = []
        while hasElement(at: place) {
            do {
                elements.append(try Element._value(at: place, of: &self))
            } catch {
                onFailure(error)
            }
            place = self.place(after: place)
        }
        return elements
    }

    /// Reads the value at a place with an input of its own.
    @inlinable
    mutating func read<Value>(at place: _Place, _ read: (inout JsonInput) throws -> Value) throws -> Value {
        var child = child(at: place)
        do {
            let value = try read(&child)
            if child.isUnsettled(within: self) { child.settle(within: self) }
            return value
        } catch {
            child.fail(within: &self)
            throw error
        }
    }

    // MARK: - Elements

    /// Reads the elements of the array, each at its index on the tape.
    @inline(__always)
    mutating func elements<Element>(_ read: (inout JsonInput, Int) throws -> Element) throws -> [Element] {
        var place = try firstElement().node
        return try Array(outsideCount: word(node).high) { _ in
            defer { place = next(after: place) }
            return try read(&self, place)
        }
    }

    /// The place of the first element.
    @usableFromInline
    func firstElement() throws -> _Place {
        guard word(node).kind == JsonWord.array else {
            throw context.pointee.mismatch([Any].self, at: node, container: "unkeyed")
        }
        return _Place(node + 1)
    }

    @usableFromInline
    func hasElement(at place: _Place) -> Bool { place.node < word(node).low }

    @usableFromInline
    func place(after place: _Place) -> _Place { _Place(next(after: place.node)) }

    /// The number of elements or members to reserve memory for.
    @usableFromInline
    func capacity<Element>(of type: Element.Type) -> Int { BoundedReservation.count(word(node).high, of: type) }

    @usableFromInline
    func element(_ index: Int, _ type: any Any.Type) throws -> _Place {
        var place = try firstElement()
        guard index >= 0, index < word(node).high else {
            let path = context.pointee.path(to: node) + [JsonKey(index: index)]
            throw DecodingError.valueNotFound(
                type, DecodingError.Context(codingPath: path, debugDescription: "Unkeyed container is at end."))
        }
        for _ in 0..<index { place = self.place(after: place) }
        return place
    }
}
