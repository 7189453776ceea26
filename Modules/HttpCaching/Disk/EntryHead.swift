import HttpMessages

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Converts an entry, without the size of its body, to bytes and back.
enum EntryHead {
    static func bytes(of entry: HttpCacheEntry) -> [UInt8] {
        var writer = ByteWriter()
        withUnsafeBytes(of: entry.id.uuid) { writer.bytes.append(contentsOf: $0) }
        writer.append(UInt16(clamping: entry.status))
        writer.append(entry.requestTime.timeIntervalSinceReferenceDate.bitPattern)
        writer.append(entry.responseTime.timeIntervalSinceReferenceDate.bitPattern)
        writer.append(counted: entry.key.url.utf8)
        writer.append(counted: entry.key.session.rawValue.utf8)
        writer.append(UInt32(entry.nominated.count))
        for header in entry.nominated {
            writer.append(counted: header.name.utf8)
            writer.append(UInt8(header.value == nil ? 0 : 1))
            if let value = header.value { writer.append(counted: value.utf8) }
        }
        for field in entry.headers.fields {
            writer.append(counted: field.name.utf8)
            writer.append(counted: field.valueBytes)
        }
        return writer.bytes
    }

    /// Reads an entry; nil for bytes that ``bytes(of:)`` doesn't write.
    static func entry(_ bytes: UnsafeRawBufferPointer, bodyLength: Int64) -> HttpCacheEntry? {
        var reader = ByteReader(bytes)
        guard let id = reader.bytes(16), let status = reader.integer(UInt16.self),
            let requestTime = reader.date(), let responseTime = reader.date(),
            let url = reader.text(), let session = reader.text(), let nominated = reader.nominated(),
            let headers = reader.headers()
        else { return nil }
        return HttpCacheEntry(
            id: UUID(uuid: id.loadUnaligned(as: uuid_t.self)),
            key: HttpCacheKey(url: url, session: HttpCacheSession(rawValue: session)), nominated: nominated,
            status: Int(status), headers: headers, requestTime: requestTime, responseTime: responseTime,
            bodyLength: bodyLength)
    }
}

extension ByteReader {
    fileprivate mutating func date() -> Date? {
        guard let bits = integer(UInt64.self) else { return nil }
        let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        return (0...CacheDate.greatest).contains(date.timeIntervalSince1970) ? date : nil
    }

    fileprivate mutating func nominated() -> [HttpCacheEntry.Nominated]? {
        guard let count = integer(UInt32.self) else { return nil }
        var headers: [HttpCacheEntry.Nominated] = []
        for _ in 0..<count {
            guard let name = text(), let hasValue = integer(UInt8.self), hasValue <= 1 else { return nil }
            if hasValue == 0 {
                headers.append(.init(name: name, value: nil))
            } else {
                guard let value = text() else { return nil }
                headers.append(.init(name: name, value: value))
            }
        }
        return headers
    }

    /// The rest as header fields.
    fileprivate mutating func headers() -> HttpHeaders? {
        var fields: [HttpHeaders.Field] = []
        while !isAtEnd {
            guard let name = text(), let value = counted() else { return nil }
            fields.append(HttpHeaders.Field(name: name, valueBytes: value))
        }
        return HttpHeaders(fields)
    }
}
