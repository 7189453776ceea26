import AccessSafe
import Dispatch
import Logging
import Models
import NodeCore
import ResponseProcessing
import UrlTransport

/// How requests are sent and their responses treated: the one value behind a builder and its service chain.
struct RequestSettings: Sendable {
    var sender: (any RequestSender)?
    var providers: [any MetadataProvider] = []
    var options = RequestOptions()
    var acceptedStatuses = AcceptedStatuses.successful
    var json = JsonCoders()
    var parser: Node<HttpResponse, Json>?
    var injectedHeaders: [String: String] = [:]
    var accessSafety: AccessSafety?
    var retry: RetryPolicy?
    var recorder: HarRecorder?
    var inserted = InsertedNodes()
    var isTraced = false
    var logFilter = LogFilter.standard
    var logSink = LogSink.standard
    var redaction = Redaction.standard
    var activity = LoadActivity.shared
    var work = ExecutionPlace.concurrent
    var answer = ExecutionPlace.dispatch(on: .main)
}

/// The settings of access safety.
struct AccessSafety: Sendable {
    let refresher: TokenRefresherNode
    let isAccessFailure: (@Sendable (any Error) -> Bool)?

    func node<Output>(next: Node<HttpRequest, Output>) -> Node<HttpRequest, Output> {
        if let isAccessFailure {
            AccessSafeNode(next: next, updateTokenChain: refresher, isAccessFailure: isAccessFailure)
        } else {
            AccessSafeNode(next: next, updateTokenChain: refresher)
        }
    }
}
