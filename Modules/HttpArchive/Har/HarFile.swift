/// The structure of a HAR 1.2 file. Names with a leading underscore are custom fields, which the specification allows.
struct HarFile: Encodable {
    let log: HarLog
}

struct HarLog: Encodable {
    struct Creator: Encodable {
        let name = "NetChainKit"
        /// The version of the library. A release changes it together with `CHANGELOG.md`.
        let version = "0.1.0"
    }

    let version = "1.2"
    let creator = Creator()
    let pages: [String] = []
    let entries: [HarEntry]
    let comment: String?
}

struct HarEntry: Encodable {
    enum CodingKeys: String, CodingKey {
        case startedDateTime, time, request, response, cache, timings, serverIPAddress, comment
        case error = "_error"
        case finalUrl = "_finalUrl"
        case attempt = "_attempt"
    }

    /// Always empty: there is no cache.
    struct Cache: Encodable {}

    let startedDateTime: String
    /// The sum of the timings in milliseconds.
    let time: Double
    let request: HarRequest
    let response: HarResponse
    let cache = Cache()
    let timings: HarTimings
    let serverIPAddress: String?
    let comment: String?
    let error: String?
    /// The URL after redirects.
    let finalUrl: String?
    let attempt: Int
}

struct HarPair: Encodable {
    let name: String
    let value: String
}

struct HarCookie: Encodable {
    let name: String
    let value: String
    var path: String?
    var domain: String?
    var httpOnly: Bool?
    var secure: Bool?
}

struct HarRequest: Encodable {
    struct PostData: Encodable {
        enum CodingKeys: String, CodingKey {
            case mimeType, params, text, comment
            case encoding = "_encoding"
        }

        let mimeType: String
        let params: [HarPair]
        let text: String
        let encoding: String?
        let comment: String?
    }

    let method: String
    let url: String
    let httpVersion: String
    let cookies: [HarCookie]
    let headers: [HarPair]
    let queryString: [HarPair]
    let postData: PostData?
    /// In bytes; -1 when not known, such as with HTTP/2, which compresses headers.
    let headersSize: Int
    let bodySize: Int64
}

struct HarResponse: Encodable {
    struct Content: Encodable {
        let size: Int
        let compression: Int?
        let mimeType: String
        let text: String?
        let encoding: String?
        let comment: String?
    }

    let status: Int
    /// Empty when the status line has none, as in HTTP/2.
    let statusText: String
    let httpVersion: String
    let cookies: [HarCookie]
    let headers: [HarPair]
    let content: Content
    let redirectURL: String
    /// In bytes; -1 when not known, such as with HTTP/2, which compresses headers.
    let headersSize: Int
    let bodySize: Int64
}

/// Timings in milliseconds; -1 for a phase that did not occur or is not known.
struct HarTimings: Encodable, Equatable {
    var blocked = -1.0
    var dns = -1.0
    /// Includes the TLS handshake.
    var connect = -1.0
    var send = 0.0
    var wait = 0.0
    var receive = 0.0
    var ssl = -1.0

    /// The sum, without `ssl`, which is a part of `connect`.
    var sum: Double {
        [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max($1, 0) }
    }
}
