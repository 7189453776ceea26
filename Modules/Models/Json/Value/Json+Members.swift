extension Json {
    /// The elements of an array in order; none for other kinds.
    public var elements: some Sequence<Json> & Sendable { Elements(json: self) }

    /// The members of an object in the document's order, duplicates included; none for other kinds.
    public var members: some Sequence<(key: String, value: Json)> & Sendable { Members(json: self) }

    /// The elements of an array, each created when the iterator reaches it.
    struct Elements: Sequence, Sendable {
        let json: Json

        func makeIterator() -> Iterator {
            if let (document, node) = json.view, document.word(node).kind == JsonWord.array {
                return Iterator(source: .parsed(document, node + 1, document.word(node).low))
            }
            if case .array(let elements) = json.storage { return Iterator(source: .built(elements, 0)) }
            return Iterator(source: .built([], 0))
        }

        /// The number of elements, at most 1,000, which bounds what `map` reserves: its results may be large, and the
        /// first may fail.
        var underestimatedCount: Int { json.kind == .array ? Swift.min(json.count, 1_000) : 0 }

        struct Iterator: IteratorProtocol {
            enum Source {
                case parsed(JsonDocument, Int, Int)
                case built([Json], Int)
            }

            var source: Source

            mutating func next() -> Json? {
                switch source {
                case .parsed(let document, let node, let end):
                    guard node < end else { return nil }
                    source = .parsed(document, document.next(after: node), end)
                    return Json(.document(document, node: node))
                case .built(let elements, let position):
                    guard position < elements.count else { return nil }
                    source = .built(elements, position + 1)
                    return elements[position]
                }
            }
        }
    }

    /// The members of an object, each created when the iterator reaches it.
    struct Members: Sequence, Sendable {
        let json: Json

        func makeIterator() -> Iterator {
            if let (document, node) = json.view, document.word(node).kind == JsonWord.object {
                return Iterator(source: .parsed(document, node + 1, document.word(node).low))
            }
            if case .object(let object) = json.storage { return Iterator(source: .built(object, 0)) }
            return Iterator(source: .built(JsonObject(), 0))
        }

        /// The number of members, at most 1,000, which bounds what `map` reserves: its results may be large, and the
        /// first may fail.
        var underestimatedCount: Int { json.kind == .object ? Swift.min(json.count, 1_000) : 0 }

        struct Iterator: IteratorProtocol {
            enum Source {
                case parsed(JsonDocument, Int, Int)
                case built(JsonObject, Int)
            }

            var source: Source

            mutating func next() -> (key: String, value: Json)? {
                switch source {
                case .parsed(let document, let node, let end):
                    guard node < end else { return nil }
                    source = .parsed(document, document.next(after: node + 1), end)
                    return (document.string(at: node), Json(.document(document, node: node + 1)))
                case .built(let object, let position):
                    var position = position
                    while position < object.members.count {
                        let member = object.members[position]
                        position += 1
                        guard let member else { continue }
                        source = .built(object, position)
                        return (member.key, member.value)
                    }
                    return nil
                }
            }
        }
    }
}
