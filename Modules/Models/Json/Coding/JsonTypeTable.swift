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
    /// A collection that the coders handle themselves, or a type that reads or writes itself. For a coder that has no
    /// such way for the type, it is plain.
    case collection

    @inline(__always)
    var isPlain: Bool { if case .plain = self { true } else { false } }

    /// A type that the coders handle themselves: JSON has a dedicated form for it, or it is very common. A decoder for
    /// each value would be too slow then.
    enum Special {
        case string, int, double, bool, strings, ints, doubles, date, url, data, decimal, uuid, json
    }
}

/// What the coders know about a type. Not generic, so that a lookup needs none of the run time's metadata caches.
struct JsonTypeEntry {
    let type: ObjectIdentifier
    let kind: JsonTypeKind
    let decodable: (any JsonCollection.Type)?
    let encodable: (any JsonEncodableCollection.Type)?
    /// The type if it reads itself, and isn't in `decodable`.
    let readable: (any JsonReadable.Type)?
    /// The type if it writes itself, and isn't in `encodable`.
    let writable: (any JsonWritable.Type)?
    /// Points to a `JsonContainers<Type>.Type` if the type is one of keys.
    let containers: UnsafeRawPointer?
    /// The next entry of the same bucket.
    var next: UnsafePointer<JsonTypeEntry>?

    /// Whether values are encoded by their own `encode(to:)`.
    var encodesItself: Bool { if case .special = kind { false } else { encodable == nil && writable == nil } }

    init<Value>(_ type: Value.Type) {
        self.type = ObjectIdentifier(type)
        decodable = type as? any JsonCollection.Type
        encodable = type as? any JsonEncodableCollection.Type
        readable = decodable == nil ? type as? any JsonReadable.Type : nil
        writable = encodable == nil ? type as? any JsonWritable.Type : nil
        containers = (type as? any CodingKey.Type).map { Self.containers($0) }
        kind =
            if type == String.self {
                .special(.string)
            } else if type == Int.self {
                .special(.int)
            } else if type == Double.self {
                .special(.double)
            } else if type == Bool.self {
                .special(.bool)
            } else if type == [String].self {
                .special(.strings)
            } else if type == [Int].self {
                .special(.ints)
            } else if type == [Double].self {
                .special(.doubles)
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
            } else if decodable == nil, encodable == nil, readable == nil, writable == nil {
                .plain
            } else {
                .collection
            }
    }

    private static func containers<Key: CodingKey>(_ keys: Key.Type) -> UnsafeRawPointer {
        let pointer = UnsafeMutablePointer<JsonContainers<Key>.Type>.allocate(capacity: 1)
        pointer.initialize(to: JsonContainers<Key>.known)
        return UnsafeRawPointer(pointer)
    }
}

/// A cache of what the coders know about the types that they have met. A conformance lookup costs as much as reading a
/// small object.
///
/// A hash table with chaining. Entries are never changed or freed, like the metadata of the types, so reads take no
/// lock.
struct JsonTypeTable: @unchecked Sendable {  // immutable; the buckets are atomics
    static let shared = JsonTypeTable()

    private static var capacity: Int { 2048 }

    private let buckets: UnsafeMutablePointer<Atomic<UnsafePointer<JsonTypeEntry>?>>

    private init() {
        buckets = .allocate(capacity: Self.capacity)
        for index in 0..<Self.capacity { (buckets + index).initialize(to: Atomic(nil)) }
    }

    @inline(__always)
    func kind<Value>(of type: Value.Type) -> JsonTypeKind { self[type].pointee.kind }

    @inline(__always)
    func containers<Key: CodingKey>(_ keys: Key.Type) -> JsonContainers<Key>.Type {
        guard let containers = self[keys].pointee.containers else { return JsonContainers<Key>.self }
        return containers.assumingMemoryBound(to: JsonContainers<Key>.Type.self).pointee
    }

    @inline(__always)
    subscript<Value>(type: Value.Type) -> UnsafePointer<JsonTypeEntry> {
        let bits = UInt(bitPattern: ObjectIdentifier(type))
        let bucket = buckets + Int(truncatingIfNeeded: (bits >> 4 ^ bits >> 14) & UInt(Self.capacity - 1))
        if let first = bucket.pointee.load(ordering: .acquiring), first.pointee.type == ObjectIdentifier(type) {
            return first
        }
        return findOrAdd(type, in: bucket)
    }

    @inline(never)
    private func findOrAdd<Value>(
        _ type: Value.Type, in bucket: UnsafeMutablePointer<Atomic<UnsafePointer<JsonTypeEntry>?>>
    ) -> UnsafePointer<JsonTypeEntry> {
        var added: UnsafeMutablePointer<JsonTypeEntry>?
        while true {
            let first = bucket.pointee.load(ordering: .acquiring)
            var place = first
            while let entry = place {
                if entry.pointee.type == ObjectIdentifier(type) {
                    // Another thread was first.
                    added?.pointee.containers?.deallocate()
                    added?.deallocate()
                    return entry
                }
                place = entry.pointee.next
            }
            let new = added ?? .allocate(capacity: 1)
            if added == nil { new.initialize(to: JsonTypeEntry(type)) }
            added = new
            new.pointee.next = first
            let (exchanged, _) = bucket.pointee.weakCompareExchange(
                expected: first, desired: UnsafePointer(new), ordering: .acquiringAndReleasing)
            if exchanged { return UnsafePointer(new) }
        }
    }
}

/// Returns the value as `To`, which must be the same type as `From`. Unchecked: for a coder that knows the type of a
/// generic value by its kind.
@inline(__always)
func sameType<From, To>(_ value: consuming From) -> To { read(&value) }

@inline(__always)
private func read<From, To>(_ place: UnsafePointer<From>) -> To {
    UnsafeRawPointer(place).assumingMemoryBound(to: To.self).pointee
}
