import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a type is read and written.
struct JsonTypeEntry {
    enum Kind {
        /// By its own `init(from:)` and `encode(to:)`.
        case plain
        case string, int, double, bool, date, url, data, decimal, uuid, json
        case collection
    }

    let type: ObjectIdentifier
    let kind: Kind
    let collection: (any JsonCollection.Type)?
    let encodableCollection: (any JsonEncodableCollection.Type)?

    init<Value>(_ type: Value.Type) {
        self.type = ObjectIdentifier(type)
        collection = type as? any JsonCollection.Type
        encodableCollection = type as? any JsonEncodableCollection.Type
        kind =
            if type == String.self {
                .string
            } else if type == Int.self {
                .int
            } else if type == Double.self {
                .double
            } else if type == Bool.self {
                .bool
            } else if type == Date.self {
                .date
            } else if type == URL.self {
                .url
            } else if type == Data.self {
                .data
            } else if type == Decimal.self {
                .decimal
            } else if type == UUID.self {
                .uuid
            } else if type == Json.self {
                .json
            } else {
                collection == nil && encodableCollection == nil ? .plain : .collection
            }
    }
}

/// What is known of the types that were read so far, so that each is looked at once: asking the runtime for a
/// conformance costs as much as reading a small object.
///
/// The slots only ever go from empty to an entry that is neither changed nor freed, so reading takes no lock. A type
/// that finds no free slot near its own is looked at again each time.
struct JsonTypeTable: @unchecked Sendable {
    // Unchecked is the pointer only: what it points to are atomics.
    static let shared = JsonTypeTable()

    private static let capacity = 1024
    private static let probes = 8

    private let slots: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

    private init() {
        slots = .allocate(capacity: Self.capacity)
        for index in 0..<Self.capacity { (slots + index).initialize(to: Atomic(nil)) }
    }

    @inline(__always)
    func kind<Value>(of type: Value.Type) -> JsonTypeEntry.Kind { entry(for: type).kind }

    func collection<Value>(of type: Value.Type) -> (any JsonCollection.Type)? { entry(for: type).collection }

    func encodableCollection<Value>(of type: Value.Type) -> (any JsonEncodableCollection.Type)? {
        entry(for: type).encodableCollection
    }

    @inline(__always)
    private func entry<Value>(for type: Value.Type) -> JsonTypeEntry {
        let slot = Self.slot(of: ObjectIdentifier(type))
        if let entry = slots[slot].load(ordering: .acquiring)?.assumingMemoryBound(to: JsonTypeEntry.self),
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
    private func findOrAdd<Value>(_ type: Value.Type, from first: Int) -> JsonTypeEntry {
        var added: UnsafeMutablePointer<JsonTypeEntry>?
        for probe in 0..<Self.probes {
            let slot = (first + probe) % Self.capacity
            var found = slots[slot].load(ordering: .acquiring)
            if found == nil {
                let new = added ?? .allocate(capacity: 1)
                if added == nil { new.initialize(to: JsonTypeEntry(type)) }
                added = new
                let (exchanged, original) = slots[slot].compareExchange(
                    expected: nil, desired: UnsafeRawPointer(new), ordering: .acquiringAndReleasing)
                if exchanged { return new.pointee }
                found = original
            }
            if let entry = found?.assumingMemoryBound(to: JsonTypeEntry.self),
                entry.pointee.type == ObjectIdentifier(type)
            {
                added?.deallocate()
                return entry.pointee
            }
        }
        let entry = JsonTypeEntry(type)
        added?.deallocate()
        return entry
    }
}
