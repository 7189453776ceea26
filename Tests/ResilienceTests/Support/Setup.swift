import HttpMessages
import NetChainTestKit
import NodeCore
import TestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The result of an event of a state machine, since an expectation can't call a mutating function.
func after<Machine, Result>(_ machine: inout Machine, _ event: (inout Machine) -> Result) -> Result {
    event(&machine)
}

/// A request of this path.
func request(_ path: String = "x", timeout: Duration? = nil, _ destination: BodyDestination = .memory) -> HttpRequest {
    let url = URL(string: "https://api.example.com/\(path)") ?? URL(filePath: "/")
    return HttpRequest(method: .get, url: url, options: RequestOptions(timeout: timeout, destination: destination))
}

extension RequestSender {
    /// Sends the request in a task of this priority that runs wherever it becomes ready.
    func observed(_ path: String, priority: TaskPriority) -> Observer<HttpResponse> {
        Observer(on: InlineExecutor(), priority: priority, async: { try await self.send(request(path)) })
    }
}

/// A sender whose exchanges a test takes without waiting.
struct HeldSender: RequestSender {
    let exchanges = Gathered<ScriptedRequestSender.Exchange>()
    private let sender: ScriptedRequestSender

    init() {
        sender = ScriptedRequestSender { [exchanges] in exchanges.append($0) }
    }

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        try await sender.send(request)
    }

    /// The paths of all that was sent, in order.
    var paths: [String] { exchanges.all.map { String($0.request.url.path.dropFirst()) } }
}
