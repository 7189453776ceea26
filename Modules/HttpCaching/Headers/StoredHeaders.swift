import HttpMessages
import Logging

/// Which headers of a response are stored, and how a 304 updates them.
enum StoredHeaders {
    /// Headers of one connection (RFC 9111 §3.1, RFC 9110 §7.6.1), challenges and proofs of authentication.
    static let neverStored: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "www-authenticate",
        "authentication-info",
    ]

    /// Cookies. Only a store in memory keeps them, as it keeps secrets.
    static let cookies: Set<String> = ["set-cookie", "set-cookie2"]

    /// Headers whose names look like those of secrets.
    static let harmless: Set<String> = ["public-key-pins", "public-key-pins-report-only"]

    /// Headers that describe the stored bytes. A 304 doesn't change them (§3.2).
    private static let ofBody: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// The headers of a response that are stored.
    ///
    /// - Parameters:
    ///   - connection: the members of `Connection`, in lower case.
    ///   - isLeftOut: whether a header isn't stored, by the bytes of its name.
    ///   - isForEveryone: whether fields that the response calls private are left out.
    static func stored(
        _ headers: HttpHeaders, _ control: CacheControl, connection: [String], isForEveryone: Bool,
        isLeftOut: (UnsafeRawBufferPointer) -> Bool
    ) -> HttpHeaders {
        var left = Set(connection).union(control.noCache.fields)
        if isForEveryone { left.formUnion(control.isPrivate.fields) }
        return headers.keeping { name in
            !isLeftOut(name) && (left.isEmpty || !left.contains(String(decoding: name, as: UTF8.self).lowercased()))
        }
    }

    /// Whether a header is never stored, by the bytes of its name.
    static func isNeverStored(_ name: UnsafeRawBufferPointer) -> Bool {
        isNeverStored(usual: name) ?? neverStored.contains(String(decoding: name, as: UTF8.self).lowercased())
    }

    /// Whether a header of most responses is never stored, by the bytes of its name; nil for any other name. Most need no
    /// text of their names then.
    static func isNeverStored(usual name: UnsafeRawBufferPointer) -> Bool? {
        let isKept =
            switch name.count {
            case 3: name.isHeader("age")
            case 4: name.isHeader("date") || name.isHeader("etag") || name.isHeader("vary")
            case 6: name.isHeader("server")
            case 7: name.isHeader("expires")
            case 12: name.isHeader("content-type")
            case 13: name.isHeader("cache-control") || name.isHeader("last-modified") || name.isHeader("accept-ranges")
            case 14: name.isHeader("content-length")
            case 16: name.isHeader("content-encoding")
            default: false
            }
        if isKept { return false }
        let isLeftOut =
            name.isHeader("connection") || name.isHeader("keep-alive") || name.isHeader("transfer-encoding")
        return isLeftOut ? true : nil
    }

    /// The stored headers after a 304, or after the response to a `HEAD` (§3.2). Its fields replace those of the same name.
    ///
    /// - Parameter date: the date of the response if it has none.
    static func updated(_ old: HttpHeaders, by new: HttpHeaders, date: Double) -> HttpHeaders {
        let left = Set(new.listMembers(of: "Connection"))
        let added = new.fields.filter { field in
            let name = field.name.lowercased()
            return !ofBody.contains(name) && !neverStored.contains(name) && !left.contains(name)
        }
        let names = Set(added.map { $0.name.lowercased() })
        // The age is that of the new response, and the date is its one.
        var fields = old.fields.filter { !names.contains($0.name.lowercased()) && !$0.name.equalsIgnoringCase("Age") }
        if !names.contains("date") {
            fields.removeAll { $0.name.equalsIgnoringCase("Date") }
            fields.append(HttpHeaders.Field(name: "Date", value: CacheDate.text(date)))
        }
        return HttpHeaders(received: fields + added)
    }
}

/// What decides how a response is stored, found in one pass over the bytes of its fields: texts of all of them would take
/// longer than the rest of a miss that isn't stored.
struct DecisiveFields: Sendable {
    private(set) var control = CacheControl()
    /// The members of `Vary`, in lower case, sorted.
    private(set) var vary: [String] = []
    /// The members of `Connection`, in lower case. Those that name no field are left out.
    private(set) var connection: [String] = []
    private(set) var hasExpires = false
    /// The first one that is a number of bytes.
    private(set) var contentLength: Int64?
    private(set) var hasDate = false
    private(set) var isEncoded = false

    init(_ headers: HttpHeaders) {
        var (hasVary, namesFields) = (false, false)
        headers.forEachField { name, value in
            switch name.count {
            case 4 where name.isHeader("vary"): hasVary = true
            case 10 where name.isHeader("connection"):
                namesFields = namesFields || !value.isHeader("keep-alive") && !value.isHeader("close")
            default: add(name, value)
            }
        }
        // Each reads all fields.
        if hasVary { vary = headers.listMembers(of: "Vary") }
        if namesFields { connection = headers.listMembers(of: "Connection") }
    }

    private mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.isHeader("date"): hasDate = true
        case 7 where name.isHeader("expires"): hasExpires = true
        case 13 where name.isHeader("cache-control"): control.add(value)
        case 14 where name.isHeader("content-length"): contentLength = contentLength ?? DecimalNumber.length(value)
        case 16 where name.isHeader("content-encoding"): isEncoded = true
        default: break
        }
    }
}

extension HttpHeaders {
    /// The members of the lists in all fields of a name, in lower case, without duplicates, sorted.
    func listMembers(of name: String) -> [String] {
        guard self[name] != nil else { return [] }
        let members = values(of: name).flatMap { $0.split(separator: ",") }.map { $0.trimmed.lowercased() }
        return Set(members).filter { !$0.isEmpty }.sorted()
    }

    /// The value of a header that `Vary` nominates: combined and with normal white space (RFC 9111 §4.1), and languages
    /// in lower case (RFC 4647 §2); nil without it.
    func nominatedValue(of name: String) -> String? {
        let values = values(of: name)
        guard !values.isEmpty else { return nil }
        let value = values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { String($0.trimmed) }.joined(separator: ",")
        return name.equalsIgnoringCase("Accept-Language") ? value.lowercased() : value
    }
}
