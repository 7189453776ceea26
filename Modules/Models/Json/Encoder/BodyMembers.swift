/// A literal of mixed values, which becomes a JSON object: in `ApiRequest.body(_:)`, `Json(encoding:)`, and in the test
/// kit's responses.
///
/// ```swift
/// try await api.post("users").body(["name": name, "born": date, "tags": ["a", "b"], "team": nil]).send()
/// server.on(.get, "/users/:id") { .json(["id": $0.parameters["id"], "age": 36]) }
/// ```
///
/// The client's encoder writes the values of a request, `JsonEncoder.default` all others.
public struct BodyMembers: Sendable, ExpressibleByDictionaryLiteral {
    package let values: [String: Member]

    /// Creates the members of a body. Of several values with the same name the last one counts.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        values = Dictionary(elements.map { ($0, Member(value: $1)) }) { $1 }
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
