/// A literal of mixed values, which `ApiRequest.body(_:)` sends as a JSON object.
///
/// ```swift
/// try await api.post("users").body(["name": name, "born": date, "tags": ["a", "b"], "team": nil]).send()
/// ```
///
/// The client's encoder writes the values.
public struct BodyMembers: Sendable, ExpressibleByDictionaryLiteral {
    let values: [String: Member]

    /// Creates the members of a body. Of several values with the same name the last one counts.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        values = Dictionary(elements.map { ($0, Member(value: $1)) }) { $1 }
    }

    /// A value of any type; nil for `null`.
    struct Member: Encodable, Sendable {
        let value: (any Encodable & Sendable)?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }
}
