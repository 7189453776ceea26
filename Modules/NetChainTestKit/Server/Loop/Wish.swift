import HttpMessages

/// The condition of a wait.
enum Wish: Sendable {
    case requests(count: Int, HttpMethod, RoutePattern)
    case incompleteRequests(Int)
    case openConnections(Int)
    case acceptedConnections(Int)
    case receivedBytes(Int)
    case exchange(HttpMethod, RoutePattern)
    case connectionEnd(Int)
    /// Settled by the loop, through a command with the waiter's number.
    case done(String)
}

extension Wish: CustomStringConvertible {
    var description: String {
        switch self {
        case .requests(let count, let method, let pattern): "\(count) requests for \(method) \(pattern.text)"
        case .incompleteRequests(let count): "\(count) requests that end early"
        case .openConnections(let count): "the number of open connections to be \(count)"
        case .acceptedConnections(let count): "\(count) accepted connections"
        case .receivedBytes(let count): "\(count) received bytes"
        case .exchange(let method, let pattern): "a held request for \(method) \(pattern.text)"
        case .connectionEnd(let id): "the end of connection \(id)"
        case .done(let what): what
        }
    }
}
