import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a type is decoded or encoded.
enum JsonTypeKind {
    /// By its own `init(from:)` and `encode(to:)`.
    case plain
    case special(Special)
    case collection

    @inline(__always)
    var isPlain: Bool { if case .plain = self { true } else { false } }

    /// A type that the coders handle themselves: JSON has a dedicated form for it, or it is very common. A decoder for
    /// each value would be too slow then.
    enum Special {
        case string, int, double, bool, date, url, data, decimal, uuid, json
    }
}

/// The collection types that a coder handles itself: the decodable or the encodable ones.
protocol JsonCollections {
    associatedtype Collection

    /// The type as a collection that the coder handles; nil for any other type.
    static func collection(_ type: Any.Type) -> Collection?
}

private struct JsonTypeEntry<Collections: JsonCollections> {
    let type: ObjectIdentifier
    let kind: JsonTypeKind
    let collection: Collections.Collection?

    init<Value>(_ type: Value.Type) {
        self.type = ObjectIdentifier(type)
        collection = Collections.collection(type)
        kind =
            if type == String.self {
                .special(.string)
            } else if type == Int.self {
                .special(.int)
            } else if type == Double.self {
                .special(.double)
            } else if type == Bool.self {
                .special(.bool)
            } else if type == Date.self {
                .special(.date)
            } else if type == URL.self {
                .special(.url)
            } else if type == Data.self {
                .special(.data)
            } else if type == Decimal.self {
                .special(.decimal)
            } else if type == UUID.self {
                .special(.uuid)
            } else if type == Json.self {
                .special(.json)
            } else {
                collection == nil ? .plain : .collection
            }
    }
}

/// A cache of the kinds of types that a coder has met. A conformance lookup costs as much as reading a small object.
///
/// A slot changes once, from empty to an entry that is never changed or freed, so reads take no lock. Collisions are
/// resolved by linear probing. A type that finds no free slot within `probes` slots isn't cached, and is inspected each
/// time.
struct JsonTypeTable<Collections: JsonCollections>: @unchecked Sendable {  // immutable; the slots are atomics
    private typealias Entry = JsonTypeEntry<Collections>

    private static var capacity: Int { 1024 }
    private static var probes: Int { 8 }

    private let slots: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

    init() {
        slots = .allocate(capacity: Self.capacity)
        for index in 0..<Self.capacity { (slots + index).initialize(to: Atomic(nil)) }
    }

    @inline(__always)
    func kind<Value>(of type: Value.Type) -> JsonTypeKind { entry(for: type).kind }

    func collection<Value>(of type: Value.Type) -> Collections.Collection? { entry(for: type).collection }

    @inline(__always)
    private func entry<Value>(for type: Value.Type) -> Entry {
        let slot = Self.slot(of: ObjectIdentifier(type))
        if let entry = slots[slot].load(ordering: .acquiring)?.assumingMemoryBound(to: Entry.self),
            entry.pointee.type == ObjectIdentifier(type)
        {
            return entry.pointee
        }
        return findOrAdd(type, from: slot)
    }

    @inline(__always)
    private static func slot(of type: ObjectIdentifier) -> Int {
        let bits = UInt(bitPattern: type)
        return Int(truncatingIfNeeded: (bits >> 4 ^ bits >> 14) & UInt(capacity - 1))
    }

    @inline(never)
    private func findOrAdd<Value>(_ type: Value.Type, from first: Int) -> Entry {
        var added: UnsafeMutablePointer<Entry>?
        for probe in 0..<Self.probes {
            let slot = (first + probe) % Self.capacity
            var found = slots[slot].load(ordering: .acquiring)
            if found == nil {
                let new = added ?? .allocate(capacity: 1)
                if added == nil { new.initialize(to: Entry(type)) }
                added = new
                let (exchanged, original) = slots[slot].compareExchange(
                    expected: nil, desired: UnsafeRawPointer(new), ordering: .acquiringAndReleasing)
                if exchanged { return new.pointee }
                found = original
            }
            if let entry = found?.assumingMemoryBound(to: Entry.self),
                entry.pointee.type == ObjectIdentifier(type)
            {
                added?.deallocate()
                return entry.pointee
            }
        }
        let entry = Entry(type)
        added?.deallocate()
        return entry
    }
}
