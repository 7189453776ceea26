#if os(Linux)
import CNetChainCurl

/// Handles that have performed a hop, for later hops of the same kind. Used by the event loop's thread alone.
///
/// With libcurl 8.14, that saves 15 % of the instructions and 8 % of the processor time of a small request, 16 at a time;
/// over HTTP/2, 10 % and 8 %. But no server and no request may have an effect on a later request. So:
/// - libcurl is 8.1 or newer (``LibcurlWorkarounds/canReuseHandles``), and `curl_easy_reset` isn't used: it keeps state.
/// - Only usual hops use such handles (``HandleKind/isUsual``). ``Hop/setUp(_:_:_:)`` sets the same options for each of
///   them; the others depend on the kind alone. `HandleOptionsTests` compares all with those of a new handle.
/// - A handle is kept after a success only: no error, no abort by a callback, a whole response.
/// - It performs at most ``mostHops``, so that what libcurl may collect in it has an end.
///
/// This can go when to create, set up and free a handle takes less than 5 % of a small request.
struct SpareHandles {
    private struct Spare {
        let kind: HandleKind
        let easy: CurlEasyHandle
        let lastUse: Moment
    }

    /// The most handles that an event loop keeps. More are freed.
    static let most = 64
    static let mostHops = 1_000
    /// How long a handle is kept without use; the event loop may check a minute later.
    private static let idleTimeout = Duration.seconds(60)

    /// The last one was kept last.
    private var all: [Spare] = []

    /// Removes and returns a handle of a kind; nil if there is none.
    mutating func take(_ kind: HandleKind) -> CurlEasyHandle? {
        guard kind.isUsual, let index = all.lastIndex(where: { $0.kind == kind }) else { return nil }
        return all.remove(at: index).easy
    }

    /// Keeps a handle whose hop has succeeded (``Hop/mayHandleBeUsedAgain(_:)``).
    mutating func add(_ easy: CurlEasyHandle, _ kind: HandleKind, lastUse: Moment) {
        guard easy.hops < Self.mostHops, all.count < Self.most else { return }
        easy.prepareForNextHop()
        all.append(Spare(kind: kind, easy: easy, lastUse: lastUse))
    }

    /// Frees handles that were not used for long.
    mutating func removeIdle(_ now: Moment) {
        guard let first = all.first, first.lastUse + Self.idleTimeout <= now else { return }
        all.removeAll { $0.lastUse + Self.idleTimeout <= now }
    }

    mutating func removeAll() {
        all = []
    }
}
#endif
