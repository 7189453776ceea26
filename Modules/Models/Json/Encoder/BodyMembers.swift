/// A literal of mixed values, which becomes a JSON object: in `ApiRequest.body(_:)`, `Json(encoding:)`, and in the test
/// kit's responses.
///
/// ```swift
/// try await api.post("users").body(["name": name, "born": date, "tags": ["a", "b"], "team": nil]).send()
/// server.on(.get, "/users/:id") { .json(["id": $0.parameters["id"], "age": 36]) }
/// ```
///
/// The client's encoder writes the values of a request, `JsonEncoder.default` all others. A ``JsonEncoder`` keeps the order
/// of the members, unless it sorts.
public struct BodyMembers: Sendable, ExpressibleByDictionaryLiteral {
    package let values: Values

    /// Creates the members of a body. Of several values with the same name the last one counts.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        var last = Dictionary(elements.map { ($0, Member(value: $1)) }) { $1 }
        values = Values(members: elements.compactMap { name, _ in last.removeValue(forKey: name).map { (name, $0) } })
    }

    /// Is encoded as a dictionary with these members is, in their order.
    package struct Values: Encodable, JsonEncodableCollection, Sendable {
        /// No name occurs twice.
        let members: [(key: String, value: Member)]

        package func encode(to encoder: any Encoder) throws {
            // Other encoders may treat dictionaries as special.
            var container = encoder.singleValueContainer()
            try container.encode(Dictionary(uniqueKeysWithValues: members.map { ($0, $1) }))
        }

        func encodeElements(to encoder: JsonValueEncoder, isWhole: Bool) throws {
            try encoder.encodeMembers(members, isWhole: isWhole)
        }
    }

    /// A value of any type; nil for `null`.
    package struct Member: Encodable, Sendable {
        let value: (any Encodable & Sendable)?

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }
}
