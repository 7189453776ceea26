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
        settings.providers.append(provider)
        return self
    }

    /// Sets headers after the request was built, in place of headers of the same name. Adds to what was injected before;
    /// of one name, compared without regard to case, the last counts.
    @discardableResult
    public func inject(headers: [String: String]) -> Self {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            settings.injectedHeaders = settings.injectedHeaders.filter { !$0.key.equalsIgnoringCase(name) }
            settings.injectedHeaders[name] = value
        }
        return self
    }

    /// Sets what sends the request.
    @discardableResult
    public func send(with sender: any RequestSender) -> Self {
        settings.sender = sender
        return self
    }

    /// Sets what is asked of the sender for each request: a time limit, a progress handler.
    @discardableResult
    public func set(options: RequestOptions) -> Self {
        settings.options = options
        return self
    }

    /// Sets which statuses of an answer are no failure; 200 to 299 without it.
    @discardableResult
    public func accept(_ statuses: AcceptedStatuses) -> Self {
        settings.acceptedStatuses = statuses
        return self
    }

    /// Sets what makes a `Json` of an answer's body; `ResponseDataParserNode` without it. It is met by the forms that
    /// read JSON only, and gets bodies that aren't empty.
    @discardableResult
    public func parse(with parser: Node<HttpResponse, Json>) -> Self {
        settings.parser = parser
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
        settings.accessSafety = AccessSafety(refresher: refresher, isAccessFailure: isAccessFailure)
        return self
    }

    /// Sends a request that failed again, as the policy says.
    @discardableResult
    public func retry(_ policy: RetryPolicy) -> Self {
        settings.retry = policy
        return self
    }

    /// Leaves out the log lines of these writers; a writer's id is its node's name. Adds to what was left out before.
    @discardableResult
    public func log(exclude: [String]) -> Self {
        settings.logFilter.exclude.formUnion(exclude)
        return self
    }

    /// Keeps only the log lines of these writers.
    @discardableResult
    public func log(only: [String]) -> Self {
        settings.logFilter.only = Set(only)
        return self
    }

    /// Puts a node of your own into every chain, at a place between its nodes.
    ///
    /// ```swift
    /// builder.insert(at: .attempt) { next in SigningNode(next: next) }
    /// ```
    ///
    /// - Parameters:
    ///   - place: where it goes. Of several nodes at one place the first that was inserted is the outermost.
    ///   - node: makes it; called for each chain that is built.
    @discardableResult
    public func insert<Input>(
        at place: ChainPlace<Input>,
        _ node: @escaping @Sendable (_ next: Node<Input, HttpResponse>) -> Node<Input, HttpResponse>
    ) -> Self {
        settings.inserted[keyPath: place.nodes].append(node)
        return self
    }

    /// Sets where the log goes. Without it a debug build logs to standard error, and a release build is silent.
    /// `.silent` turns it off in both.
    @discardableResult
    public func log(to sink: LogSink) -> Self {
        settings.logSink = sink
        return self
    }

    /// Sets from which level on lines are logged; `.info` without it. Headers and bodies are logged at `.debug`.
    @discardableResult
    public func log(level: LogLevel) -> Self {
        settings.logFilter.level = level
        return self
    }

    /// Sets what is masked in the log. The names that were added to the standard ones hold wherever the chain's requests
    /// are described: in errors, HAR files and curl commands too.
    @discardableResult
    public func log(redaction: Redaction) -> Self {
        settings.redaction = redaction
        return self
    }

    /// Measures each node of the chain for the waterfall and the Chrome trace of the log's reports; the sender adds the
    /// phases of the transfer. The chain's description stays the same.
    /// Nodes that a subclass puts between others call `traced()` themselves.
    @discardableResult
    public func trace() -> Self {
        settings.isTraced = true
        return self
    }

    /// Records each exchange with the server, retries and replays included. Bodies are left out unless the recorder
    /// wants them.
    @discardableResult
    public func record(to recorder: HarRecorder) -> Self {
        settings.recorder = recorder
        return self
    }

    /// Sets where the chain runs and where callbacks are called: in the background and on the main queue without it.
    /// `await` uses neither.
    @discardableResult
    public func run(on work: ExecutionPlace, answer: ExecutionPlace) -> Self {
        settings.work = work
        settings.answer = answer
        return self
    }

    /// Sets what shows that requests are in progress. Without it nothing does.
    @discardableResult
    public func indicate(with activity: LoadActivity) -> Self {
        settings.activity = activity
        return self
    }
}
