package import HttpMessages
package import NodeCore

/// Runs each piece of a task where it becomes ready, so that a test needs no waiting.
package final class InlineExecutor: TaskExecutor {
    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}

extension Node {
    /// Processes `data` in a task that runs wherever it becomes ready.
    package func inline(_ data: Input) -> Observer<Output> {
        Observer(on: InlineExecutor(), async: { try await self.execute(data) })
    }
}

extension Node where Input == Void {
    /// Runs the chain in a task that runs wherever it becomes ready.
    package func inline() -> Observer<Output> { inline(()) }
}

extension RequestSender {
    /// Sends the request in a task that runs wherever it becomes ready.
    package func observed(_ request: HttpRequest) -> Observer<HttpResponse> {
        Observer(on: InlineExecutor(), async: { try await self.send(request) })
    }
}
