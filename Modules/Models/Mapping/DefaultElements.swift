import NodeCore
import Synchronization

/// Decodes the elements of an array at once if their type has the default `from(raw:)`: with one decoder, and without a
/// `Json` for each.
///
/// A type can replace `from(raw:)`, and nothing in the language tells whether it has. So the first element is created
/// from a document that holds this object: only the default `from(raw:)` reports to it, and only for its own type.
final class DefaultElements<Element: Sendable>: Sendable {
    typealias Decode = @Sendable (_ array: Json, _ first: Element) throws -> [Element]?

    private let decode = Mutex<Decode?>(nil)

    /// Decodes an array of a document whose first element is known. Returns nil if the elements' type has another
    /// `from(raw:)`.
    func decode(_ array: Json, first: Element) throws -> [Element]? { try decode.taking { $0 }?(array, first) }

    fileprivate func report(_ decode: @escaping Decode) { self.decode.taking { $0 = decode } }
}

extension Json {
    /// Decodes a type by its default `from(raw:)`.
    func decodeByDefault<Value: Decodable & Sendable>(_ type: Value.Type, _ decoder: JsonDecoder) throws -> Value {
        if case .document(let document, _) = storage, let elements = document.defaultElements as? DefaultElements<Value>
        {
            elements.report { try decoder.decode(elementsOf: $0, first: $1) }
        }
        return try decoder.decode(type, from: self)
    }
}

extension JsonDecoder {
    /// Decodes each element but the first as a value of its own, whose coding path is empty.
    fileprivate func decode<Value: Decodable>(elementsOf array: Json, first: Value) throws -> [Value]? {
        guard let (document, node) = array.view else { return nil }
        var root = JsonSpareDecoder.take() ?? JsonValueDecoder(document)
        defer { JsonSpareDecoder.giveBack(&root) }
        var place = node + 1
        return try Array(outsideCount: array.count) { index in
            if index == 0 { return first }
            place = document.next(after: place)
            // A type that keeps its decoder needs the root for itself.
            if !isKnownUniquelyReferenced(&root) { root = JsonValueDecoder(document) }
            root.start(document, at: place, changed)
            return try within(JsonKey(index: index)) { try root.decode(Value.self) }
        }
    }
}
