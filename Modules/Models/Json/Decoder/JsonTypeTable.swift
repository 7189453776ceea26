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
        case special(Special)
        case collection

        @inline(__always)
        var isPlain: Bool { if case .plain = self { true } else { false } }
    }

    /// A type that is read and written here: because JSON has a form of its own for it, or because it is so common
    /// that the way through a decoder of its own would cost.
    enum Special {
        case string, int, double, bool, date, url, data, decimal, uuid, json
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
                collection == nil && encodableCollection == nil ? .plain : .collection
            }
    }
}

/// What is known of the types that were read so far, so that each is looked at once: asking the runtime for a
/// conformance costs as much as reading a small object.
///
/// The slots only ever go from empty to an entry that is neither changed nor freed, so reading takes no lock. A type
/// that finds no free slot near its own is looked at again each time.
struct JsonTypeTable: @unchecked Sendable {  // let only, and what the pointer points to are atomics
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
