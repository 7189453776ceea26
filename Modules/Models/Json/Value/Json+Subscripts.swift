extension Json {
    /// The member with this key, nil if there is none or this is no object; of duplicates the last.
    ///
    /// Setting a member of an object adds it at the end or replaces it in its place, setting nil removes it. Setting a
    /// member of `null` makes it an object; other kinds stay as they are.
    public subscript(key: String) -> Json? {
        get {
            if let (document, node) = view {
                return document.member(key, of: node).map { Json(.document(document, node: $0)) }
            }
            if case .object(let object) = storage { return object[key] }
            return nil
        }
        set {
            switch kind {
            case .object:
                var object = takeObject()
                object[key] = newValue
                storage = .object(object)
            case .null:
                guard let newValue else { return }
                storage = .object(JsonObject([(key, newValue)]))
            default: break
            }
        }
    }

    /// The element at this place counted from 0, nil if there is none or this is no array.
    ///
    /// Setting an element replaces it, setting the one past the last appends, setting nil removes. Other places and
    /// other kinds of values stay as they are.
    public subscript(index: Int) -> Json? {
        get {
            if case .array(let elements) = storage {
                return elements.indices.contains(index) ? elements[index] : nil
            }
            guard let (document, node) = view, document.word(node).kind == JsonWord.array,
                index >= 0, index < document.word(node).high
            else { return nil }
            var place = node + 1
            for _ in 0..<index { place = document.next(after: place) }
            return Json(.document(document, node: place))
        }
        set {
            guard kind == .array, index >= 0, index <= count else { return }
            var elements = takeArray()
            if let newValue {
                if index == elements.count { elements.append(newValue) } else { elements[index] = newValue }
            } else if index < elements.count {
                elements.remove(at: index)
            }
            storage = .array(elements)
        }
    }

    /// Appends to an array; other kinds stay as they are.
    public mutating func append(_ element: Json) {
        guard kind == .array else { return }
        var elements = takeArray()
        elements.append(element)
        storage = .array(elements)
    }

    /// The members, taken out of the storage so that they can change in place.
    private mutating func takeObject() -> JsonObject {
        guard case .object(let object) = storage else { return JsonObject(members.map { ($0.key, $0.value) }) }
        storage = .null
        return object
    }

    /// The elements, taken out of the storage so that they can change in place.
    private mutating func takeArray() -> [Json] {
        guard case .array(let elements) = storage else { return Array(elements) }
        storage = .null
        return elements
    }
}

extension JsonDocument {
    /// The value of the last member with this key, nil if there is none or `node` is no object.
    func member(_ key: String, of node: Int) -> Int? {
        let word = word(node)
        guard word.kind == JsonWord.object else { return nil }
        var key = key
        return key.withUTF8 { text in
            var found: Int?
            var place = node + 1
            while place < word.low {
                if JsonText.isEqual(self.word(place), in: bytes, to: text) { found = place + 1 }
                place = next(after: place + 1)
            }
            return found
        }
    }
}
