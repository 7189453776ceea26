extension Json: Hashable {
    /// Whether two values are equal by the rules that ``Json`` lists.
    public static func == (left: Json, right: Json) -> Bool {
        if let (first, place) = left.view, let (second, other) = right.view, first === second, place == other {
            return true
        }
        let kind = left.kind
        guard kind == right.kind else { return false }
        switch kind {
        case .null: return true
        case .bool: return left.bool == right.bool
        case .number: return left.decimalNumber == right.decimalNumber
        case .string: return (left.string ?? "").utf8.elementsEqual((right.string ?? "").utf8)
        case .array: return left.count == right.count && left.elements.elementsEqual(right.elements)
        case .object:
            let first = left.keyed
            let second = right.keyed
            return first == second
        }
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
        let kind = kind
        hasher.combine(kind)
        switch kind {
        case .null: break
        case .bool: hasher.combine(bool)
        case .number: hasher.combine(decimalNumber)
        case .string: hasher.combine(JsonObject.Key(text: string ?? ""))
        case .array:
            hasher.combine(count)
            for element in elements { hasher.combine(element) }
        case .object: hasher.combine(keyed)
        }
    }

    private var decimalNumber: JsonNumber? { numberText.map { JsonNumber($0) } }

    private var keyed: [JsonObject.Key: Json] {
        Dictionary(members.map { (JsonObject.Key(text: $0.key), $0.value) }) { _, last in last }
    }
}
