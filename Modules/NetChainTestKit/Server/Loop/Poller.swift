#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A descriptor that is ready, by the token it was registered with.
struct Readiness {
    let token: Int
    let isReadable: Bool
    let isWritable: Bool
    /// The peer has closed or reset the connection.
    let isEnded: Bool
}

/// Waits for many descriptors at once with `poll(2)`, level-triggered. epoll and kqueue would need a C module. Only the
/// loop's thread uses it.
struct Poller {
    private var entries: [pollfd] = []
    private var tokens: [Int] = []
    private var places: [Int32: Int] = [:]

    #if os(Linux)
    /// `POLLRDHUP`, which the C library shows only with GNU extensions: the peer has closed its sending side.
    private static let peerClosed: Int16 = 0x2000
    #else
    private static let peerClosed: Int16 = 0
    #endif

    mutating func add(_ socket: Int32, token: Int, reads: Bool, writes: Bool) {
        places[socket] = entries.count
        entries.append(pollfd(fd: socket, events: Self.events(reads, writes), revents: 0))
        tokens.append(token)
    }

    mutating func change(_ socket: Int32, reads: Bool, writes: Bool) {
        guard let place = places[socket] else { return }
        entries[place].events = Self.events(reads, writes)
    }

    mutating func remove(_ socket: Int32) {
        guard let place = places.removeValue(forKey: socket) else { return }
        entries.swapAt(place, entries.count - 1)
        tokens.swapAt(place, tokens.count - 1)
        entries.removeLast()
        tokens.removeLast()
        if place < entries.count { places[entries[place].fd] = place }
    }

    /// Waits at most `milliseconds`, without limit for -1, and returns the ready descriptors.
    mutating func wait(milliseconds: Int32) -> [Readiness] {
        var rest = poll(&entries, nfds_t(entries.count), milliseconds)
        var ready: [Readiness] = []
        guard rest > 0 else { return ready }
        ready.reserveCapacity(Int(rest))
        for (place, entry) in entries.enumerated() where entry.revents != 0 {
            ready.append(
                Readiness(
                    token: tokens[place], isReadable: entry.revents & Int16(POLLIN) != 0,
                    isWritable: entry.revents & Int16(POLLOUT) != 0,
                    isEnded: entry.revents & (Int16(POLLHUP | POLLERR | POLLNVAL) | Self.peerClosed) != 0))
            rest -= 1
            if rest == 0 { break }
        }
        return ready
    }

    private static func events(_ reads: Bool, _ writes: Bool) -> Int16 {
        peerClosed | Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))
    }
}
