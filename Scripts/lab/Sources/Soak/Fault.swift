import NetChainKit
import SeededNumbers

/// What a request meets at the server.
enum Fault: String, CaseIterable, Sendable {
    case none, posted, chunked, slow, dripping, gzip, redirected, refused, followed, streamed, streamLeft
    case missing, reset, closed, cut, cutHead, cutGzip, damagedGzip, streamCut, garbage, large, bomb, headers, silent
    case upload, busy
    case folded, framing, status, unrequestedRange, badChunk, endlessExtension, expectation, dropped, forbidden, later

    /// How often it is drawn beside the others.
    private var weight: Int {
        switch self {
        case .none, .posted: 6
        case .gzip, .refused, .followed, .redirected: 3
        // These take the server's time.
        case .headers, .large, .upload, .silent, .endlessExtension: 1
        default: 2
        }
    }

    private static let drawn = allCases.flatMap { Array(repeating: $0, count: $0.weight) }

    static func random(_ numbers: inout Seeded) -> Fault {
        drawn[Int.random(in: 0..<drawn.count, using: &numbers)]
    }

    /// Which errors such a request may end with; none where it has to be answered.
    var errors: Set<String> {
        switch self {
        case .missing: ["status 404"]
        // The token can expire again before the request is sent again.
        case .refused: ["status 401"]
        case .reset, .closed, .upload: ["connectionLost"]
        case .cut, .cutGzip, .streamCut, .cutHead: ["truncatedResponse"]
        case .damagedGzip: ["invalidContentEncoding"]
        case .garbage, .folded, .framing, .status, .unrequestedRange, .badChunk: ["invalidResponse"]
        case .headers, .endlessExtension: ["headersTooLarge"]
        case .expectation: ["status 417"]
        case .forbidden: ["status 403"]
        case .later: ["status 503"]
        case .large, .bomb: ["responseTooLarge"]
        case .silent: ["requestTimedOut"]
        default: []
        }
    }

    var isPost: Bool { self == .posted || self == .expectation }

    var mayBeAnswered: Bool {
        errors.isEmpty || self == .refused
    }

    /// Whether the answer's body is read as a stream.
    var isStream: Bool {
        self == .streamed || self == .streamLeft || self == .streamCut
    }

    /// The kind of an error, in a word.
    static func kind(of error: any Error) -> String {
        switch error {
        case let error as TransportError: error.code.description
        case let error as TechnicalError: error.cause.code.description
        case let error as HttpError: "status \(error.response.status)"
        case let error as AccessSafeError: "access: \(error.code)"
        default: "\(type(of: error)): \(error)"
        }
    }
}
