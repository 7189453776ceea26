#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JsonDecoderNode {
    /// Whether the type is read here and not by its own `init(from:)`: because JSON has a form of its own for it, or
    /// because it is so common that the way through a decoder of its own would cost.
    @inline(__always)
    static func isSpecial<Value>(_ type: Value.Type) -> Bool {
        type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Date.self
            || type == URL.self || type == Data.self || type == Decimal.self || type == UUID.self || type == Json.self
            || type == [String].self || type == [Int].self || type == [Double].self
    }

    @inline(never)
    func special<Value>(_ type: Value.Type, at node: Int, _ path: () -> [any CodingKey]) throws -> Value {
        // Each `same` is given the very type that `Value` is.
        if type == String.self { return same(try string(at: node, path())) }
        if type == Int.self { return same(try integer(Int.self, at: node, path())) }
        if type == Double.self { return same(try double(at: node, path())) }
        if type == Bool.self { return same(try bool(at: node, path())) }
        if type == Date.self { return same(try date(at: node, path)) }
        if type == URL.self { return same(try url(at: node, path)) }
        if type == Data.self { return same(try data(at: node, path)) }
        if type == Decimal.self { return same(try decimal(at: node, path)) }
        if type == UUID.self { return same(try uuid(at: node, path)) }
        if type == [String].self { return same(try array(node, path) { try $0.string(at: $1, $2) }) }
        if type == [Int].self { return same(try array(node, path) { try $0.integer(Int.self, at: $1, $2) }) }
        if type == [Double].self { return same(try array(node, path) { try $0.double(at: $1, $2) }) }
        return same(json(at: node))
    }

    /// The value as the type that it has already.
    @inline(__always)
    private func same<From, To>(_ value: From) -> To { unsafeBitCast(value, to: To.self) }

    /// Elements that need no decoder. Where one fails, it is read again for an error with its path.
    @inline(__always)
    private func array<Element>(
        _ node: Int, _ path: () -> [any CodingKey], _ read: (JsonDecoderNode, Int, [any CodingKey]) throws -> Element
    ) throws -> [Element] {
        let word = word(node)
        guard word.kind == JsonWord.array else { throw mismatch([Any].self, at: node, path(), container: "unkeyed") }
        var result: [Element] = []
        result.reserveCapacity(word.high)
        var place = node + 1
        while place < word.low {
            do {
                result.append(try read(self, place, []))
            } catch {
                result.append(try read(self, place, path() + [JsonKey(index: result.count)]))
            }
            place = next(after: place)
        }
        return result
    }

    private func url(at node: Int, _ path: () -> [any CodingKey]) throws -> URL {
        if word(node).kind == JsonWord.null { throw mismatch(URL.self, at: node, path()) }
        guard let url = URL(string: try string(at: node, path())) else { throw corrupted(path(), "Invalid URL string.") }
        return url
    }

    private func uuid(at node: Int, _ path: () -> [any CodingKey]) throws -> UUID {
        guard let uuid = UUID(uuidString: try string(at: node, path())) else {
            throw corrupted(path(), "Attempted to decode UUID from invalid UUID string.")
        }
        return uuid
    }

    private func decimal(at node: Int, _ path: () -> [any CodingKey]) throws -> Decimal {
        let word = word(node)
        guard word.isNumber else { throw mismatch(Decimal.self, at: node, path()) }
        guard let value = JsonNumber.decimal(text(of: word)) else { throw unrepresentable(Decimal.self, at: node, path()) }
        return value
    }

    private func data(at node: Int, _ path: () -> [any CodingKey]) throws -> Data {
        if word(node).kind == JsonWord.null { throw mismatch(Data.self, at: node, path()) }
        switch settings.data {
        case .base64:
            guard let data = Data(base64Encoded: try string(at: node, path())) else {
                throw corrupted(path(), "Encountered Data is not valid Base64.")
            }
            return data
        case .deferredToData: return try Data(from: decoder(at: node, path))
        case .custom(let decode): return try decode(decoder(at: node, path))
        }
    }

    private func date(at node: Int, _ path: () -> [any CodingKey]) throws -> Date {
        if word(node).kind == JsonWord.null { throw mismatch(Date.self, at: node, path()) }
        switch settings.dates {
        case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try double(at: node, path()))
        case .secondsSince1970: return Date(timeIntervalSince1970: try double(at: node, path()))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(at: node, path()) / 1000)
        case .iso8601:
            guard let date = JsonDate.parse(try string(at: node, path())) else {
                throw corrupted(path(), "Expected date string to be ISO8601-formatted.")
            }
            return date
        case .formatted(let parse):
            guard let date = try parse(try string(at: node, path())) else {
                throw corrupted(path(), "Date string does not match format expected by formatter.")
            }
            return date
        case .custom(let decode): return try decode(decoder(at: node, path))
        }
    }

    /// A decoder for a function of the user's.
    private func decoder(at node: Int, _ path: () -> [any CodingKey]) -> JsonDecoderNode {
        if node == self.node { return self }
        return child(at: node, key: path().last)
    }
}
