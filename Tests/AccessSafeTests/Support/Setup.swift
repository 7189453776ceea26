import AccessSafe
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport

/// An API, a refresher and a chain through both.
struct Setup {
    let api = ScriptedApi()
    let clock = TestClock()
    let refresher: TokenRefresherNode
    let node: AccessSafeNode<Int, String>

    init(limits: RefreshLimits = RefreshLimits(), freshness: (@Sendable () -> TokenFreshness)? = nil) {
        refresher = TokenRefresherNode(
            tokenRefreshChain: api.refreshNode, limits: limits, freshness: freshness, clock: clock,
            executor: InlineExecutor())
        node = AccessSafeNode(next: api.node, updateTokenChain: refresher)
    }

    /// Sends requests and gives what becomes of them.
    func send(_ requests: Range<Int>) -> [Ending] {
        requests.map { Ending(node.inline($0)) }
    }

    func send(_ request: Int = 0) -> Ending {
        Ending(node.inline(request))
    }
}

/// How an observer ended, and how often.
final class Ending: Sendable {
    let observer: Observer<String>
    private let outcomes = Mutex<[Outcome<String>]>([])

    init(_ observer: Observer<String>) {
        self.observer = observer
        observer.onSettled { outcome in self.outcomes.withLock { $0.append(outcome) } }
    }

    var count: Int { outcomes.withLock { $0.count } }
    var value: String? { outcomes.withLock { $0.first?.value } }
    var error: (any Error)? { outcomes.withLock { $0.first?.error } }
    var isCanceled: Bool { outcomes.withLock { $0.first?.isCanceled ?? false } }
    /// The error's code where it is the gate's own.
    var code: AccessSafeError.Code? { (error as? AccessSafeError)?.code }
}

/// Ends a refresher's session, once.
final class Holder: Sendable {
    private let refresher = Mutex<TokenRefresherNode?>(nil)

    func hold(_ refresher: TokenRefresherNode) { self.refresher.withLock { $0 = refresher } }

    func letGo() { refresher.withLock { $0 = nil } }

    func endSessionOnce() {
        let refresher = refresher.withLock { held in
            defer { held = nil }
            return held
        }
        refresher?.endSession()
    }
}
