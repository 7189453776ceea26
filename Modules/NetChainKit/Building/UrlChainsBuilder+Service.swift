import AccessSafe
import Logging
import Models
import NodeCore
import ResponseProcessing
import UrlTransport

extension UrlChainsBuilder {
    /// Adds a provider of headers, which is asked right before each sending. Later ones win over earlier ones.
    @discardableResult
    public func add(provider: any MetadataProvider) -> Self {
        service.providers.append(provider)
        return self
    }

    /// Sets headers after the request was built, in place of headers of the same name. Adds to what was injected before;
    /// of one name, compared without regard to case, the last counts.
    @discardableResult
    public func inject(headers: [String: String]) -> Self {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            service.headers = service.headers.filter { !$0.key.equalsIgnoringCase(name) }
            service.headers[name] = value
        }
        return self
    }

    /// Sets what sends the request.
    @discardableResult
    public func send(with sender: any RequestSender) -> Self {
        service.sender = sender
        return self
    }

    /// Sets what is asked of the sender for each request: a time limit, a progress handler.
    @discardableResult
    public func set(options: RequestOptions) -> Self {
        service.options = options
        return self
    }

    /// Sets which statuses of an answer are no failure; 200 to 299 without it.
    @discardableResult
    public func accept(_ statuses: AcceptedStatuses) -> Self {
        service.accepted = statuses
        return self
    }

    /// Sets what makes a `Json` of an answer's body; `ResponseDataParserNode` without it. It is met by the forms that
    /// read JSON only, and gets bodies that aren't empty.
    @discardableResult
    public func parse(with parser: Node<HttpResponse, Json>) -> Self {
        service.parser = parser
        return self
    }

    /// Refreshes the access token when the server refuses it, once for all requests that share `refresher`, and sends
    /// the request again.
    ///
    /// - Parameters:
    ///   - refresher: one for all chains that use the same token.
    ///   - isAccessFailure: which errors mean that a new token may help; without it 401 and 403. A 403 whose token
    ///     arrived within the refresher's `RefreshLimits.window` causes no refresh in any case.
    @discardableResult
    public func accessSafe(
        _ refresher: TokenRefresherNode, when isAccessFailure: (@Sendable (any Error) -> Bool)? = nil
    ) -> Self {
        service.accessSafe = AccessSafety(refresher: refresher, isAccessFailure: isAccessFailure)
        return self
    }

    /// Sends a request that failed again, as the policy says.
    @discardableResult
    public func retry(_ policy: RetryPolicy) -> Self {
        service.retry = policy
        return self
    }

    /// Leaves out the log lines of these writers; a writer's id is its node's name. Adds to what was left out before.
    @discardableResult
    public func log(exclude: [String]) -> Self {
        logFilter.exclude.formUnion(exclude)
        return self
    }

    /// Keeps only the log lines of these writers.
    @discardableResult
    public func log(only: [String]) -> Self {
        logFilter.only = Set(only)
        return self
    }

    /// Sets where the log goes. Without it a debug build logs to standard error, and a release build is silent.
    /// `.silent` turns it off in both.
    @discardableResult
    public func log(to sink: LogSink) -> Self {
        logSink = sink
        return self
    }

    /// Sets from which level on lines are logged; `.info` without it. Headers and bodies are logged at `.debug`.
    @discardableResult
    public func log(level: LogLevel) -> Self {
        logFilter.level = level
        return self
    }

    /// Sets what is masked in the log. The names that were added to the standard ones hold wherever the chain's requests
    /// are described: in errors, HAR files and curl commands too.
    @discardableResult
    public func log(redaction: Redaction) -> Self {
        self.redaction = redaction
        return self
    }

    /// Measures each node of the chain for the waterfall and the Chrome trace of the log's reports; the sender adds the
    /// phases of the transfer. The chain's description stays the same.
    ///
    /// Nodes that a subclass puts between others are measured where they head one of the service chain's parts; others
    /// call `traced()` themselves.
    @discardableResult
    public func trace() -> Self {
        service.isTraced = true
        return self
    }

    /// Records each exchange with the server, retries and replays included. Bodies are left out unless the recorder
    /// wants them.
    @discardableResult
    public func record(to recorder: HarRecorder) -> Self {
        service.recorder = recorder
        return self
    }

    /// Sets where the chain runs and where callbacks are called: in the background and on the main queue without it.
    /// `await` uses neither.
    @discardableResult
    public func run(on work: ExecutionPlace, answer: ExecutionPlace) -> Self {
        self.work = work
        self.answer = answer
        return self
    }

    /// Sets what shows that requests are in progress. Without it nothing does.
    @discardableResult
    public func indicate(with activity: LoadActivity) -> Self {
        self.activity = activity
        return self
    }
}
