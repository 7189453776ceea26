extension Json {
    /// The member with this key; nil if there is none or this is not an object. Of duplicate keys the last counts.
    ///
    /// Setting a member of an object replaces it in place or appends it; setting nil removes it. Setting a member of
    /// `null` turns it into an object. Values of other kinds don't change.
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
        // Without it, a change inside of the member would copy it first, because the storage still references it.
        _modify {
            var value = takeMember(key)
            let isMissing = value == nil
            defer { if value != nil || !isMissing { self[key] = value } }
            yield &value
        }
    }

    /// The element at this index, counted from 0; nil if there is none or this is not an array.
    ///
    /// Setting an element replaces it, setting the one past the last appends it, setting nil removes it. Other indices
    /// have no effect, and values of other kinds don't change.
    public subscript(index: Int) -> Json? {
        get {
            if case .array(let elements) = storage {
                return elements.indices.contains(index) ? elements[index] : nil
            }
            guard let (document, node) = view else { return nil }
            return document.element(index, of: node).map { Json(.document(document, node: $0)) }
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
        _modify {
            var value = takeElement(index)
            let isMissing = value == nil
            defer { if value != nil || !isMissing { self[index] = value } }
            yield &value
        }
    }

    /// Appends to an array. Values of other kinds don't change.
    public mutating func append(_ element: Json) {
        guard kind == .array else { return }
        var elements = takeArray()
        elements.append(element)
        storage = .array(elements)
    }

    /// Moves the members out of the storage, so that they can change in place.
    private mutating func takeObject() -> JsonObject {
        guard case .object(let object) = storage else { return JsonObject(members.map { ($0.key, $0.value) }) }
        storage = .null
        return object
    }

    /// Moves a member's value out of the storage, so that it can change in place.
    private mutating func takeMember(_ key: String) -> Json? {
        guard case .object(var object) = storage else { return self[key] }
        storage = .null
        defer { storage = .object(object) }
        return object.take(key)
    }

    /// Moves an element out of the storage, so that it can change in place.
    private mutating func takeElement(_ index: Int) -> Json? {
        guard case .array(var elements) = storage, elements.indices.contains(index) else { return self[index] }
        storage = .null
        defer {
            elements[index] = .null
            storage = .array(elements)
        }
        return elements[index]
    }

    /// Moves the elements out of the storage, so that they can change in place.
    private mutating func takeArray() -> [Json] {
        guard case .array(let elements) = storage else { return Array(elements) }
        storage = .null
        return elements
    }
}
